"""Playing the same again: one new match, however many ask at once, and the old one leads to it."""

import asyncio
from datetime import datetime, timedelta
from typing import Any
from unittest.mock import ANY

import httpx
from litestar import Litestar

from service import settings
from service.accounts.tokens import HeldToken
from service.app import create_app
from service.http.routes.turns import turn_frames
from tests.service import test_stream
from tests.service.conftest import Join, bearing, inside, running
from tests.service.test_direct import BY_THE_FRAMEWORK
from tests.service.test_listeners import TURNS
from tests.service.test_turns import told

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


async def of_two(ada: httpx.AsyncClient, bob: httpx.AsyncClient) -> str:
    """The path of a match of Pico that bob has given up."""
    path = f"/v1/matches/{(await ada.post('/v1/matches', json={'options': {'game': 'pico'}})).json()['match_id']}"
    await bob.post(f"{path}/seats", json={})
    assert (await bob.post(f"{path}/resign")).json()["status"] == "ended"
    return path


async def waiting(player: httpx.AsyncClient) -> list[Any]:
    """What waits for this player."""
    return list((await player.get("/v1/players/me/turns")).json()["items"])


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
    for body in ({}, {"seat": 2}):
        refused = await eve.post(f"/v1/matches/{offered['match_id']}/seats", json=body)
        assert (refused.status_code, refused.json()["code"]) == (409, "seat_kept")
    refused = await eve.post(f"/v1/matches/{offered['match_id']}/seats", json={"seat": 1})
    assert refused.json()["code"] == "seat_taken"


async def test_everybody_sees_for_whom_an_open_seat_is_kept(join: Join, client: httpx.AsyncClient) -> None:
    players = [await join(name) for name in ("Ada", "Bob", "Cid", "Dot")]
    path = await played(players)
    dot, _, bob, cid = [(await player.get("/v1/players/me")).json()["player_id"] for player in (players[3], *players[:3])]
    offered = (await players[0].post(f"{path}/rematch")).json()
    assert [(seat["kind"], seat["display_name"], seat["kept_for"]) for seat in offered["seats"]] == [
        ("open", "Dot", dot),
        ("player", "Ada", None),
        ("open", "Bob", bob),
        ("open", "Cid", cid),
    ]
    [listed] = (await client.get("/v1/matches", params={"status": "open"})).json()["items"]
    assert (listed["seats"], listed["seats_open"]) == (offered["seats"], 0)
    begun = [await player.post(f"{path}/rematch") for player in players][-1].json()
    assert (begun["status"], [seat["kept_for"] for seat in begun["seats"]]) == ("playing", [None] * 4)


async def test_a_rematch_waits_for_its_players_at_their_own_page(join: Join) -> None:
    ada, bob, cid, dot = players = [await join(name) for name in ("Ada", "Bob", "Cid", "Dot")]
    path = await played(players)
    offered = (await ada.post(f"{path}/rematch")).json()
    assert await waiting(bob) == [
        {
            "kind": "invitation",
            "match_id": offered["match_id"],
            "game": "black-sheep",
            "seat": 2,
            "rematch_of": path.removeprefix("/v1/matches/"),
            "host": offered["host"],
            "host_name": "Ada",
            "deadline_at": ANY,
        }
    ]
    [invitation] = await waiting(bob)
    opened, until = (datetime.fromisoformat(text) for text in (offered["server_time"], invitation["deadline_at"]))
    assert abs(until - opened - timedelta(days=1)) < timedelta(minutes=1)
    assert await waiting(ada) == await waiting(await join("Eve")) == []
    await bob.post(f"/v1/matches/{offered['match_id']}/seats", json={})
    assert await waiting(bob) == []
    for player in (cid, dot):
        await player.post(f"{path}/rematch")
    kinds = [turn["kind"] for player in players for turn in await waiting(player)]
    assert kinds == ["turn"], "one of them leads"


