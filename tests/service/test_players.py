"""Accounts and tokens, as a front end meets them."""

import re

import asyncpg
import httpx
import pytest

from service import chance
from service.accounts import lately
from service.accounts.players import TOKENS_MAX, Players
from service.store.address import sqlalchemy_engine
from tests.service.conftest import Join, bearing
from tests.service.documented import Documented


async def test_a_guest_is_made_in_one_call_and_the_token_works(client: httpx.AsyncClient, transport: Documented) -> None:
    created = await client.post("/v1/players", json={"display_name": "Ada"})
    assert created.status_code == 201
    guest = created.json()
    assert guest["display_name"] == "Ada"
    assert created.headers["location"] == f"/v1/players/{guest['player_id']}"
    assert created.headers["cache-control"] == "no-store"
    assert re.fullmatch(r"lud_[0-9A-Za-z]{49}", guest["token"])
    async with bearing(transport, guest["token"]) as ada:
        me = (await ada.get("/v1/players/me")).json()
    assert me == {"player_id": guest["player_id"], "display_name": "Ada", "created_at": guest["created_at"]}


async def test_names_are_not_unique_and_every_call_makes_a_new_player(client: httpx.AsyncClient) -> None:
    made = [(await client.post("/v1/players", json={"display_name": "Ada"}, headers={"Idempotency-Key": "same"})).json() for _ in range(2)]
    assert made[0]["player_id"] != made[1]["player_id"]
    assert made[0]["token"] != made[1]["token"]


async def test_a_name_is_kept_as_the_rule_has_it(client: httpx.AsyncClient) -> None:
    created = (await client.post("/v1/players", json={"display_name": "  Zoe\u0308 \t"})).json()
    assert (await client.get(f"/v1/players/{created['player_id']}")).json()["display_name"] == "Zo\u00eb"


async def test_a_name_that_cannot_be_shown_is_refused_and_changes_nothing(join: Join) -> None:
    ada = await join("Ada")
    for name in ("", "   ", "x" * 41, "x" * 201, "x" * 15_000, "a\u202eb", "\u3164", "\u0301"):
        for answer in (
            await ada.post("/v1/players", json={"display_name": name}),
            await ada.patch("/v1/players/me", json={"display_name": name}),
        ):
            problem = answer.json()
            assert (answer.status_code, problem["code"]) == (422, "invalid_display_name"), repr(name)
            assert problem["errors"][0]["pointer"] == "/display_name"
    assert (await ada.get("/v1/players/me")).json()["display_name"] == "Ada"


async def test_a_new_name_is_seen_by_everybody(client: httpx.AsyncClient, join: Join) -> None:
    ada = await join("Ada")
    renamed = (await ada.patch("/v1/players/me", json={"display_name": "Countess"})).json()
    assert renamed["display_name"] == "Countess"
    assert (await client.get(f"/v1/players/{renamed['player_id']}")).json() == renamed


async def test_an_unknown_player_is_not_found(client: httpx.AsyncClient) -> None:
    for player_id in ("ply_" + "0" * 26, "ply_1", "nobody", "%00", "ply_" + "0" * 26 + "%00", "é", "ply_" + "0" * 26 + "%0A"):
        answer = await client.get(f"/v1/players/{player_id}")
        assert (answer.status_code, answer.json()["code"]) == (404, "player_not_found"), player_id


async def test_what_is_for_players_needs_a_token_before_anything_else_is_looked_at(client: httpx.AsyncClient) -> None:
    for method, path in (
        ("GET", "/v1/players/me"),
        ("PATCH", "/v1/players/me"),
        ("GET", "/v1/players/me/tokens"),
        ("POST", "/v1/players/me/tokens"),
        ("DELETE", "/v1/players/me/tokens/tok_1"),
    ):
        answer = await client.request(method, path, content=b"{", headers={"Content-Type": "text/plain"})
        assert (answer.status_code, answer.json()["code"]) == (401, "not_authenticated"), path
        assert answer.headers["www-authenticate"].startswith("Bearer ")


async def test_a_token_that_is_none_is_never_taken_for_nobody(client: httpx.AsyncClient) -> None:
    for header in ("Bearer lud_wrong", "Bearer", "Basic YTpi", "", "Bearer lud_" + "0" * 49, f"Bearer {chance.new_token()}", "Bearer \xff"):
        answer = await client.get("/v1/games", headers={b"Authorization": header.encode("latin-1")})
        assert (answer.status_code, answer.json()["code"]) == (401, "not_authenticated"), header


