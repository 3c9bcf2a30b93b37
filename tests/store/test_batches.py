"""Appends that come at the same time share a transaction, and nothing but that: each stands and falls alone."""

import asyncio
import random
from typing import Any
from unittest.mock import ANY
from uuid import UUID, uuid4, uuid5

import asyncpg
import pytest
from msgspec.structs import replace

from service.store import Append, Appended, EventStore, KeyReused, WrongVersion
from service.store.connections import Connections
from service.store.writer import APPEND_MANY, TOGETHER_MAX
from service.store.writer import together as together_in_json
from tests.store.appends import LINE, Session, appending, happened, positions, session


async def together(store: EventStore, *appends: Append) -> list[Appended | BaseException]:
    """What comes of appends that are begun in the same moment."""
    return await asyncio.gather(*map(store.begin, appends), return_exceptions=True)


async def transactions(database: Session, *streams: UUID) -> set[int]:
    """The numbers of the transactions that wrote to these streams last."""
    rows = await database.fetch("SELECT last_tx::text::bigint FROM es.streams WHERE stream_id = ANY($1)", streams)
    return {row[0] for row in rows}


async def opened(store: EventStore, number: int) -> list[UUID]:
    streams = [uuid4() for _ in range(number)]
    await asyncio.gather(*(store.append(appending(stream, 0)) for stream in streams))
    return streams


async def test_appends_of_one_moment_share_a_transaction(store: EventStore, database: Session) -> None:
    streams = await opened(store, TOGETHER_MAX)
    answers = await together(store, *(appending(stream, 1, events=1 + n % 3) for n, stream in enumerate(streams)))
    assert [(answer.first, answer.last, answer.duplicate) for answer in answers if isinstance(answer, Appended)] == [
        (2, 2 + n % 3, False) for n in range(TOGETHER_MAX)
    ]
    assert len(await transactions(database, *streams)) == 1


async def test_what_is_written_together_is_what_would_be_written_alone(store: EventStore, database: Session) -> None:
    due, old = LINE.due_at, uuid4()
    lines = [
        replace(LINE, status="open", visibility="private", seats=4, seats_open=3, players=('a "player", {or} two',), waits_for=("x",)),
        replace(LINE, bots_owe=True, due_at=due, shown=rb'{"host": "ply_a"}', rematch_of=old),
        replace(LINE, status="ended", players=(), waits_for=()),
    ]
    alone, shared = [uuid4() for _ in lines], [uuid4() for _ in lines]
    for line, stream in zip(lines, alone, strict=True):
        await store.append(appending(stream, 0, events=2, line=replace(line, rematch_of=None), seed=b"s" * 32))
    await together(store, *(appending(stream, 0, 2, line=line, seed=b"s" * 32) for line, stream in zip(lines, shared, strict=True)))
    for statement in (
        "SELECT version, category, archived_at FROM es.streams WHERE stream_id = $1",
        "SELECT version, epoch, type, schema_version, data, meta FROM es.events WHERE stream_id = $1 ORDER BY version",
        "SELECT fingerprint, first_version, last_version FROM es.commands WHERE stream_id = $1",
        "SELECT version, game, status, visibility, seats, seats_open, players, waits_for, due_at, bots_at - updated_at, shown,"
        " opened_at = updated_at, ended_at = updated_at FROM match_current WHERE stream_id = $1",
        "SELECT seed, opened_at IS NOT NULL FROM match_seeds WHERE stream_id = $1",
    ):
        for one, other in zip(alone, shared, strict=True):
            assert await database.fetch(statement, one) == await database.fetch(statement, other)
    assert await database.fetchval("SELECT stream_id FROM match_current WHERE rematch_of = $1", old) == shared[1]