async def test_who_follows_their_page_hears_of_a_rematch_as_it_is_asked_for_and_taken_back(app: Litestar, join: Join) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    path = await of_two(ada, bob)
    frames = turn_frames(app.state["turns"], app.state["listeners"], await test_stream.player(app, bob), HeldToken(None))
    assert await told(frames) == {"frame": "turns", "items": []}
    new = (await ada.post(f"{path}/rematch")).json()["match_id"]
    frame = await told(frames)
    assert (frame["frame"], frame["invitation"]["match_id"], frame["invitation"]["host_name"]) == ("invitation", new, "Ada")
    await ada.delete(f"/v1/matches/{new}/seats/me")
    assert await told(frames) == {"frame": "done", "match_id": new}
    again = (await ada.post(f"{path}/rematch")).json()["match_id"]
    assert (await told(frames))["invitation"]["match_id"] == again
    await bob.post(f"{path}/rematch")
    frame = await told(frames)
    assert (frame["frame"], frame["turn"]["match_id"]) == ("turn", again), "what it waits for now stands for what it waited for"
    await frames.aclose()


async def test_what_is_asked_for_in_another_process_is_heard_of_too(app: Litestar, database_url: str, join: Join) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    path = await of_two(ada, bob)
    frames = turn_frames(app.state["turns"], app.state["listeners"], await test_stream.player(app, bob), HeldToken(None))
    assert (await told(frames))["items"] == []
    async with running(create_app(settings.read({"DATABASE_URL": database_url}))) as other:
        over_there = bearing(inside(other), ada.headers["Authorization"].removeprefix("Bearer "))
        new = (await over_there.post(f"{path}/rematch")).json()["match_id"]
        assert (await told(frames))["invitation"]["match_id"] == new
    await frames.aclose()


async def test_of_two_one_declines_and_the_offer_is_void(join: Join) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    path = await of_two(ada, bob)
    offered = (await ada.post(f"{path}/rematch")).json()
    new = f"/v1/matches/{offered['match_id']}"
    heard = asyncio.create_task(ada.get(f"{new}/events", params={"after": offered["version"], "wait": 20}))
    assert (await bob.delete(f"{new}/seats/me")).status_code == 204
    left, ended = [item["event"] for item in (await heard).json()["items"]]
    assert (left["type"], left["seat"]) == ("match.seat_declined", 0)
    assert left["player_id"] == (await bob.get("/v1/players/me")).json()["player_id"]
    assert (ended["type"], ended["reason"]) == ("match.ended", "declined")
    assert (await waiting(bob), (await ada.get(path)).json()["rematch"]) == ([], None)
    assert (await bob.post(f"{path}/rematch")).json()["match_id"] != offered["match_id"], "who changes their mind asks themselves"


async def test_those_whom_a_private_rematch_waits_for_know_of_it_until_they_decline(join: Join) -> None:
    ada, bob, cid = [await join(name) for name in ("Ada", "Bob", "Cid")]
    opened = (await ada.post("/v1/matches", json={"options": {"game": "wolves"}, "seats": 3, "visibility": "private"})).json()
    path = f"/v1/matches/{opened['match_id']}"
    for player in (bob, cid):
        await player.post(f"{path}/seats", json={"invite": opened["invite"]})
    for player in (ada, bob, cid):
        await player.post(f"{path}/resign")
    new = f"/v1/matches/{(await ada.post(f'{path}/rematch')).json()['match_id']}"
    eve = await join("Eve")
    assert [(await player.get(new)).status_code for player in (bob, cid, eve)] == [200, 200, 404]
    assert [len((await player.get("/v1/matches?status=open")).json()["items"]) for player in (bob, eve)] == [1, 0]
    await bob.delete(f"{new}/seats/me")
    assert (await bob.get(new)).status_code == 404
    assert (await cid.post(f"{new}/seats", json={})).json()["you"] == 0


