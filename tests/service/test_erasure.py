"""Erasing an account: what goes, what stays, and that the others play on."""

from typing import Any

import asyncpg
import httpx
import pytest
from litestar import Litestar

from domain.match import lobby
from domain.match.game import AnyGame
from domain.match.play import Entry
from domain.match.state import AnyMatch
from domain.match.table import World
from service import erasure
from service.accounts.players import Players
from service.accounts.tokens import Erased, held_token
from service.calls import Call, house_call
from service.erasure import Erasure
from service.matches import Busy, Changed, Decide, Matches
from tests.service.conftest import Join, bearing
from tests.service.documented import Documented
from tests.service.test_standings import STANDINGS, beaten, counted

PICO = {"options": {"game": "pico"}}


async def opened(by: httpx.AsyncClient, *others: httpx.AsyncClient, **terms: Any) -> str:
    """A match of this player, at which the others sit too."""
    answer = await by.post("/v1/matches", json={**PICO, **terms})
    assert answer.status_code == 201, answer.text
    for other in others:
        seated = await other.post(f"/v1/matches/{answer.json()['match_id']}/seats", json={"invite": answer.json()["invite"] or ""})
        assert seated.status_code == 200, seated.text
    return str(answer.json()["match_id"])


async def erased(player: httpx.AsyncClient) -> str:
    """Erase this player; answers what their id was."""
    player_id = str((await player.get("/v1/players/me")).json()["player_id"])
    answer = await player.delete("/v1/players/me")
    assert (answer.status_code, answer.content) == (204, b"")
    return player_id


async def view(client: httpx.AsyncClient, match_id: str) -> dict[str, Any]:
    return dict((await client.get(f"/v1/matches/{match_id}")).json())


async def test_the_name_and_all_tokens_are_gone(client: httpx.AsyncClient, join: Join, transport: Documented, database_url: str) -> None:
    ada = await join("Ada Lovelace")
    further = (await ada.post("/v1/players/me/tokens")).json()["token"]
    player_id = await erased(ada)
    async with bearing(transport, further) as phone:
        for device in (ada, phone):
            for answer in (await device.get("/v1/players/me"), await device.delete("/v1/players/me"), await device.get("/v1/games")):
                assert (answer.status_code, answer.json()["code"]) == (401, "not_authenticated")
    answer = await client.get(f"/v1/players/{player_id}")
    assert (answer.status_code, answer.json()["code"]) == (404, "player_not_found")
    connection = await asyncpg.connect(database_url)
    try:
        rows = await connection.fetch("SELECT p::text FROM players p UNION ALL SELECT t::text FROM player_tokens t")
    finally:
        await connection.close()
    assert len(rows) == 1
    assert "Ada" not in rows[0][0]


async def test_the_name_can_be_taken_again_by_somebody_new(client: httpx.AsyncClient, join: Join) -> None:
    player_id = await erased(await join("Ada"))
    again = (await client.post("/v1/players", json={"display_name": "Ada"})).json()
    assert again["player_id"] != player_id
    assert (await client.get(f"/v1/players/{again['player_id']}")).json()["display_name"] == "Ada"


async def test_before_the_start_the_seat_is_free_again_and_the_host_passes_on(client: httpx.AsyncClient, join: Join) -> None:
    """A host who left a table that nobody could start any more."""
    ada, bob = await join("Ada"), await join("Bob")
    match_id = await opened(ada, bob, start="by_host")
    alone = await opened(ada)
    await erased(ada)
    left = await view(client, match_id)
    assert [seat["kind"] for seat in left["seats"]] == ["open", "player"]
    assert left["host"] == left["seats"][1]["player_id"]
    assert (await bob.post(f"/v1/matches/{match_id}/start", json={"fill_with_bots": "easy"})).json()["status"] == "playing"
    assert (await view(client, alone))["result"]["reason"] == "closed"
    assert (await client.get("/v1/matches", params={"open_seats": True})).json()["items"] == []


async def test_a_match_hosted_without_a_seat_is_closed_before_the_start_and_goes_on_in_play(client: httpx.AsyncClient, join: Join) -> None:
    ada, bob, eve = await join("Ada"), await join("Bob"), await join("Eve")
    waiting = await opened(ada, bob, sit=False)
    playing = await opened(ada, bob, eve, sit=False)
    await erased(ada)
    assert (await view(client, waiting))["result"]["reason"] == "closed"
    assert (await view(client, playing))["status"] == "playing"


async def test_in_play_they_resign_and_the_others_go_on(client: httpx.AsyncClient, join: Join) -> None:
    ada, bob, eve = await join("Ada"), await join("Bob"), await join("Eve")
    of_two = await opened(ada, bob)
    of_three = await opened(ada, bob, eve, options={"game": "little-train"}, seats=3, visibility="private")
    player_id = await erased(ada)
    ended = await view(client, of_two)
    assert (ended["status"], ended["result"]["reason"]) == ("ended", "resigned")
    assert [(place["seat"], place["rank"]) for place in ended["result"]["ranking"]] == [(1, 1), (0, 2)]
    goes_on = await view(bob, of_three)
    assert goes_on["status"] == "playing"
    [seat, *_] = goes_on["seats"]
    assert (seat["player_id"], seat["display_name"], seat["kind"], seat["stand_in"]) == (player_id, "", "player", True)