async def test_each_is_answered_for_itself(store: EventStore, database: Session) -> None:
    known, reused, late, missing, archived, good, twice = await opened(store, 7)
    before, other = appending(known, 1), appending(reused, 1)
    done = [await store.append(before), await store.append(other)]
    await database.execute("UPDATE es.streams SET archived_at = now() WHERE stream_id = $1", archived)
    events, _ = await positions(database)
    answers = await together(
        store,
        before,
        replace(other, fingerprint=b"something else", expected=2),
        appending(late, 0),
        appending(uuid4(), 3),
        appending(archived, 1),
        appending(good, 1, events=3),
        appending(twice, 1),
        appending(twice, 1),
    )
    assert answers[0] == replace(done[0], duplicate=True)
    assert isinstance(answers[1], KeyReused)
    assert [(type(answer), getattr(answer, "actual", None)) for answer in answers[2:4]] == [(WrongVersion, 1), (WrongVersion, 0)]
    assert isinstance(answers[4], asyncpg.PostgresError)
    assert answers[4].sqlstate == "ES002"
    assert [isinstance(answer, Appended) for answer in answers[5:]] == [True, True, False]
    assert isinstance(answers[7], WrongVersion)
    # Three and one: nothing of the others, and no hole.
    assert await positions(database) == (events + 4, events + 4)
    assert await database.fetchval("SELECT count(*) FROM es.commands WHERE stream_id = ANY($1)", [late, missing, archived]) == 3


async def test_one_that_cannot_be_stored_spoils_no_other(store: EventStore) -> None:
    bad, *good = await opened(store, 5)
    broken = replace(appending(bad, 1), events=(happened(b"no JSON"),))
    answers = await together(store, broken, *(appending(stream, 1) for stream in good))
    assert isinstance(answers[0], asyncpg.PostgresError)
    assert all(isinstance(answer, Appended) for answer in answers[1:])
    assert await store.versions([bad, *good]) == {bad: 1, **dict.fromkeys(good, 2)}


