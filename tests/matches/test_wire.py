"""The wire between processes: it tells soon, is only ever a hint, comes back by itself, and never keeps a process from stopping."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from functools import partial
from typing import Any
from uuid import uuid4

import pytest

from service.held import stream_of
from service.live import watch as watching
from service.live import wire as wiring
from service.live.watch import Watch
from service.live.wire import KEYS_MAX, Wire
from service.matches import Matches
from service.store import EventStore, StoreAway, event_store, hints, writer
from service.store.connections import Connections
from service.store.hints import Hints
from tests.matches.conftest import Process, hand
from tests.matches.test_live import PATIENCE_SECONDS, rung
from tests.store.proxy import proxy_to

MOVES = 16
"""A machine that is busy is late with most of them, and not with all."""


@pytest.fixture(autouse=True)
def _lively(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wiring, "PROBE_SECONDS", 0.3)
    monkeypatch.setattr(wiring, "PAUSES_SECONDS", (0.05, 0.2))


async def until(true: Callable[[], bool]) -> None:
    gives_up = time.monotonic() + PATIENCE_SECONDS
    while not true():
        assert time.monotonic() < gives_up, "it does not come"
        await asyncio.sleep(0.01)


class Ear:
    """What another process's wire has told so far."""

    def __init__(self, wire: Wire) -> None:
        self.heard: list[Collection[str] | None] = []
        wire.when_heard(self.heard.append)

    def knows(self, key: str) -> bool:
        return key in self.keys

    @property
    def keys(self) -> set[str]:
        return {key for keys in self.heard if keys is not None for key in keys}


@asynccontextmanager
async def wired(url: str) -> AsyncIterator[Process]:
    store = await EventStore.connect(url)
    async with Wire(url) as wire, Watch(store.versions, wire) as watch:
        await until(lambda: wire.sound)
        yield Process(store, watch, Matches(store, watch))
    await store.close()


async def test_another_process_hears_at_once_and_hardly_looks(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "SOUND_POLL_SECONDS", 60)
    async with wired(database_url) as here, wired(database_url) as there:
        match, took = await here.begun(), list[float]()
        while not took or min(took) > 0.4:
            assert len(took) < MOVES, f"an append, a text of what happened within 20 ms, and its way: {took}"
            for player in ("ann", "bob"):
                match = await here.matches.get(match.match_id)
                took.append(await rung(there, match.match_id, here.choose(match.match_id, player, hand(match, player)[0])))