async def test_what_was_played_stays_without_the_name(client: httpx.AsyncClient, join: Join) -> None:
    """Every answer is held against the document as well, so the types are what they were."""
    ada, bob = await join("Ada"), await join("Bob")
    match_id = await beaten(ada, bob)
    before = await counted(client, "pico", 2)
    await erased(ada)
    assert [seat["display_name"] for seat in (await view(client, match_id))["seats"]] == ["", "Bob"]
    assert [seat["display_name"] for seat in (await client.get(f"/v1/matches/{match_id}/record")).json()["seats"]] == ["", "Bob"]
    [listed] = (await client.get("/v1/matches")).json()["items"]
    assert [seat["display_name"] for seat in listed["seats"]] == ["", "Bob"]
    assert (await client.get(STANDINGS)).json()["items"] == [{**before[0], "display_name": ""}, before[1]]


async def test_every_match_is_left_however_many_there_are(app: Litestar, join: Join, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(erasure, "BATCH", 2)
    ada = await join("Ada")
    made = [await opened(ada) for _ in range(5)]
    await erased(ada)
    matches: Matches = app.state.matches
    assert {(await matches.get(match_id)).status for match_id in made} == {"ended"}


async def test_matches_are_left_together(join: Join, monkeypatch: pytest.MonkeyPatch) -> None:
    """One after the other, those of somebody who plays much would take longer than an answer may."""
    ada = await join("Ada")
    for _ in range(6):
        await opened(ada)
    change, under_way, most = Matches.change, 0, 0

    async def counted_change(self: Matches, match_id: str, call: Call, decide: Decide) -> Changed:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        try:
            return await change(self, match_id, call, decide)
        finally:
            under_way -= 1

    monkeypatch.setattr(Matches, "change", counted_change)
    await erased(ada)
    assert (most, under_way) == (6, 0)


async def test_a_seat_taken_in_the_same_moment_is_left_too(app: Litestar, join: Join, monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that was let in before the account was gone comes to sit down after the seats were freed."""
    ada, bob = await join("Ada"), await join("Bob")
    match_id, matches, erase = await opened(bob, start="by_host"), app.state.matches, Players.erase

    async def sit_down_and_be_erased(self: Players, player_id: str) -> None:
        def decide(game: AnyGame, match: AnyMatch, world: World) -> tuple[Entry, ...]:
            return lobby.take_seat(game, match, player_id, None, "", world)

        await matches.change(match_id, house_call(), decide)
        await erase(self, player_id)

    monkeypatch.setattr(Players, "erase", sit_down_and_be_erased)
    await erased(ada)
    assert [seat["kind"] for seat in (await view(bob, match_id))["seats"]] == ["player", "open"]


async def test_while_a_match_cannot_be_left_nothing_is_lost_and_it_can_be_tried_again(join: Join, monkeypatch: pytest.MonkeyPatch) -> None:
    ada = await join("Ada")
    await opened(ada)
    change, tries = Matches.change, list[str]()

    async def busy_at_first(self: Matches, match_id: str, call: Call, decide: Decide) -> Changed:
        tries.append(match_id)
        if len(tries) == 1:
            raise Busy
        return await change(self, match_id, call, decide)

    monkeypatch.setattr(Matches, "change", busy_at_first)
    answer = await ada.delete("/v1/players/me")
    assert (answer.status_code, answer.json()["code"], answer.headers["retry-after"]) == (503, "match_busy", "2")
    assert (await ada.get("/v1/players/me")).json()["display_name"] == "Ada"
    await erased(ada)


async def test_nothing_is_left_undone_where_the_process_dies_with_the_account_gone(
    client: httpx.AsyncClient, join: Join, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody could try again then, for nobody is let in as the player any more."""
    ada, bob = await join("Ada"), await join("Bob")
    match_id, erase = await opened(ada, bob, start="by_host"), Players.erase
    assert (await bob.post(f"/v1/matches/{match_id}/messages", json={"text": "My address is a secret."})).is_success

    async def die(self: Players, player_id: str) -> None:
        await erase(self, player_id)
        raise RuntimeError

    monkeypatch.setattr(Players, "erase", die)
    assert (await bob.delete("/v1/players/me")).status_code == 500
    assert (await bob.get("/v1/players/me")).status_code == 401
    assert [seat["kind"] for seat in (await view(client, match_id))["seats"]] == ["player", "open"]
    assert "secret" not in (await ada.get(f"/v1/matches/{match_id}/messages")).text


async def test_who_is_erased_is_not_brought_back_by_a_call_that_came_too_late(app: Litestar, client: httpx.AsyncClient, join: Join) -> None:
    made: Erasure = app.state.erasure
    ada = await join("Ada")
    player_id = await erased(ada)
    for late in (made._players.rename(player_id, "Ada"), made._players.create_token(player_id, held_token(""))):
        with pytest.raises(Erased):
            await late
    await made.erase(player_id)
    assert (await client.get(f"/v1/players/{player_id}")).status_code == 404


async def test_what_an_erased_player_said_is_gone(join: Join) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    opened = (await ada.post("/v1/matches", json={"options": {"game": "pico"}})).json()
    path = f"/v1/matches/{opened['match_id']}"
    await bob.post(f"{path}/seats", json={})
    for player, text in ((ada, "Good luck!"), (bob, "My address is a secret.")):
        assert (await player.post(f"{path}/messages", json={"text": text})).is_success
    assert (await bob.delete("/v1/players/me")).is_success
    told = await ada.get(f"{path}/messages")
    assert "Good luck!" in told.text
    assert "secret" not in told.text
