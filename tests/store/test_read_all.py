"""The reader of all streams: nothing is skipped, nothing comes twice, and each stream keeps its order."""

import asyncio
import json
import random
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest

from service.store import Cursor, EventStore, Logged, Page, event_store
from tests.store.appends import Session, append_within, appending, happened, positions, session

ROOT = Path(__file__).parents[2]

WITHOUT_FENCE = re.sub(r"AND \(epoch, tx_id\) < .*", "", event_store.READ_ALL)
IN_ORDER_OF_POSITION = event_store.READ_ALL.replace(
    "(epoch, tx_id, position) > ($1, $2::text::xid8, $3)", "position > $3 AND $1::int >= 0 AND $2::text <> ''"
).replace("ORDER BY epoch, tx_id, position", "ORDER BY position")


class Reader:
    """Reads on from where it stopped, as a projection does."""

    def __init__(self, store: EventStore, cursor: Cursor | None = None, looks: int = 3_000) -> None:
        self.store, self.cursor, self.looks, self.seen = store, cursor or Cursor(), looks, list[tuple[UUID, int]]()

    async def read(self) -> list[UUID]:
        """The streams of the events that have become readable, page by page."""
        items = list[Logged]()
        while (page := await self.store.read_all(self.cursor, 100)).items:
            self.cursor = page.cursor
            items += page.items
        self.seen += [(item.stream, item.event.version) for item in items]
        return [item.stream for item in items]

    async def drain(self, expected: int, looks: int | None = None) -> None:
        """Read until so many events were seen. Any transaction on the server delays them, so this looks again for a while."""
        for _ in range(looks or self.looks):
            await self.read()
            if len(self.seen) >= expected:
                return
            await asyncio.sleep(0.01)


async def test_every_event_of_concurrent_writers_is_read_once_and_in_order(store: EventStore, database_url: str, database: Session) -> None:
    """24 writers that commit a moment after they wrote, and a reader that never stops."""
    reader, luck = Reader(store), random.Random(1)

    async def write(pauses: list[float]) -> None:
        stream = uuid4()
        async with session(database_url) as writer:
            for version, pause in enumerate(pauses):
                async with writer.transaction():
                    await append_within(writer, appending(stream, version))
                    await asyncio.sleep(pause)

    writers = [asyncio.create_task(write([luck.uniform(0, 0.01) for _ in range(60)])) for _ in range(24)]
    polls = 0
    while not all(writer.done() for writer in writers):
        await reader.read()
        polls += 1
    await asyncio.gather(*writers)
    assert polls > 5, "the reader was not there while they wrote"
    await reader.drain(24 * 60)
    assert len(reader.seen) == len(set(reader.seen)) == (await positions(database))[0] == 24 * 60
    for stream in {stream for stream, _ in reader.seen}:
        assert [version for of, version in reader.seen if of == stream] == list(range(1, 61))


async def committed_last_although_written_first(reader: Reader, database_url: str) -> set[UUID]:
    """Two sessions: the one that wrote first commits last. Answers what was never read."""
    slow, quick = uuid4(), uuid4()
    async with session(database_url) as first, session(database_url) as second:
        async with first.transaction():
            await append_within(first, appending(slow, 0))
            await append_within(second, appending(quick, 0))
            await reader.read()
        await reader.drain(2)
    return {slow, quick} - {stream for stream, _ in reader.seen}


async def committed_late_after_a_quiet_time(reader: Reader, database_url: str) -> set[UUID]:
    """A minute of quiet, and an append that takes half a minute while others commit, scaled to moments: no clock has a say in it.

    Answers what was never read.
    """
    slow, quick = uuid4(), [uuid4() for _ in range(20)]
    await asyncio.sleep(0.5)
    async with session(database_url) as first, session(database_url) as second:
        async with first.transaction():
            await append_within(first, appending(slow, 0))
            for stream in quick:
                await append_within(second, appending(stream, 0))
                await reader.read()
                await asyncio.sleep(0.05)
        await reader.drain(21)
    return {slow, *quick} - {stream for stream, _ in reader.seen}


async def positioned_last_although_begun_first(reader: Reader, database_url: str) -> set[UUID]:
    """Two sessions: the older transaction has the later position and commits first. Answers what was never read."""
    older, younger = uuid4(), uuid4()
    async with session(database_url) as first, session(database_url) as second:
        async with second.transaction():
            async with first.transaction():
                await first.execute("SELECT pg_current_xact_id()")
                await append_within(second, appending(younger, 0))
                await append_within(first, appending(older, 0))
            await reader.drain(1, looks=3_000)
        await reader.drain(2)
    return {older, younger} - {stream for stream, _ in reader.seen}


SCHEDULES = (committed_last_although_written_first, committed_late_after_a_quiet_time, positioned_last_although_begun_first)


@pytest.mark.parametrize("schedule", SCHEDULES)
async def test_no_schedule_of_two_writers_hides_an_event(
    store: EventStore, database_url: str, schedule: Callable[[Reader, str], Awaitable[set[UUID]]]
) -> None:
    assert await schedule(Reader(store), database_url) == set()


