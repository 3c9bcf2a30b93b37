"""What waits for a player: told as a list, held until it changes, and streamed, whoever changes it."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from litestar import Litestar

from service import settings
from service.accounts.tokens import HeldToken
from service.app import create_app
from service.http.routes import stream
from service.http.routes.turns import turn_frames
from service.turns import Turns
from tests.service.conftest import Join, bearing, inside, running
from tests.service.documented import messages
from tests.service.test_stream import PICO, begun, commit, player

PAGE = "/v1/players/me/turns"


async def turns(client: httpx.AsyncClient) -> list[Any]:
    return list((await client.get(PAGE)).json()["items"])


async def test_a_match_waits_for_those_who_owe_a_choice_and_for_nobody_else(join: Join) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    match_id, path = await begun(ada, bob)
    view = (await ada.get(path)).json()
    [decision] = view["decisions"]
    assert await turns(ada) == [
        {
            "kind": "turn",
            "match_id": match_id,
            "game": "pico",
            "seat": 0,
            "decision": decision["decision"],
            "since": view["version"],
            "deadline_at": decision["deadline_at"],
        }
    ]
    assert [turn["seat"] for turn in await turns(bob)] == [1]
    assert await turns(await join("Eve")) == []
    await commit(ada, path)
    assert await turns(ada) == []
    assert len(await turns(bob)) == 1
    await bob.post(f"{path}/resign")
    assert await turns(ada) == await turns(bob) == []


async def test_a_match_that_has_not_begun_waits_for_no_choice(join: Join) -> None:
    ada = await join("Ada")
    await ada.post("/v1/matches", json=PICO)
    assert await turns(ada) == []


async def test_the_most_urgent_come_first_and_those_without_a_clock_last(join: Join) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    asked = []
    for clock in (None, 900, 60, 300):
        terms = {**PICO, "visibility": "private", "clock": None if clock is None else {"turn_seconds": clock}}
        opened = (await ada.post("/v1/matches", json=terms)).json()
        await bob.post(f"/v1/matches/{opened['match_id']}/seats", json={"invite": opened["invite"]})
        asked.append(opened["match_id"])
    order = [asked[2], asked[3], asked[1], asked[0]]
    assert [turn["match_id"] for turn in await turns(ada)] == order
    assert (await turns(ada))[-1]["deadline_at"] is None
    found: list[str] = []
    query: dict[str, Any] = {"limit": 3}
    while query.get("cursor", "") is not None:
        page = (await ada.get(PAGE, params=query)).json()
        found += [turn["match_id"] for turn in page["items"]]
        query["cursor"] = page["next_cursor"]
    assert found == order
    bobs = (await bob.get(PAGE, params={"limit": 1})).json()["next_cursor"]
    assert (await ada.get(PAGE, params={"cursor": bobs})).json()["code"] == "invalid_parameter"


async def test_with_wait_it_comes_when_something_waits(join: Join) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    match_id = (await ada.post("/v1/matches", json=PICO)).json()["match_id"]
    waiting = asyncio.create_task(ada.get(PAGE, params={"wait": 20}))
    await asyncio.sleep(0.1)
    assert not waiting.done()
    await bob.post(f"/v1/matches/{match_id}/seats", json={})
    answer = await asyncio.wait_for(waiting, 25)
    assert [turn["match_id"] for turn in answer.json()["items"]] == [match_id]


async def test_with_wait_and_the_list_that_one_has_it_comes_when_that_changes(join: Join) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    _, path = await begun(ada, bob)
    known = {"If-None-Match": (await ada.get(PAGE)).headers["ETag"]}
    assert (await ada.get(PAGE, params={"wait": 1}, headers=known)).status_code == 304
    waiting = asyncio.create_task(ada.get(PAGE, params={"wait": 20}, headers=known))
    await commit(ada, path)
    answer = await asyncio.wait_for(waiting, 25)
    assert (answer.status_code, answer.json()["items"]) == (200, [])


async def told(frames: AsyncIterator[bytes]) -> dict[str, Any]:
    while True:
        if found := messages((await asyncio.wait_for(anext(frames), 30)).decode()):
            return dict(json.loads(str(found[0]["data"])))


async def test_a_stream_begins_with_everything_and_tells_each_change(app: Litestar, join: Join) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    first, path = await begun(ada, bob)
    service: Turns = app.state["turns"]
    frames = turn_frames(service, app.state["listeners"], await player(app, ada), HeldToken(None))
    opening = await told(frames)
    assert (opening["frame"], [turn["match_id"] for turn in opening["items"]]) == ("turns", [first])
    await commit(ada, path)
    assert await told(frames) == {"frame": "done", "match_id": first}
    second, _ = await begun(ada, bob)
    frame = await told(frames)
    assert (frame["frame"], frame["turn"]["match_id"]) == ("turn", second)
    await commit(bob, path)
    assert (await told(frames))["turn"]["match_id"] == first
    service.watch.close()
    assert await told(frames) == {"frame": "bye", "reason": "shutdown"}
    with pytest.raises(StopAsyncIteration):
        await anext(frames)


async def test_what_happens_in_another_process_is_told_too(app: Litestar, database_url: str, join: Join) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    service: Turns = app.state["turns"]
    frames = turn_frames(service, app.state["listeners"], await player(app, ada), HeldToken(None))
    assert await told(frames) == {"frame": "turns", "items": []}
    async with running(create_app(settings.read({"DATABASE_URL": database_url}))) as other:
        over_there = [bearing(inside(other), client.headers["Authorization"].removeprefix("Bearer ")) for client in (ada, bob)]
        match_id, _ = await begun(*over_there)
        assert (await told(frames))["turn"]["match_id"] == match_id
    await frames.aclose()


async def test_a_ticket_opens_the_stream_of_its_player_once(client: httpx.AsyncClient, join: Join, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "ROTATE_SECONDS", -1)
    ada, bob = await join("Ada"), await join("Bob")
    match_id, _ = await begun(ada, bob)
    path = f"{PAGE}/stream"
    ticket = (await ada.post("/v1/stream-tickets", json={})).json()["ticket"]
    frames = [json.loads(str(each["data"])) for each in messages((await client.get(path, params={"ticket": ticket})).text)]
    assert [frame["frame"] for frame in frames] == ["turns", "bye"]
    assert frames[0]["items"][0]["seat"] == 0
    assert (await client.get(path, params={"ticket": ticket})).json()["code"] == "ticket_not_valid"
    of_a_match = (await ada.post("/v1/stream-tickets", json={"match_id": match_id})).json()["ticket"]
    assert (await client.get(path, params={"ticket": of_a_match})).status_code == 401
    assert (await client.get(path)).json()["code"] == "not_authenticated"


async def test_who_waits_in_vain_looks_once(app: Litestar, join: Join, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the time of many is up in the same moment there is nothing to look at again."""
    ada, turns, looks = await join("Ada"), app.state["turns"], 0
    of = turns.of

    async def looked(*arguments: Any) -> Any:
        nonlocal looks
        looks += 1
        return await of(*arguments)

    monkeypatch.setattr(turns, "of", looked)
    answer = await ada.get("/v1/players/me/turns", params={"wait": 1})
    assert (answer.json()["items"], looks) == ([], 1)