@pytest.mark.parametrize("fault", [asyncpg.InternalClientError("awkward"), RuntimeError("a bug")])
async def test_whatever_a_batch_fails_of_each_is_appended_alone(
    store: EventStore, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    rows, streams = Connections.rows, await opened(store, 3)

    async def broken(self: Connections, statement: str, *arguments: Any, **how: Any) -> Any:
        if statement == APPEND_MANY:
            raise fault
        return await rows(self, statement, *arguments, **how)

    monkeypatch.setattr(Connections, "rows", broken)
    answers = await asyncio.wait_for(together(store, *(appending(stream, 1) for stream in streams)), 20)
    assert [isinstance(answer, Appended) for answer in answers] == [True] * 3


async def test_a_fault_in_what_comes_after_concerns_nobody_else(store: EventStore) -> None:
    streams = await opened(store, 3)
    moved: list[Appended] = []

    def fails(_: Appended) -> None:
        raise RuntimeError("a bug")

    begun = [store.begin(appending(stream, 1), then) for stream, then in zip(streams, (fails, moved.append, fails), strict=True)]
    answers = await asyncio.wait_for(asyncio.gather(*begun), 20)
    assert moved == [answers[1]]
    assert await asyncio.wait_for(store.begin(appending(streams[0], 2), fails), 20) == Appended(3, 3, duplicate=False, at=ANY)


async def test_a_stream_that_somebody_holds_holds_up_no_other(store: EventStore, database_url: str, database: Session) -> None:
    held, *free = await opened(store, 5)
    async with session(database_url) as holder, holder.transaction():
        await holder.execute("SELECT FROM es.streams WHERE stream_id = $1 FOR UPDATE", held)
        waiting = store.begin(appending(held, 1))
        answers = await together(store, *(appending(stream, 1) for stream in free))
        assert all(isinstance(answer, Appended) for answer in answers)
        assert not waiting.done()
    assert (await waiting).first == 2


async def test_the_next_batch_leaves_before_anybody_of_the_last_one_goes_on(store: EventStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the database would rest while their answers are made."""
    streams, order, rows = await opened(store, 4), list[str](), Connections.rows

    async def noted(self: Connections, *asked: Any, **how: Any) -> list[asyncpg.Record]:
        order.append("a batch leaves")
        return await rows(self, *asked, **how)

    async def caller(stream: UUID) -> None:
        await store.append(appending(stream, 1))
        order.append("somebody goes on")

    monkeypatch.setattr(Connections, "rows", noted)
    callers = [asyncio.create_task(caller(stream)) for stream in streams[:2]]
    while not order:  # noqa: ASYNC110 - the very moment is wanted.
        await asyncio.sleep(0)
    await asyncio.gather(*callers, *map(caller, streams[2:]))
    assert order == ["a batch leaves"] * 2 + ["somebody goes on"] * 4


async def test_the_order_guard_holds_in_company(store: EventStore, database_url: str) -> None:
    """A batch whose transaction got its number before that of a stream's last one leaves this stream out; alone it goes later."""
    overtaken, other = await opened(store, 2)
    async with session(database_url) as early, early.transaction():
        await early.execute("SELECT pg_current_xact_id()")
        await store.append(appending(overtaken, 1))
        appends = together_in_json(appending(stream, version) for stream, version in ((overtaken, 2), (other, 1)))
        row = await early.fetchrow(APPEND_MANY, appends)
        assert row is not None
        assert row["appended"] == [other]
    assert await store.versions([overtaken, other]) == {overtaken: 2, other: 2}


@pytest.mark.parametrize("seed", [1, 2])
async def test_rivals_of_several_processes(database_url: str, database: Session, seed: int) -> None:
    """Hot streams, batches of several processes, one to three events: what was answered is what is there, in order and without holes."""
    luck, stores = random.Random(seed), [await EventStore.connect(database_url, appending=3) for _ in range(3)]
    streams = [uuid4() for _ in range(12)]
    won: dict[UUID, list[tuple[int, int, UUID]]] = {stream: [] for stream in streams}

    async def write(store: EventStore) -> None:
        for _ in range(12):
            stream = luck.choice(streams)
            append = appending(stream, await store.version(stream), events=luck.randint(1, 3))
            try:
                done = await store.append(append)
            except WrongVersion:
                continue
            assert not done.duplicate
            won[stream].append((done.first, done.last, append.command))

    await asyncio.gather(*(write(stores[n % 3]) for n in range(48)))
    await asyncio.gather(*(store.close() for store in stores))
    assert sum(map(len, won.values())) > len(streams)
    for stream, answered in won.items():
        rows = await database.fetch("SELECT first_version, last_version, command_id FROM es.commands WHERE stream_id = $1", stream)
        assert sorted(answered) == sorted(map(tuple, rows))
        versions = await database.fetch("SELECT version FROM es.events WHERE stream_id = $1 ORDER BY version", stream)
        assert [row[0] for row in versions] == [version for first, last, _ in sorted(answered) for version in range(first, last + 1)]
    last = "SELECT count(*) FROM es.streams s JOIN match_current m USING (stream_id) WHERE s.version <> m.version"
    assert await database.fetchval(last) == 0
    order = "SELECT count(*) FROM (SELECT version < lag(version) OVER (PARTITION BY stream_id ORDER BY epoch, tx_id, position) AS wrong"
    assert await database.fetchval(f"{order} FROM es.events) AS e WHERE wrong") == 0
    events, taken = await positions(database)
    assert events == taken


async def test_the_ids_of_events_come_of_the_command(store: EventStore, database: Session) -> None:
    append, other = appending(uuid4(), 0, events=12), appending(uuid4(), 0)
    await together(store, append, other)
    ids = [row[0] for row in await database.fetch("SELECT event_id FROM es.events WHERE stream_id = $1 ORDER BY version", append.stream)]
    assert ids == [uuid5(append.command, str(ordinal)) for ordinal in range(12)]


async def test_who_leaves_changes_nothing(store: EventStore, database: Session) -> None:
    streams = await opened(store, 8)
    callers = [asyncio.create_task(store.append(appending(stream, 1))) for stream in streams]
    await asyncio.sleep(0)
    for leaving in callers[::2]:
        leaving.cancel()
    await asyncio.gather(*callers, return_exceptions=True)
    assert [caller.cancelled() for caller in callers] == [True, False] * 4
    await store.close()
    assert await database.fetchval("SELECT count(*) FROM es.streams WHERE version = 2") == 8
