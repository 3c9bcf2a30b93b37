"""Those who run the service: what they may do, that nobody else may, and that whatever they change is noted."""

import json
import subprocess
import sys
from typing import Any

import asyncpg
import httpx
import pytest

from service import settings
from service.accounts.operators import Operator, Operators, token_hash
from service.cant_run import CantRun
from service.chance import OPERATOR_PREFIX, is_token, new_token
from service.http.assembly import http_app
from service.http.routes.health import Metrics
from tests.service.conftest import OLGA, Join, bearing, inside
from tests.service.documented import Documented
from tests.service.test_standings import counted

WHY = {"note": "A complaint of Ada's"}
PRIVATE = {"options": {"game": "pico"}, "visibility": "private", "spectators": "none"}


async def playing(join: Join, **terms: Any) -> tuple[httpx.AsyncClient, httpx.AsyncClient, str]:
    ada, bob = await join("Ada"), await join("Bob")
    opened = (await ada.post("/v1/matches", json={**PRIVATE, **terms})).json()
    path = f"/v1/matches/{opened['match_id']}"
    await bob.post(f"{path}/seats", json={"invite": opened["invite"] or ""})
    return ada, bob, path


def as_operator(path: str) -> str:
    return path.replace("/v1/", "/v1/operator/")


async def test_an_operator_sees_what_is_public_of_any_match_and_nothing_more(join: Join, operator: httpx.AsyncClient) -> None:
    ada, bob, path = await playing(join)
    [decision] = (await ada.get(path)).json()["decisions"]
    await ada.post(f"{path}/commands", json={"command": decision["choices"][0]})
    seen = (await operator.get(as_operator(path))).json()
    bobs = (await bob.get(path)).json()
    assert seen == {**bobs, "you": None, "decisions": [], "server_time": seen["server_time"], "table": seen["table"]}
    assert seen["table"] == {**bobs["table"], **{field: value for field, value in seen["table"].items() if value is None}}
    assert (await operator.get(path)).status_code == 404, "as a player's route it is unknown to them like to anybody"


async def test_a_match_that_is_stopped_is_over_and_counts_for_nobody(join: Join, operator: httpx.AsyncClient) -> None:
    ada, bob, path = await playing(join, visibility="public", spectators="public")
    answer = await operator.post(f"{as_operator(path)}/stop", json=WHY)
    done = answer.json()
    assert (done["operator"], done["deed"], done["subject"], done["note"]) == ("olga", "stop_match", path[-36:], WHY["note"])
    assert done["done_at"] is not None
    view = (await ada.get(path)).json()
    assert (view["status"], view["result"]) == ("ended", {"ranking": [], "reason": "stopped"})
    record = (await bob.get(f"{path}/record")).json()
    assert record["events"][-1]["event"] == {"type": "match.ended", "ranking": [], "reason": "stopped"}
    assert record["proof"]["seed"]
    again = await operator.post(f"{as_operator(path)}/stop", json=WHY)
    assert (again.status_code, again.json()["code"]) == (409, "match_over")
    assert len((await operator.get("/v1/operator/actions")).json()["items"]) == 1, "what was refused was not done"
    played = (await ada.post("/v1/matches", json={"options": {"game": "pico"}})).json()
    await bob.post(f"/v1/matches/{played['match_id']}/seats", json={})
    await bob.post(f"/v1/matches/{played['match_id']}/resign")
    assert [row["matches"] for row in await counted(ada, "pico", 2)] == [1, 1]


async def test_a_match_that_has_not_begun_can_be_stopped_too(join: Join, operator: httpx.AsyncClient) -> None:
    ada = await join("Ada")
    path = f"/v1/matches/{(await ada.post('/v1/matches', json=PRIVATE)).json()['match_id']}"
    assert (await operator.post(f"{as_operator(path)}/stop", json=WHY)).status_code == 200
    assert (await ada.get(path)).json()["result"]["reason"] == "stopped"


async def test_a_player_whose_tokens_were_stolen_is_signed_out_everywhere(join: Join, operator: httpx.AsyncClient) -> None:
    ada = await join("Ada")
    me = (await ada.get("/v1/players/me")).json()["player_id"]
    further = (await ada.post("/v1/players/me/tokens")).json()["token"]
    assert (await operator.post(f"/v1/operator/players/{me}/sign-out", json=WHY)).status_code == 200
    for token in (ada, bearing(ada._transport, further)):
        assert (await token.get("/v1/players/me")).status_code == 401
    assert (await operator.get(f"/v1/players/{me}")).status_code == 200, "the account is still there"


async def test_a_player_can_be_erased_for_them(join: Join, operator: httpx.AsyncClient, client: httpx.AsyncClient) -> None:
    ada, bob, path = await playing(join)
    me = (await ada.get("/v1/players/me")).json()["player_id"]
    assert (await operator.post(f"/v1/operator/players/{me}/erase", json=WHY)).status_code == 200
    assert (await client.get(f"/v1/players/{me}")).status_code == 404
    assert (await ada.get("/v1/players/me")).status_code == 401
    assert (await bob.get(path)).json()["seats"][0]["display_name"] == ""
    assert (await operator.post(f"/v1/operator/players/{me}/erase", json=WHY)).status_code == 404