async def test_who_is_woken_by_the_same_move_shares_one_look(app: Litestar, join: Join, monkeypatch: pytest.MonkeyPatch) -> None:
    ada, turns = await join("Ada"), app.state["turns"]
    player_id = (await ada.get("/v1/players/me")).json()["player_id"]
    of, ask, looks, questions = turns.of, turns._store.turns, 0, 0
    all_wait, all_looked_again = asyncio.Event(), asyncio.Event()

    async def looked(*arguments: Any) -> Any:
        nonlocal looks
        found = await of(*arguments)
        looks += 1
        if looks == len(waiting):
            all_wait.set()
        if looks == 2 * len(waiting):
            all_looked_again.set()
        return found

    async def asked(*arguments: Any) -> Any:
        nonlocal questions
        questions += 1
        return await ask(*arguments)

    monkeypatch.setattr(turns, "of", looked)
    waiting = [asyncio.create_task(ada.get("/v1/players/me/turns", params={"wait": 25})) for _ in range(8)]
    await all_wait.wait()
    monkeypatch.setattr(turns._store, "turns", asked)
    turns.watch.moved(player_id)
    await all_looked_again.wait()
    assert questions <= 2
    turns.watch.close()
    assert {answer.text for answer in await asyncio.gather(*waiting)} == {'{"items":[],"next_cursor":null}'}