async def test_whoever_erases_their_account_is_waited_for_no_more(join: Join) -> None:
    ada, bob, cid = [await join(name) for name in ("Ada", "Bob", "Cid")]
    path = await of_two(ada, bob)
    new = f"/v1/matches/{(await ada.post(f'{path}/rematch')).json()['match_id']}"
    await bob.delete("/v1/players/me")
    assert (await ada.get(new)).json()["result"]["reason"] == "declined"
    anew = (await ada.post(f"{path}/rematch")).json()
    assert [seat["kept_for"] for seat in anew["seats"]] == [None, None]
    assert (await cid.post(f"/v1/matches/{anew['match_id']}/seats", json={})).json()["status"] == "playing"


async def test_there_is_no_rematch_before_the_end(join: Join) -> None:
    ada = await join("Ada")
    opened = (await ada.post("/v1/matches", json={**SHEEP, "bots": ["easy"] * 3})).json()
    refused = await ada.post(f"/v1/matches/{opened['match_id']}/rematch")
    assert (refused.status_code, refused.json()["code"]) == (409, "match_not_over")


async def told_of_rematch(player: httpx.AsyncClient, old: str, new: str) -> bool:
    """Whether this player is told that `new` is the rematch of this match: wherever it is shown, or else nowhere at all."""
    version = (await player.get(old)).json()["version"]
    shown = [(old, headers) for headers in ([], BY_THE_FRAMEWORK)]
    shown += [(f"{old}/stream{query}", headers) for query in ("", "?after=9999") for headers in ([], BY_THE_FRAMEWORK)]
    views = [(await player.get(path, headers=headers)).text for path, headers in [*shown, (f"{old}?at_version={version}", [])]]
    others = [f"{old}/{path}" for path in ("events", "messages", "record", "proof")] + ["/v1/matches", "/v1/matches?mine=true", TURNS]
    everything = [*views, *[(await player.get(path)).text for path in others]]
    told = new in views[0]
    assert [f'"rematch":"{new}"' in each for each in views] == [told] * len(views)
    assert told or all(new not in each and '"rematch_of":"' not in each for each in everything)
    return told


async def test_whom_the_host_has_removed_from_a_private_rematch_needs_its_new_code(join: Join) -> None:
    """Else no host could keep anybody out; who has only declined may change their mind."""
    players = [await join(name) for name in ("Ada", "Bob", "Cid", "Dot")]
    ada, bob, cid, _ = players
    opened = (await ada.post("/v1/matches", json={**SHEEP, "visibility": "private"})).json()
    old = f"/v1/matches/{opened['match_id']}"
    for player in players[1:]:
        await player.post(f"{old}/seats", json={"invite": opened["invite"]})
    for player in players:
        await player.post(f"{old}/resign")
    new_id = (await ada.post(f"{old}/rematch")).json()["match_id"]
    new = f"/v1/matches/{new_id}"
    await cid.post(f"{old}/rematch")
    # Bob has not come yet, and Cid has.
    for seat in (2, 3):
        assert (await ada.delete(f"{new}/seats/{seat}/player")).status_code == 200
    code = (await ada.post(f"{new}/invite", json={})).json()["invite"]
    assert [await told_of_rematch(player, old, new_id) for player in players] == [True, False, False, True]
    for removed in (bob, cid):
        for headers in ({}, {"Idempotency-Key": "again"}, {"Idempotency-Key": "again"}):
            answer = await removed.post(f"{old}/rematch", headers=headers)
            assert (answer.status_code, answer.json()["code"]) == (404, "match_not_found")
    assert (await bob.post(f"{new}/seats", json={"invite": code})).status_code == 200
    assert await told_of_rematch(bob, old, new_id)
    assert (await bob.delete(f"{new}/seats/me")).status_code == 204
    assert await told_of_rematch(bob, old, new_id)
    assert (await bob.post(f"{old}/rematch")).status_code == 201, "the host has let them in again, and they have left by themselves"
