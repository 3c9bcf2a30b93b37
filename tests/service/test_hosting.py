"""What a host does over HTTP before the start, and what others are told who try."""

import asyncio

import httpx
import pytest

from tests.service.conftest import Join

SHEEP = {"options": {"game": "black-sheep"}, "seats": 4, "start": "by_host"}


async def opened(host: httpx.AsyncClient) -> str:
    return f"/v1/matches/{(await host.post('/v1/matches', json=SHEEP)).json()['match_id']}"


def problem(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


@pytest.mark.parametrize("how", [{}, {"json": {}}, {"json": {"fill_with_bots": None}}], ids=["no body", "empty", "null"])
async def test_a_match_is_started_with_or_without_a_body(join: Join, how: dict[str, object]) -> None:
    players = [await join(name) for name in ("Ada", "Bob", "Cid", "Dot")]
    path = await opened(players[0])
    assert problem(await players[0].post(f"{path}/start", **how)) == (409, "seats_open")  # type: ignore[arg-type]
    for player in players[1:]:
        await player.post(f"{path}/seats", json={})
    assert problem(await players[1].post(f"{path}/start", **how)) == (403, "not_host")  # type: ignore[arg-type]
    assert (await players[0].post(f"{path}/start", **how)).json()["status"] == "playing"  # type: ignore[arg-type]


async def test_open_seats_are_filled_with_bots_of_a_level_that_there_is(join: Join) -> None:
    ada = await join("Ada")
    path = await opened(ada)
    refused = await ada.post(f"{path}/start", json={"fill_with_bots": "godlike"})
    assert problem(refused) == (422, "no_such_level")
    assert "There are `easy`, `normal`." in refused.json()["errors"][0]["detail"]
    view = (await ada.post(f"{path}/start", json={"fill_with_bots": "normal"})).json()
    assert [(seat["kind"], seat["bot_level"]) for seat in view["seats"]] == [("player", None), *[("bot", "normal")] * 3]


async def test_a_seat_that_is_not_there_is_told_where_it_was_asked_for(join: Join) -> None:
    ada = await join("Ada")
    path = await opened(ada)
    refused = await ada.post(f"{path}/seats/9/bot", json={"level": "easy"})
    assert problem(refused) == (422, "no_such_seat")
    assert [(fault["source"], fault["pointer"]) for fault in refused.json()["errors"]] == [("path", "/seat")]
    bob = await join("Bob")
    refused = await bob.post(f"{path}/seats", json={"seat": 9})
    assert [(fault["source"], fault["pointer"]) for fault in refused.json()["errors"]] == [("body", "/seat")]


async def test_a_player_who_was_removed_has_nothing_of_the_seat_any_more(join: Join) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    path = await opened(ada)
    await bob.post(f"{path}/seats", json={})
    assert problem(await bob.delete(f"{path}/seats/0/player")) == (403, "not_host")
    view = (await ada.delete(f"{path}/seats/1/player")).json()
    assert view["seats"][1]["kind"] == "open"
    assert problem(await bob.delete(f"{path}/seats/me")) == (403, "not_seated")
    assert (await bob.get(path)).json()["you"] is None


async def test_the_last_seat_goes_to_a_bot_or_to_a_person_and_never_to_both(join: Join) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    for _ in range(5):
        path = f"/v1/matches/{(await ada.post('/v1/matches', json={'options': {'game': 'pico'}})).json()['match_id']}"
        answers = await asyncio.gather(ada.post(f"{path}/seats/1/bot", json={"level": "easy"}), bob.post(f"{path}/seats", json={}))
        assert sorted(answer.status_code for answer in answers) == [200, 409]
        assert (await ada.get(path)).json()["status"] == "playing"


async def test_leaving_and_starting_at_once_leaves_no_match_without_its_players(join: Join) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    for _ in range(5):
        asked = {"options": {"game": "pico"}, "start": "by_host"}
        path = f"/v1/matches/{(await ada.post('/v1/matches', json=asked)).json()['match_id']}"
        await bob.post(f"{path}/seats", json={})
        started, left = await asyncio.gather(ada.post(f"{path}/start"), bob.delete(f"{path}/seats/me"))
        view = (await ada.get(path)).json()
        assert (started.status_code, left.status_code) in ((200, 409), (409, 204))
        assert view["status"] == ("playing" if started.status_code == 200 else "open")
        assert (view["seats"][1]["kind"] == "player") == (view["status"] == "playing")


@pytest.mark.parametrize("seat", ["1_0", "+1", "%201", "01", "%D9%A1"])
async def test_a_seat_is_a_number_as_everybody_writes_it(join: Join, seat: str) -> None:
    """Python reads all of these as numbers; the document knows them not."""
    ada = await join("Ada")
    path = await opened(ada)
    refused = await ada.post(f"{path}/seats/{seat}/bot", json={"level": "easy"})
    assert problem(refused)[1] == "invalid_parameter"
    assert [(fault["source"], fault["pointer"]) for fault in refused.json()["errors"]] == [("path", "/seat")]
