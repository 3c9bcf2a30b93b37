"""Playing the same again: one new match, however many ask at once, and the old one leads to it."""

import asyncio

import httpx

from tests.service.conftest import Join

SHEEP = {"options": {"game": "black-sheep"}, "seats": 4}


async def played(players: list[httpx.AsyncClient]) -> str:
    """The path of a match that these players have played to its end, each giving up at once."""
    path = f"/v1/matches/{(await players[0].post('/v1/matches', json=SHEEP)).json()['match_id']}"
    for player in players[1:]:
        await player.post(f"{path}/seats", json={})
    for player in players:
        await player.post(f"{path}/resign")
    assert (await players[0].get(path)).json()["status"] == "ended"
    return path


async def test_all_who_ask_at_once_meet_at_one_new_match(join: Join) -> None:
    players = [await join(name) for name in ("Ada", "Bob", "Cid", "Dot")]
    path = await played(players)
    answers = await asyncio.gather(*(player.post(f"{path}/rematch") for player in players))
    assert [answer.status_code for answer in answers] == [201] * 4
    assert len({answer.json()["match_id"] for answer in answers}) == 1
    new = answers[0].json()["match_id"]
    assert [(await player.get(path)).json()["rematch"] for player in players] == [new] * 4
    view = (await players[0].get(f"/v1/matches/{new}")).json()
    assert view["status"] == "playing"
    assert [seat["display_name"] for seat in view["seats"]] == ["Dot", "Ada", "Bob", "Cid"]


async def test_asking_again_is_answered_with_the_same_match(join: Join) -> None:
    players = [await join(name) for name in ("Ada", "Bob", "Cid", "Dot")]
    path = await played(players)
    first, again = [(await players[0].post(f"{path}/rematch")).json() for _ in range(2)]
    assert again["match_id"] == first["match_id"]
    assert again["version"] == first["version"]


async def test_an_offer_that_is_taken_back_binds_nobody(join: Join) -> None:
    players = [await join(name) for name in ("Ada", "Bob", "Cid", "Dot")]
    path = await played(players)
    offered = (await players[0].post(f"{path}/rematch")).json()
    assert (await players[0].delete(f"/v1/matches/{offered['match_id']}/seats/me")).status_code == 204
    assert (await players[1].get(path)).json()["rematch"] is None
    anew = (await players[1].post(f"{path}/rematch")).json()
    assert anew["match_id"] != offered["match_id"]
    assert anew["host"] == (await players[1].get("/v1/players/me")).json()["player_id"]


async def test_strangers_neither_ask_nor_take_a_seat_that_is_kept(join: Join) -> None:
    players = [await join(name) for name in ("Ada", "Bob", "Cid", "Dot")]
    path, eve = await played(players), await join("Eve")
    refused = await eve.post(f"{path}/rematch")
    assert (refused.status_code, refused.json()["code"]) == (403, "not_seated")
    offered = (await players[0].post(f"{path}/rematch")).json()
    refused = await eve.post(f"/v1/matches/{offered['match_id']}/seats", json={})
    assert (refused.status_code, refused.json()["code"]) == (409, "match_full")


async def test_there_is_no_rematch_before_the_end(join: Join) -> None:
    ada = await join("Ada")
    opened = (await ada.post("/v1/matches", json={**SHEEP, "bots": ["easy"] * 3})).json()
    refused = await ada.post(f"/v1/matches/{opened['match_id']}/rematch")
    assert (refused.status_code, refused.json()["code"]) == (409, "match_not_over")