async def test_many_that_move_are_told_in_few_texts(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []
    send = Hints.send

    async def counted(self: Hints, text: str) -> float:
        sent.append(text)
        return await send(self, text)

    monkeypatch.setattr(Hints, "send", counted)
    async with Wire(database_url) as here, Wire(database_url) as there:
        await until(lambda: here.sound and there.sound)
        ear = Ear(there)
        keys = {str(uuid4()) for _ in range(KEYS_MAX)}
        for key in keys:
            here.tell(key)
        await until(lambda: ear.keys == keys)
        told = [text for text in sent if not text.endswith(wiring.PROBE)]
        assert len(told) == 1
        assert len(told[0].encode()) < 7900


async def test_too_many_are_told_as_anything(database_url: str) -> None:
    async with Wire(database_url) as here, Wire(database_url) as there:
        await until(lambda: here.sound and there.sound)
        ear = Ear(there)
        for _ in range(3 * KEYS_MAX):
            here.tell(str(uuid4()))
        await until(lambda: bool(ear.heard))
        assert ear.heard[0] is None
        here.tell("afterwards")
        await until(lambda: "afterwards" in ear.keys)


async def test_a_wire_that_breaks_is_laid_anew_and_tells_what_it_could_not(database_url: str) -> None:
    """However often it breaks. Until then nobody takes it for sound."""
    async with proxy_to(database_url) as proxy, Wire(proxy.url) as here, Wire(database_url) as there:
        ear = Ear(there)
        for attempt in range(3):
            await until(lambda: here.sound and there.sound)
            proxy.cut()
            await until(lambda: not here.sound)
            in_vain = f"told-in-vain-{attempt}"
            here.tell(in_vain)
            await asyncio.sleep(0.3)
            proxy.down = False
            await until(partial(ear.knows, in_vain))


async def test_whatever_goes_wrong_it_is_tried_again(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Hints.open
    wrong = iter([RuntimeError("a bug"), StoreAway("not now")])

    async def fails_twice(url: str, hear: Callable[[str], None], lost: Callable[[], None]) -> Hints:
        if failure := next(wrong, None):
            raise failure
        return await opened(url, hear, lost)

    monkeypatch.setattr(Hints, "open", fails_twice)
    async with Wire(database_url) as wire:
        await until(lambda: wire.sound)
        assert next(wrong, None) is None


async def test_a_wire_that_delivers_nothing_is_not_sound(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pooler between us takes every LISTEN and says nothing. The look goes on as often as ever."""
    monkeypatch.setattr(hints, "SEND", "SELECT pg_notify($1 || '_nowhere', $2), 0 AS used")
    monkeypatch.setattr(watching, "SOUND_POLL_SECONDS", 60)
    store = await EventStore.connect(database_url)
    async with Wire(database_url) as wire, Watch(store.versions, wire) as watch, Watch(store.versions) as other:
        here, there = Process(store, other, Matches(store, other)), Process(store, watch, Matches(store, watch))
        await asyncio.sleep(0.7)
        assert not wire.sound
        match = await here.begun()
        await rung(there, match.match_id, here.choose(match.match_id, "ann", hand(match, "ann")[0]))
    await store.close()


async def test_a_wire_that_falls_silent_is_noticed(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with Wire(database_url) as wire:
        await until(lambda: wire.sound)
        monkeypatch.setattr(hints, "SEND", "SELECT pg_notify($1 || '_nowhere', $2), 0 AS used")
        await until(lambda: not wire.sound)


async def test_appends_go_on_when_nothing_can_be_told(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server's queue is full, so every NOTIFY fails."""
    async with wired(database_url) as process:
        monkeypatch.setattr(hints, "SEND", "SELECT 1 / 0 AS used WHERE $1 <> $2")
        for _ in range(5):
            match = await process.begun()
            await process.choose(match.match_id, "ann", hand(match, "ann")[0])
            await asyncio.sleep(0.05)


async def test_it_stops_at_once_also_without_a_database(database_url: str) -> None:
    """With more to tell than it can hold."""
    async with proxy_to(database_url) as proxy:
        async with Wire(proxy.url) as wire:
            await until(lambda: wire.sound)
            proxy.cut()
            for _ in range(3 * KEYS_MAX):
                wire.tell(str(uuid4()))
            began = time.monotonic()
        assert time.monotonic() - began < PATIENCE_SECONDS / 2, "it stops after two seconds whatever it is at"


async def test_a_match_that_moved_on_elsewhere_is_followed_there_before_anything_is_decided(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise every command would lose a race against what is long over, and load the whole match anew."""
    asked: list[str] = []
    words = {writer.APPEND: "append", event_store.LOAD: "load", event_store.FOLLOWING: "following", event_store.VERSIONS: "versions"}
    rows = Connections.rows

    async def noted(self: Connections, statement: str, *arguments: Any, **more: Any) -> Any:
        asked.append(words.get(statement, "another"))
        return await rows(self, statement, *arguments, **more)

    monkeypatch.setattr(watching, "SOUND_POLL_SECONDS", 60)
    async with wired(database_url) as here, Wire(database_url) as wire, Watch(here.store.versions, wire) as watch:
        there = Process(here.store, watch, Matches(here.store, watch))
        wire.when_heard(there.matches.heard)
        ear = Ear(wire)
        await until(lambda: wire.sound)
        match = await here.begun()
        await until(partial(ear.knows, str(stream_of(match.match_id))))
        assert (await there.matches.get(match.match_id)).version == match.version
        ear.heard.clear()
        await here.choose(match.match_id, "ann", hand(match, "ann")[0])
        await until(partial(ear.knows, str(stream_of(match.match_id))))
        monkeypatch.setattr(Connections, "rows", noted)
        changed = await there.choose(match.match_id, "bob", hand(match, "bob")[0])
        assert changed.match.version > match.version + 2
        assert asked == ["following", "append"]


async def test_all_matches_are_looked_at_again_when_any_may_have_moved_on(database_url: str) -> None:
    async with wired(database_url) as here, wired(database_url) as there:
        match = await here.begun()
        await there.matches.get(match.match_id)
        await here.choose(match.match_id, "ann", hand(match, "ann")[0])
        there.matches.heard(None)
        held = there.matches._cache.get(stream_of(match.match_id))
        assert held is not None
        assert held.match.version == match.version, "nobody has asked for it yet"
        assert (await there.matches._cache.hold(stream_of(match.match_id)))[0].match.version == match.version + 1
