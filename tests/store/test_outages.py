"""Connections break, servers go away and callers leave: an append still takes effect once or not at all, and says which."""

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import asyncpg
import pytest
import pytest_asyncio
from msgspec.structs import replace
from sqlalchemy import text

from service.store import EventStore, StoreAway, address, connections
from service.store.address import sqlalchemy_engine
from service.store.connections import Connections
from tests.store.appends import LINE, Session, an_append_waits, appending, positions, session
from tests.store.proxy import Proxy, proxy_to

KILLED = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"


@pytest.fixture(autouse=True)
def _stubborn(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is sent again is sent again for as long as a test takes, however busy the machine; where that has an end, the test says so."""
    monkeypatch.setattr(connections, "PATIENCE_SECONDS", 60)


@pytest_asyncio.fixture
async def proxy(database_url: str) -> AsyncIterator[Proxy]:
    async with proxy_to(database_url) as proxy:
        yield proxy


@pytest_asyncio.fixture
async def far_store(proxy: Proxy) -> AsyncIterator[EventStore]:
    """A store behind the proxy."""
    opened = await EventStore.connect(proxy.url)
    yield opened
    await opened.close()


@pytest_asyncio.fixture
async def small(database_url: str) -> AsyncIterator[EventStore]:
    """A store with a single connection for appends."""
    opened = await EventStore.connect(database_url, appending=1)
    yield opened
    await opened.close()


STEPS = {
    "before anything is written": "INSERT INTO es.commands VALUES ('{stream}', '{command}', '', 0, 0)",
    "after the command": "SELECT FROM es.streams WHERE stream_id = '{stream}' FOR UPDATE",
    "after the events": "SELECT FROM match_current WHERE stream_id = '{stream}' FOR UPDATE",
    "after the match's row": "SELECT FROM match_seeds WHERE stream_id = '{stream}' FOR UPDATE",
}
"""What holds an append up at each of its steps."""


@pytest.mark.parametrize("step", STEPS)
async def test_a_connection_killed_inside_an_append(store: EventStore, database_url: str, database: Session, step: str) -> None:
    """Whatever the step, nothing of the broken append stays, and the repeat takes effect once."""
    stream = uuid4()
    await store.append(appending(stream, 0, seed=b"s" * 32))
    append = appending(stream, 1, events=3, line=replace(LINE, status="ended"))
    async with session(database_url) as blocker:
        held = blocker.transaction()
        await held.start()
        await blocker.execute(STEPS[step].format(stream=stream, command=append.command))
        waiting = asyncio.create_task(store.append(append))
        await database.execute("SELECT pg_terminate_backend($1)", await an_append_waits(database))
        assert await store.remembered(stream, append.command) is None
        assert await store.version(stream) == 1
        assert await database.fetchval("SELECT version FROM match_current") == 1
        await held.rollback()
    done = await waiting
    assert (done.first, done.last, done.duplicate) == (2, 4, False)
    assert [event.version for event in await store.events(stream, 0, 10)] == [1, 2, 3, 4]


async def test_an_answer_that_got_lost(far_store: EventStore, proxy: Proxy, database: Session) -> None:
    stream = uuid4()
    await far_store.append(appending(stream, 0))
    proxy.swallow_next_answer = True
    done = await far_store.append(appending(stream, 1, events=2))
    assert not proxy.swallow_next_answer, "no answer was lost"
    assert (done.first, done.last, done.duplicate) == (2, 3, True)
    assert await positions(database) == (3, 3)


async def test_a_lock_that_is_held_for_longer_than_one_try(database_url: str, database: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(address.SERVER_SETTINGS, "lock_timeout", "100ms")
    store, stream, tries, once = await EventStore.connect(database_url), uuid4(), asyncio.Semaphore(0), Connections._once
    await store.append(appending(stream, 0))

    async def counted(self: Connections, *asked: Any) -> Any:
        tries.release()
        return await once(self, *asked)

    monkeypatch.setattr(Connections, "_once", counted)
    async with session(database_url) as blocker, blocker.transaction():
        await blocker.execute("SELECT FROM es.streams FOR UPDATE")
        waiting = asyncio.create_task(store.append(appending(stream, 1)))
        for _ in range(3):
            await asyncio.wait_for(tries.acquire(), 20)
        await an_append_waits(database)
        assert not waiting.done()
    assert (await waiting).first == 2
    await store.close()


async def test_a_database_that_stays_away_is_told_in_time(far_store: EventStore, proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "PATIENCE_SECONDS", 0.5)
    stream = uuid4()
    append = appending(stream, 0)
    proxy.cut()
    began = time.monotonic()
    for call in (far_store.append(append), far_store.version(stream), far_store.load(stream, 1)):
        with pytest.raises(StoreAway):
            await call
    assert time.monotonic() - began < 20, "the service waits for three times 1.5 s at the longest, and nobody for ever"
    proxy.down = False
    assert not (await far_store.append(append)).duplicate
    assert await far_store.version(stream) == 1


async def test_a_short_absence_goes_unnoticed(far_store: EventStore, proxy: Proxy) -> None:
    stream = uuid4()
    await far_store.append(appending(stream, 0))
    proxy.cut()
    waiting = [asyncio.ensure_future(far_store.append(appending(stream, 1))), asyncio.ensure_future(far_store.version(stream))]
    await asyncio.sleep(0.3)
    proxy.down = False
    await asyncio.gather(*waiting)
    assert await far_store.version(stream) == 2


async def test_connections_that_ended_while_nobody_used_them_are_nobodys_trouble(database_url: str, database: Session) -> None:
    """As after a restart of the server: whoever asks next, by either way, is answered."""
    store, engine = await EventStore.connect(database_url), sqlalchemy_engine(database_url, pool_size=3)
    async with engine.connect() as one, engine.connect() as two:
        for connection in (one, two):
            await connection.execute(text("SELECT 1"))
        ours: list[Any] = [(await connection.get_raw_connection()).driver_connection for connection in (one, two)]
    assert await database.fetchval(KILLED) >= 3
    async with asyncio.timeout(20):
        while not all(connection.is_closed() for connection in ours):  # noqa: ASYNC110 - nobody tells.
            await asyncio.sleep(0.01)
    async with engine.connect() as one, engine.connect() as two:
        for connection in (one, two):
            assert await connection.scalar(text("SELECT 1")) == 1
    assert await store.version(uuid4()) == 0
    await engine.dispose()
    await store.close()


async def test_connections_that_end_while_they_rest_or_work_are_made_again(database_url: str, database: Session) -> None:
    several = await Connections.open(database_url, 5)
    for _ in range(3):
        assert len(await asyncio.gather(*(several.rows("SELECT pg_sleep(0.05)") for _ in range(5)))) == 5
        assert await database.fetchval(KILLED) >= 5, "they rest at hand"
        await asyncio.sleep(0.1)
        assert [[tuple(row) for row in await several.rows("SELECT 1")] for _ in range(7)] == [[(1,)]] * 7
        working = [asyncio.create_task(several.rows("SELECT pg_sleep(0.2)")) for _ in range(8)]
        await asyncio.sleep(0.1)
        await database.fetchval(KILLED)
        assert len(await asyncio.gather(*working)) == 8
    await several.close()


class Deadlocked:
    """A pool whose connection is the victim of so many deadlocks before it gets through."""

    def __init__(self, times: int) -> None:
        self.times, self.asked = times, 0

    async def acquire(self, timeout: float) -> "Deadlocked":  # noqa: ASYNC109 - as the pool has it.
        return self

    async def release(self, connection: object, timeout: float) -> None:  # noqa: ASYNC109
        return None

    async def fetch(self, *_: object) -> list[str]:
        self.asked += 1
        if self.asked <= self.times:
            raise asyncpg.DeadlockDetectedError("deadlock detected")
        return ["done"]


async def test_the_victim_of_a_deadlock_tries_again_and_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await Connections(Deadlocked(2)).rows("SELECT") == ["done"]  # type: ignore[arg-type, comparison-overlap]
    monkeypatch.setattr(connections, "PATIENCE_SECONDS", 0.2)
    stubborn = Deadlocked(10**9)
    with pytest.raises(StoreAway, match="deadlock"):
        await Connections(stubborn).rows("SELECT")  # type: ignore[arg-type]
    assert stubborn.asked < 50


async def test_a_new_connection_that_breaks_at_an_awkward_moment_is_made_again(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    one = await Connections.open(database_url, 1)
    acquire, faults = asyncpg.Pool.acquire, [asyncpg.InternalClientError("awkward")]

    def awkward(self: "asyncpg.Pool[asyncpg.Record]", **how: float) -> object:
        if faults:
            raise faults.pop()
        return acquire(self, **how)

    monkeypatch.setattr(asyncpg.Pool, "acquire", awkward)
    assert [tuple(row) for row in await one.rows("SELECT 1")] == [(1,)]
    assert not faults
    await one.close()


async def test_those_who_wait_for_a_connection_get_the_one_that_rests(database_url: str) -> None:
    one = await Connections.open(database_url, 1)
    for _ in range(3):
        rows = await asyncio.gather(*(one.rows("SELECT $1::int, pg_backend_pid()", n) for n in range(5)))
        assert [row["int4"] for [row] in rows] == list(range(5))
        assert len({row["pg_backend_pid"] for [row] in rows}) == 1
    await one.close()


async def test_who_leaves_in_the_middle_of_a_statement_is_nobodys_trouble(database_url: str) -> None:
    one = await Connections.open(database_url, 1)
    for _ in range(3):
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(one.rows("SELECT pg_sleep(60)"), 0.05)
        assert [tuple(row) for row in await one.rows("SELECT 1")] == [(1,)]
    await one.close()


async def test_a_database_that_is_not_there(proxy: Proxy) -> None:
    proxy.cut()
    with pytest.raises(StoreAway):
        await EventStore.connect(proxy.url)


async def test_too_many_at_once_are_told_so(
    small: EventStore, database_url: str, database: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pool that is full answers after a bounded wait, and reads do not wait for appends."""
    monkeypatch.setattr(connections, "ACQUIRE_SECONDS", 0.2)
    stream = uuid4()
    await small.append(appending(stream, 0))
    async with session(database_url) as blocker, blocker.transaction():
        await blocker.execute("SELECT FROM es.streams FOR UPDATE")
        first = asyncio.create_task(small.append(appending(stream, 1)))
        await an_append_waits(database)
        with pytest.raises(StoreAway):
            await small.append(appending(uuid4(), 0))
        assert await small.version(stream) == 1
    assert (await first).first == 2


async def test_a_caller_who_leaves_neither_loses_nor_doubles_nor_leaks(small: EventStore, database_url: str, database: Session) -> None:
    """There is one connection: were it lost with a caller, the last append would find none."""
    stream = uuid4()
    await small.append(appending(stream, 0))
    for version in range(1, 6):
        append = appending(stream, version)
        async with session(database_url) as blocker, blocker.transaction():
            await blocker.execute("SELECT FROM es.streams FOR UPDATE")
            caller = asyncio.create_task(small.append(append))
            await an_append_waits(database)
            caller.cancel()
            with pytest.raises(asyncio.CancelledError):
                await caller
        again = await small.append(append)
        assert (again.first, again.last, again.duplicate) == (version + 1, version + 1, True)
    assert await positions(database) == (6, 6)


async def test_closing_lets_appends_under_way_end(small: EventStore, database_url: str, database: Session) -> None:
    """Also those that still wait for a connection."""
    stream = uuid4()
    await small.append(appending(stream, 0))
    async with session(database_url) as blocker, blocker.transaction():
        await blocker.execute("SELECT FROM es.streams FOR UPDATE")
        appends = [asyncio.create_task(small.append(appending(stream, 1))), asyncio.create_task(small.append(appending(uuid4(), 0)))]
        await an_append_waits(database)
        closed = asyncio.create_task(small.close())
        await asyncio.sleep(0.05)
        assert not closed.done()
    await closed
    assert [(await append).first for append in appends] == [2, 1]
    with pytest.raises(StoreAway):
        await small.version(stream)