async def test_without_its_fence_the_reader_would_lose_events(
    store: EventStore, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fence had been dropped in a refactoring, and no test noticed."""
    assert WITHOUT_FENCE.count("\n") == event_store.READ_ALL.count("\n")
    assert "xmin" not in WITHOUT_FENCE
    monkeypatch.setattr(event_store, "READ_ALL", WITHOUT_FENCE)
    assert len(await committed_last_although_written_first(Reader(store, looks=20), database_url)) == 1


async def test_in_the_order_of_positions_the_reader_would_lose_events(
    store: EventStore, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert IN_ORDER_OF_POSITION.count("position") == event_store.READ_ALL.count("position")
    monkeypatch.setattr(event_store, "READ_ALL", IN_ORDER_OF_POSITION)
    assert len(await positioned_last_although_begun_first(Reader(store, looks=20), database_url)) == 1


async def test_pages_end_where_the_next_begin(store: EventStore) -> None:
    stream = uuid4()
    for version in (0, 3, 6):
        await store.append(appending(stream, version, events=3))
    await Reader(store).drain(9)
    pages, cursor = list[Page](), Cursor()
    while (page := await store.read_all(cursor, 4)).items:
        pages.append(page)
        cursor = page.cursor
    assert [len(page.items) for page in pages] == [4, 4, 1]
    assert [item.event.version for page in pages for item in page.items] == list(range(1, 10))
    assert await store.read_all(cursor, 4) == Page((), cursor, 0)


async def test_what_is_left_out_is_counted_and_passed(store: EventStore) -> None:
    first, second = uuid4(), uuid4()
    other = msgspec.structs.replace(happened(), type="test.seen")
    await store.append(msgspec.structs.replace(appending(first, 0), events=(happened(), other, happened())))
    await store.append(msgspec.structs.replace(appending(second, 0), events=(other, happened())))
    await Reader(store).drain(5)
    whole = [item async for item in _pages(store, ())]
    for but in ({"test.happened"}, {"test.seen"}, {"test.happened", "test.seen"}, {"test.never"}):
        assert [item async for item in _pages(store, but)] == [item for item in whole if item.event.type not in but]


async def _pages(store: EventStore, but: Collection[str]) -> AsyncIterator[Logged]:
    """All that is in the log but for these types, two events at a time."""
    cursor, count = Cursor(), 0
    while (page := await store.read_all(cursor, 2, but)).count:
        for item in page.items:
            yield item
        cursor, count = page.cursor, count + page.count
    assert count == 5


async def planned(database: Session, statement: str, *arguments: object) -> Any:
    return json.loads(await database.fetchval("EXPLAIN (FORMAT JSON) " + statement, *arguments))[0]["Plan"]


async def test_a_page_comes_straight_from_the_index(store: EventStore, database: Session) -> None:
    """A sort, or a filter in place of a bound, would read the whole log for each page."""
    await database.execute(
        "INSERT INTO es.events SELECT gen_random_uuid(), 1, 0, n::text::xid8, n, gen_random_uuid(), 't', 1, '{}', '{}', now()"
        " FROM generate_series(1, 20000) n"
    )
    await database.execute("ANALYZE es.events")
    plan = await planned(database, event_store.READ_ALL, 0, "500", 0, 500)
    without = await planned(database, event_store.READ_ALL_BUT, 0, "500", 0, 500, ["u"])
    while without["Node Type"] != "Limit":
        assert without["Node Type"] in ("Sort", "Incremental Sort", "Subquery Scan", "WindowAgg"), "it is sorted after it is cut"
        [without] = without["Plans"]
    assert plan["Node Type"] == "Limit"
    assert [node["Node Type"] for node in without["Plans"]] == [node["Node Type"] for node in plan["Plans"]]
    [scan] = [node for node in plan["Plans"] if node["Parent Relationship"] == "Outer"]
    assert (scan["Node Type"], scan["Index Name"]) == ("Index Scan", "events_order")
    assert "Filter" not in scan
    assert 'ROW(epoch, tx_id, "position") >' in scan["Index Cond"]
    assert "ROW(epoch, tx_id) <" in scan["Index Cond"]


BOUNDS = (
    *("stream_id = $1", "stream_id = :stream", "stream_id = ANY(:streams)", "stream_id = f.stream_id"),
    *("pg_snapshot_xmin", "max(tx_id)"),
    # An audit walks from stream to stream by their ids, which no order of commits can mix up.
    "stream_id > :after AND version = 1",
)


def test_every_statement_on_the_log_is_of_one_stream_or_fenced() -> None:
    """No other place reads across streams, and the place that does has its fence."""
    for path in (ROOT / "service").rglob("*.py"):
        statements = re.findall(r'"""(.*?)"""', path.read_text(encoding="utf-8"), flags=re.DOTALL)
        for statement in (each for each in statements if "FROM es.events" in each):
            assert any(bound in statement for bound in BOUNDS), f"{path}: {statement}"


def test_no_append_notifies() -> None:
    """NOTIFY takes a lock of the whole server until the commit is on disk. Hints go over a connection of their own."""
    sources = {*(ROOT / "migrations").rglob("*.sql"), *(ROOT / "migrations").rglob("*.py"), *(ROOT / "service").rglob("*.py")}
    assert len(sources) > 50
    for path in sources - {ROOT / "service" / "store" / "hints.py"}:
        assert not re.search(r"\bnotify\b|pg_notify", path.read_text(encoding="utf-8"), flags=re.IGNORECASE), path
