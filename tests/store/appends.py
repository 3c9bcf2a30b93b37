"""What the tests of the store append, and how they do it in a transaction of their own."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, TypeAlias
from uuid import UUID, uuid4

import asyncpg

from service.store import Append, Line, NewEvent
from service.store.connections import speak_json
from service.store.writer import APPEND, arguments

Session: TypeAlias = "asyncpg.Connection[asyncpg.Record]"

LINE = Line(game="pico", status="playing", visibility="public", seats=2, seats_open=0, players=("ply_a", "ply_b"))


def happened(data: bytes = b"{}") -> NewEvent:
    return NewEvent(type="test.happened", schema_version=1, data=data, meta=b"{}")


def appending(stream: UUID, expected: int, events: int = 1, *, command: UUID | None = None, line: Line = LINE, **fields: Any) -> Append:
    """An append of so many events by a new command, unless one is given."""
    return Append(
        stream=stream,
        expected=expected,
        command=command or uuid4(),
        fingerprint=fields.pop("fingerprint", b"asked"),
        events=tuple(happened(b'{"nth": %d}' % n) for n in range(events)),
        line=line,
        **fields,
    )


@asynccontextmanager
async def session(url: str) -> AsyncIterator[Session]:
    """A connection of the test's own."""
    connection = await asyncpg.connect(url)
    try:
        await speak_json(connection)
        yield connection
    finally:
        await connection.close(timeout=5)


async def append_within(connection: Session, append: Append) -> str:
    """Append within whatever transaction is open on this connection; answers the outcome."""
    [row] = await connection.fetch(APPEND, *arguments(append))
    return str(row["status"])


async def positions(connection: Session) -> tuple[int, int]:
    """How many events there are, and how many positions the sequence has handed out."""
    row = await connection.fetchrow(
        "SELECT (SELECT count(*) FROM es.events), (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM es.event_position)"
    )
    assert row is not None
    return row[0], row[1]


async def an_append_waits(connection: Session) -> int:
    """Wait until an append of the store is held up by a lock; answers the process that serves it."""
    gives_up = time.monotonic() + 30
    while time.monotonic() < gives_up:
        waiting: int | None = await connection.fetchval(
            "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
            " AND application_name = 'ludicitude append'"
        )
        if waiting is not None:
            return waiting
        await asyncio.sleep(0.01)
    raise AssertionError("no append has come to wait for a lock")
