"""A match as it happens: what the frames tell, in what order, and to whom."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from litestar import Litestar

from service.accounts.players import Player, Players
from service.accounts.tokens import HeldToken
from service.http import heartbeat
from service.http.problems import Trouble
from service.http.routes import stream
from service.http.routes.stream import Streams
from service.live.watch import POLL_SECONDS
from service.store import event_store
from service.store.connections import Connections
from tests.service.conftest import Join
from tests.service.documented import messages

PICO = {"options": {"game": "pico"}}


class Reader:
    """Somebody who reads a stream, frame by frame."""

    def __init__(self, frames: AsyncIterator[bytes]) -> None:
        self._frames = frames

    async def next(self) -> tuple[str | None, dict[str, Any]]:
        """The id and the JSON of the next frame."""
        while True:
            text = (await asyncio.wait_for(anext(self._frames), 30)).decode()
            if found := messages(text):
                return found[0]["id"], json.loads(str(found[0]["data"]))

    async def rest(self) -> list[dict[str, Any]]:
        """All frames to the last."""
        return [json.loads(str(message["data"])) async for text in self._frames for message in messages(text.decode())]


@pytest.fixture
def read(app: Litestar) -> Callable[..., Reader]:
    streams: Streams = app.state["streams"]

    def reading(match_id: str, caller: Player | None = None, cursor: str | None = None) -> Reader:
        return Reader(streams.frames(match_id, caller, HeldToken(None), "somebody", cursor))

    return reading


async def player(app: Litestar, client: httpx.AsyncClient) -> Player:
    """Who this client is, as the service knows them."""
    players: Players = app.state["views"]._players
    found = await players.get((await client.get("/v1/players/me")).json()["player_id"])
    assert found is not None
    return found


async def begun(ada: httpx.AsyncClient, bob: httpx.AsyncClient) -> tuple[str, str]:
    match_id = (await ada.post("/v1/matches", json=PICO)).json()["match_id"]
    await bob.post(f"/v1/matches/{match_id}/seats", json={})
    return match_id, f"/v1/matches/{match_id}"


async def commit(client: httpx.AsyncClient, path: str) -> int:
    [decision] = (await client.get(path)).json()["decisions"]
    answer = await client.post(f"{path}/commands", json={"command": decision["choices"][0]})
    return int(answer.json()["version"])


async def test_a_stream_begins_with_a_snapshot_and_tells_each_event_once(join: Join, read: Callable[..., Reader]) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    match_id, path = await begun(ada, bob)
    reader = read(match_id)
    at, frame = await reader.next()
    assert (frame["frame"], at) == ("snapshot", str(frame["view"]["version"]))
    await commit(ada, path)
    version = await commit(bob, path)
    told = [await reader.next() for _ in range(version - frame["view"]["version"])]
    assert [(at, frame["frame"], frame["item"]["version"]) for at, frame in told] == [
        (str(number), "event", number) for number in range(frame["view"]["version"] + 1, version + 1)
    ]
    page = (await bob.get(f"{path}/events", params={"after": frame["view"]["version"]})).json()
    assert [frame["item"]["event"]["type"] for _, frame in told] == [item["event"]["type"] for item in page["items"]]


async def test_a_secret_choice_is_told_to_nobody_but_its_maker(app: Litestar, join: Join, read: Callable[..., Reader]) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    match_id, path = await begun(ada, bob)
    readers = [read(match_id, who) for who in (await player(app, ada), await player(app, bob), None)]
    for reader in readers:
        await reader.next()
    await commit(ada, path)
    cards = [(await reader.next())[1]["item"]["event"]["card"] for reader in readers]
    assert cards[0] is not None
    assert cards[1:] == [None, None]


async def test_a_reader_who_comes_back_misses_nothing_and_hears_nothing_twice(join: Join, read: Callable[..., Reader]) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    match_id, path = await begun(ada, bob)
    had, _ = await read(match_id).next()
    for _ in range(3):
        await commit(ada, path)
        version = await commit(bob, path)
    reader = read(match_id, cursor=had)
    assert await reader.next() == (had, {"frame": "resumed", "version": int(str(had))})
    assert [(await reader.next())[0] for _ in range(version - int(str(had)))] == [str(n) for n in range(int(str(had)) + 1, version + 1)]


@pytest.mark.parametrize("cursor", ["999", "-1", "x", "", "1e3", "9" * 30, "٣"])
async def test_a_cursor_that_is_not_of_this_match_resets(join: Join, read: Callable[..., Reader], cursor: str) -> None:
    match_id, _ = await begun(await join("Ada"), await join("Bob"))
    at, frame = await read(match_id, cursor=cursor).next()
    assert (frame["frame"], at) == ("reset", str(frame["view"]["version"]))


async def test_a_cursor_too_far_back_resets(join: Join, read: Callable[..., Reader], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "PAGE_MAX", 3)
    match_id, _ = await begun(await join("Ada"), await join("Bob"))
    assert (await read(match_id, cursor="0").next())[1]["frame"] == "reset"


async def test_the_end_is_the_last_event_and_there_is_nothing_after_it(join: Join, read: Callable[..., Reader]) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    match_id, path = await begun(ada, bob)
    reader = read(match_id)
    await reader.next()
    await ada.post(f"{path}/resign")
    rest = await reader.rest()
    assert [frame["frame"] for frame in rest] == ["event", "event", "bye"]
    assert rest[1]["item"]["event"]["type"] == "match.ended"
    assert rest[2] == {"frame": "bye", "reason": "ended"}
    version = (await ada.get(path)).json()["version"]
    assert (await ada.get(f"{path}/stream", headers={"Last-Event-ID": str(version)})).status_code == 204
    assert len(messages((await ada.get(f"{path}/stream", params={"after": version - 1})).text)) == 3
    again = await ada.get(f"{path}/stream", params={"after": 0}, headers={"Last-Event-ID": str(version)})
    assert again.status_code == 204, "a stream that is opened again begins where it stopped, not where it began at first"


async def test_who_may_not_know_of_the_match_any_more_is_told_goodbye(app: Litestar, join: Join, read: Callable[..., Reader]) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    opened = (await ada.post("/v1/matches", json={**PICO, "visibility": "private", "start": "by_host"})).json()
    path = f"/v1/matches/{opened['match_id']}"
    await bob.post(f"{path}/seats", json={"invite": opened["invite"]})
    reader = read(opened["match_id"], await player(app, bob))
    assert (await reader.next())[1]["view"]["you"] == 1
    await bob.delete(f"{path}/seats/me")
    assert await reader.rest() == [{"frame": "bye", "reason": "gone"}]


async def test_a_stopping_process_says_goodbye_at_once(app: Litestar, join: Join, read: Callable[..., Reader]) -> None:
    match_id, _ = await begun(await join("Ada"), await join("Bob"))
    reader = read(match_id)
    await reader.next()
    app.state["watch"].close()
    assert await reader.rest() == [{"frame": "bye", "reason": "shutdown"}]


async def test_a_reader_who_is_too_slow_is_told_goodbye_and_goes_on_where_they_were(
    app: Litestar, join: Join, read: Callable[..., Reader], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.http.frames.SLOW_SECONDS", 0.1)
    ada, bob = await join("Ada"), await join("Bob")
    match_id, path = await begun(ada, bob)
    taken: list[Any] = []
    flows, never = asyncio.Event(), asyncio.Event()
    flows.set()

    async def receive() -> Any:
        await never.wait()

    came, given_up = asyncio.Semaphore(0), asyncio.Event()

    async def send(message: Any) -> None:
        try:
            await flows.wait()
        except asyncio.CancelledError:
            given_up.set()
            raise
        taken.append(message)
        came.release()

    scope: Any = {"type": "http", "method": "GET", "path": f"{path}/stream", "raw_path": f"{path}/stream".encode()}
    scope |= {"query_string": b"", "root_path": "", "headers": [], "client": ("127.0.0.1", 1), "asgi": {"version": "3.0"}}
    reading = asyncio.create_task(app(scope, receive, send))
    await came.acquire()
    await came.acquire()
    await commit(ada, path)
    await came.acquire()
    flows.clear()
    await commit(bob, path)
    await asyncio.wait_for(given_up.wait(), 30)
    flows.set()
    await asyncio.wait_for(reading, 30)
    frames = [(found["id"], json.loads(str(found["data"]))) for each in taken[1:] for found in messages(each["body"].decode())]
    assert [frame["frame"] for _, frame in frames] == ["snapshot", "event", "bye"]
    assert frames[-1][1]["reason"] == "slow"
    assert taken[-1]["more_body"] is False
    streams: Streams = app.state["streams"]
    assert not streams._open
    rest = read(match_id, cursor=frames[1][0])
    assert (await rest.next())[1]["frame"] == "resumed"
    assert (await rest.next())[1]["item"]["version"] == int(str(frames[1][0])) + 1


async def test_however_many_streams_wait_the_database_is_asked_once_for_all(
    app: Litestar, join: Join, read: Callable[..., Reader], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heartbeat, "HEARTBEAT_SECONDS", 0.02)
    ada, bob = await join("Ada"), await join("Bob")
    readers = [read(match_id) for match_id, _ in [await begun(ada, bob) for _ in range(3)] for _ in range(5)]
    beats = asyncio.Semaphore(0)

    async def listen(reader: Reader) -> None:
        async for _ in reader._frames:
            beats.release()

    listening = [asyncio.create_task(listen(reader)) for reader in readers]
    for _ in readers:
        await beats.acquire()
    asked: list[str] = []
    rows = Connections.rows

    async def counted(self: Connections, statement: str, *arguments: Any) -> Any:
        asked.append(statement)
        return await rows(self, statement, *arguments)

    monkeypatch.setattr(Connections, "rows", counted)
    began = time.monotonic()
    for _ in range(300):
        await beats.acquire()
    looks = sum(statement in (event_store.VERSIONS, event_store.EVENTS, event_store.LOAD) for statement in asked)
    assert looks <= 2 + (time.monotonic() - began) / POLL_SECONDS
    app.state["watch"].close()
    await asyncio.gather(*listening)


async def test_streams_turn_over_after_a_while(join: Join, read: Callable[..., Reader], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "ROTATE_SECONDS", 0.01)
    monkeypatch.setattr(heartbeat, "HEARTBEAT_SECONDS", 0.05)
    match_id, _ = await begun(await join("Ada"), await join("Bob"))
    assert [frame["frame"] for frame in await read(match_id).rest()] == ["snapshot", "bye"]


async def test_one_caller_has_so_many_streams_and_no_more(app: Litestar, join: Join, read: Callable[..., Reader]) -> None:
    match_id, _ = await begun(await join("Ada"), await join("Bob"))
    streams: Streams = app.state["streams"]
    player = Player("ply_1", "Ada", datetime.now(UTC))
    readers = [read(match_id) for _ in range(stream.STREAMS_MAX)]
    for reader in readers:
        await reader.next()
    with pytest.raises(Trouble, match="too_many_streams"):
        streams.require_room("somebody", player)
    streams.require_room("somebody else", player)
    await readers[0]._frames.aclose()  # type: ignore[attr-defined]
    streams.require_room("somebody", player)


async def test_an_address_without_a_token_has_more_streams_and_not_without_end(
    app: Litestar, join: Join, read: Callable[..., Reader], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "ADDRESS_STREAMS_MAX", stream.STREAMS_MAX + 1)
    match_id, _ = await begun(await join("Ada"), await join("Bob"))
    streams: Streams = app.state["streams"]
    readers = [read(match_id) for _ in range(stream.STREAMS_MAX + 1)]
    for reader in readers:
        streams.require_room("somebody", None)
        await reader.next()
    with pytest.raises(Trouble, match="too_many_streams"):
        streams.require_room("somebody", None)


async def test_a_ticket_is_good_once_for_its_player_and_its_match(client: httpx.AsyncClient, join: Join) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    match_id, path = await begun(ada, bob)
    other, _ = await begun(ada, bob)
    await ada.post(f"{path}/resign")
    await ada.post(f"/v1/matches/{other}/resign")
    tickets = [(await bob.post("/v1/stream-tickets", json={"match_id": match_id})).json()["ticket"] for _ in range(2)]
    wrong = await client.get(f"/v1/matches/{other}/stream", params={"ticket": tickets[0]})
    assert (wrong.status_code, wrong.json()["code"]) == (401, "ticket_not_valid")
    [snapshot, _] = messages((await client.get(f"{path}/stream", params={"ticket": tickets[0]})).text)
    assert json.loads(str(snapshot["data"]))["view"]["you"] == 1
    answers = await asyncio.gather(*(client.get(f"{path}/stream", params={"ticket": tickets[1]}) for _ in range(5)))
    assert sorted(answer.status_code for answer in answers) == [200, 401, 401, 401, 401]


async def test_a_ticket_to_a_private_match_is_not_to_be_had_by_strangers(join: Join) -> None:
    ada, eve = await join("Ada"), await join("Eve")
    opened = (await ada.post("/v1/matches", json={**PICO, "visibility": "private"})).json()
    assert (await eve.post("/v1/stream-tickets", json={"match_id": opened["match_id"]})).status_code == 404