async def test_what_was_done_is_listed_the_newest_first_and_cannot_be_taken_back(join: Join, operator: httpx.AsyncClient) -> None:
    ids = [(await (await join(name)).get("/v1/players/me")).json()["player_id"] for name in ("Ada", "Bob", "Cid")]
    for player_id in ids:
        await operator.post(f"/v1/operator/players/{player_id}/sign-out", json={"note": f"of {player_id}"})
    first = (await operator.get("/v1/operator/actions", params={"limit": 2})).json()
    second = (await operator.get("/v1/operator/actions", params={"limit": 2, "cursor": first["next_cursor"]})).json()
    assert [item["subject"] for item in first["items"] + second["items"]] == ids[::-1]
    assert second["next_cursor"] is None
    assert (await operator.delete("/v1/operator/actions")).status_code == 405


async def test_an_action_that_broke_off_stands_there_as_not_done(
    join: Join, operator: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Written before it is done: nobody acts unseen, whatever breaks in between."""

    async def fails(*_: object) -> None:
        raise asyncpg.InterfaceError("connection is closed")

    me = (await (await join("Ada")).get("/v1/players/me")).json()["player_id"]
    monkeypatch.setattr("service.erasure.Erasure.erase", fails)
    assert (await operator.post(f"/v1/operator/players/{me}/erase", json=WHY)).status_code >= 500
    [item] = (await operator.get("/v1/operator/actions")).json()["items"]
    assert (item["deed"], item["done_at"]) == ("erase_player", None)


async def test_a_change_needs_a_reason(join: Join, operator: httpx.AsyncClient) -> None:
    _, _, path = await playing(join)
    for note in ({}, {"note": ""}, {"note": "x" * 501}, {"note": 1}):
        assert (await operator.post(f"{as_operator(path)}/stop", json=note)).status_code == 422
    assert (await operator.get("/v1/operator/actions")).json()["items"] == []


async def test_the_door_of_operators_is_shut_to_everybody_else(join: Join, client: httpx.AsyncClient, transport: Documented) -> None:
    ada, _, path = await playing(join)
    ways = [("GET", as_operator(path)), ("POST", f"{as_operator(path)}/stop"), ("GET", "/v1/operator/actions"), ("GET", "/metrics")]
    stranger = bearing(transport, new_token(OPERATOR_PREFIX))
    for caller, status, code in (
        (client, 401, "not_authenticated"),
        (stranger, 401, "not_authenticated"),
        (ada, 403, "not_operator"),
    ):
        for method, way in ways:
            answer = await caller.request(method, way, json=WHY if method == "POST" else None)
            assert (answer.status_code, answer.json()["code"]) == (status, code), way
    assert (await ada.get(path)).json()["status"] == "playing"


async def test_an_operator_is_no_player(operator: httpx.AsyncClient) -> None:
    assert (await operator.get("/v1/players/me")).status_code == 401
    assert (await operator.post("/v1/matches", json={"options": {"game": "pico"}})).status_code == 401
    assert (await operator.get("/v1/matches")).status_code == 200


@pytest.mark.parametrize("numbers_open", [False, True])
async def test_a_reader_of_numbers_reads_numbers_and_nothing_else(numbers_open: bool) -> None:
    """And needs no database for it, so that one that is away can be watched."""
    reader = new_token(OPERATOR_PREFIX)
    operators = Operators({token_hash(reader): Operator("prometheus", "numbers")}, numbers_open)
    app = http_app([Metrics], players=None, operators=operators, services=())  # type: ignore[arg-type]
    async with (
        bearing(inside(app), reader) as reading,
        httpx.AsyncClient(transport=inside(app), base_url="http://ludicitude.test") as nobody,
    ):
        assert "ludicitude_http_requests_total" in (await reading.get("/metrics")).text
        assert (await nobody.get("/metrics")).status_code == (200 if numbers_open else 401)


async def test_a_reader_of_numbers_is_no_operator(transport: Documented, app: Any) -> None:
    app.state["operators"]._named[token_hash(reader := new_token(OPERATOR_PREFIX))] = Operator("prometheus", "numbers")
    answer = await bearing(transport, reader).get("/v1/operator/actions")
    assert (answer.status_code, answer.json()["code"]) == (403, "not_operator")


def test_a_token_is_made_by_a_command_and_the_settings_hold_its_hash_alone() -> None:
    made = subprocess.run([sys.executable, "-m", "service", "operator-token", "anna"], capture_output=True, text=True, check=True)
    [token] = [word for word in made.stderr.split() if word.startswith(OPERATOR_PREFIX)]
    assert is_token(token, OPERATOR_PREFIX)
    assert not is_token(token), "it is no player's"
    assert made.stdout == f"anna={token_hash(token)}\n"
    read = settings.read({"LUDICITUDE_OPERATORS": f"olga={token_hash(OLGA)}, {made.stdout.strip()}"})
    assert read.operators == {token_hash(OLGA): "olga", token_hash(token): "anna"}


@pytest.mark.parametrize("wrong", [OLGA, f"olga={OLGA}", "olga", "=" + "0" * 64, "o lga=" + "0" * 64, "olga=" + "0" * 63, "*"])
def test_a_wrong_setting_is_told_and_no_secret_is_repeated(wrong: str) -> None:
    with pytest.raises(CantRun) as told:
        settings.read({"LUDICITUDE_OPERATORS": wrong})
    assert "LUDICITUDE_OPERATORS is wrong" in str(told.value)
    assert OLGA not in json.dumps(str(told.value))