async def test_the_scheme_is_read_in_any_case(client: httpx.AsyncClient) -> None:
    token = (await client.post("/v1/players", json={"display_name": "Ada"})).json()["token"]
    assert (await client.get("/v1/players/me", headers={"Authorization": f"bEARER {token}"})).status_code == 200


async def test_each_device_has_a_token_that_can_be_revoked_by_itself(join: Join, transport: Documented) -> None:
    ada = await join("Ada")
    further = (await ada.post("/v1/players/me/tokens")).json()
    listed = (await ada.get("/v1/players/me/tokens")).json()
    assert [each["token_id"] for each in listed["items"]][1:] == [further["token_id"]]
    assert listed["next_cursor"] is None
    assert "lud_" not in str(listed)
    async with bearing(transport, further["token"]) as phone:
        assert (await phone.get("/v1/players/me")).json() == (await ada.get("/v1/players/me")).json()
        assert (await ada.delete(f"/v1/players/me/tokens/{further['token_id']}")).status_code == 204
        assert (await phone.get("/v1/players/me")).status_code == 401
        assert (await phone.get("/v1/games")).status_code == 401
    assert (await ada.delete(f"/v1/players/me/tokens/{further['token_id']}")).status_code == 204
    assert [each["token_id"] for each in (await ada.get("/v1/players/me/tokens")).json()["items"]] == [listed["items"][0]["token_id"]]


async def test_nobody_revokes_the_token_of_another(join: Join) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    token_id = (await ada.get("/v1/players/me/tokens")).json()["items"][0]["token_id"]
    for wanted in (token_id, "tok_00000000000000000000000000", "%00"):
        answer = await bob.delete(f"/v1/players/me/tokens/{wanted}")
        assert (answer.status_code, answer.json()["code"]) == (404, "token_not_found")
    assert (await ada.get("/v1/players/me")).status_code == 200


async def test_tokens_of_one_player_are_bounded(join: Join) -> None:
    ada = await join("Ada")
    for _ in range(TOKENS_MAX - 1):
        assert (await ada.post("/v1/players/me/tokens")).status_code == 201
    answer = await ada.post("/v1/players/me/tokens")
    assert (answer.status_code, answer.json()["code"]) == (409, "too_many_tokens")
    items = (await ada.get("/v1/players/me/tokens")).json()["items"]
    assert len(items) == TOKENS_MAX
    assert (await ada.delete(f"/v1/players/me/tokens/{items[-1]['token_id']}")).status_code == 204
    assert (await ada.post("/v1/players/me/tokens")).status_code == 201


async def test_the_last_use_is_known_to_the_minute(join: Join, database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lately, "KEPT_SECONDS", 0.0)
    ada = await join("Ada")
    await ada.get("/v1/players/me")
    connection = await asyncpg.connect(database_url)
    try:
        first = await connection.fetchval("SELECT last_used_at FROM player_tokens")
        assert first is not None
        await ada.get("/v1/players/me")
        assert await connection.fetchval("SELECT last_used_at FROM player_tokens") == first
        await connection.execute("UPDATE player_tokens SET last_used_at = last_used_at - interval '61 seconds'")
        await ada.get("/v1/players/me")
        assert await connection.fetchval("SELECT last_used_at FROM player_tokens") >= first
    finally:
        await connection.close()


async def test_no_secret_lies_in_the_database(client: httpx.AsyncClient, database_url: str) -> None:
    token = (await client.post("/v1/players", json={"display_name": "Ada"})).json()["token"]
    connection = await asyncpg.connect(database_url)
    try:
        rows = await connection.fetch("SELECT t::text FROM player_tokens t") + await connection.fetch("SELECT t::text FROM players t")
    finally:
        await connection.close()
    assert len(rows) == 2
    assert all(token not in row[0] and token[4:47].encode().hex() not in row[0] for row in rows)


async def test_the_names_of_many_come_in_one_go(client: httpx.AsyncClient, database_url: str) -> None:
    ada, bob = [(await client.post("/v1/players", json={"display_name": name})).json()["player_id"] for name in ("Ada", "Bob")]
    engine = sqlalchemy_engine(database_url, pool_size=1)
    try:
        assert await Players(engine).names([bob, ada, ada, "ply_nobody"]) == {ada: "Ada", bob: "Bob"}
        assert await Players(engine).names([]) == {}
    finally:
        await engine.dispose()
