"""The store refuses a database that would lose or reorder events silently, and a new epoch cures a restored one."""

import asyncio
from uuid import uuid4

import asyncpg
import pytest

from service.store import Cursor, EventStore
from service.store.fitness import UnfitDatabase
from tests.store.appends import Session, append_within, appending, session

RESTORED = (
    "INSERT INTO es.events SELECT $1, 1, 0, (pg_current_xact_id()::text::bigint + 1000000)::text::xid8, 500, $1, 't', 1, '{}', '{}', now()",
    "INSERT INTO es.streams SELECT $1, 'match', 1, 0, (pg_current_xact_id()::text::bigint + 1000000)::text::xid8",
)
"""One event as a dump from a server brings it that had counted a million transactions more, without the sequence."""


async def test_a_restored_database_needs_a_new_epoch(database_url: str, database: Session) -> None:
    old, new = uuid4(), uuid4()
    for statement in RESTORED:
        await database.execute(statement, old)
    with pytest.raises(UnfitDatabase, match="bump_epoch"):
        await EventStore.connect(database_url)
    with pytest.raises(asyncpg.SerializationError):
        await append_within(database, appending(old, 1))

    assert await database.fetchval("SELECT es.bump_epoch_v1()") == 1
    store = await EventStore.connect(database_url)
    before = await store.read_all(Cursor(), 10)
    assert [(item.stream, item.event.version, item.cursor.epoch) for item in before.items] == [(old, 1, 0)]
    await store.append(appending(old, 1))
    await store.append(appending(new, 0))
    for _ in range(3_000):
        after = await store.read_all(before.cursor, 10)
        if len(after.items) == 2:
            break
        await asyncio.sleep(0.01)
    assert [(item.stream, item.event.version, item.cursor.epoch) for item in after.items] == [(old, 2, 1), (new, 1, 1)]
    assert [item.cursor.position for item in after.items] > [500, 500]
    await store.close()


async def test_a_new_epoch_waits_for_appends_in_flight(store: EventStore, database_url: str, database: Session) -> None:
    """Otherwise an event of the old epoch could appear behind readers who had gone on to the new one."""
    stream = uuid4()
    async with session(database_url) as writer:
        in_flight = writer.transaction()
        await in_flight.start()
        await append_within(writer, appending(stream, 0))
        bump = asyncio.create_task(database.fetchval("SELECT es.bump_epoch_v1()"))
        await asyncio.sleep(0.1)
        assert not bump.done()
        await in_flight.commit()
    assert await bump == 1
    await store.append(appending(stream, 1))
    assert [row[0] for row in await database.fetch("SELECT epoch FROM es.events ORDER BY version")] == [0, 1]


async def test_a_sequence_that_hands_out_blocks_is_refused(database_url: str, database: Session) -> None:
    """Positions would not ascend within a stream."""
    await database.execute("ALTER SEQUENCE es.event_position CACHE 20")
    with pytest.raises(UnfitDatabase, match="CACHE"):
        await EventStore.connect(database_url)


async def test_a_database_that_was_not_migrated_is_refused(database_url: str, database: Session) -> None:
    await database.execute("DROP SCHEMA es CASCADE")
    with pytest.raises(UnfitDatabase, match="migrate"):
        await EventStore.connect(database_url)
