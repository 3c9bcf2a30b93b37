"""Matches with everything that is stored of them, for those who check a database or carry matches from one to another."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from service.store.contract import Cursor, Line, Snapshot, Stored

PAGE = 100
ROWS = 1_000
"""Of one match, in one statement: a match may have a hundred thousand events, and no statement takes more than two seconds."""

FIRST = UUID(int=0)

STREAMS = """
SELECT stream_id FROM (
    (SELECT stream_id FROM es.streams WHERE stream_id > :after ORDER BY stream_id LIMIT :page)
    UNION (SELECT stream_id FROM es.events WHERE stream_id > :after AND version = 1 ORDER BY stream_id LIMIT :page)
    UNION (SELECT stream_id FROM public.match_current WHERE stream_id > :after ORDER BY stream_id LIMIT :page)
    UNION (SELECT stream_id FROM public.match_seeds WHERE stream_id > :after ORDER BY stream_id LIMIT :page)
) AS known
ORDER BY stream_id LIMIT :page
"""

HEAD = """
SELECT category, version, last_epoch, last_tx::text::bigint AS last_tx, archived_at FROM es.streams WHERE stream_id = :stream
"""

EVENTS = """
SELECT version, at, type, schema_version, data::text AS data, meta::text AS meta, event_id, epoch, tx_id::text::bigint AS tx, position
FROM es.events WHERE stream_id = :stream AND version > :after ORDER BY version LIMIT :rows
"""

COMMANDS = """
SELECT command_id, fingerprint, first_version, last_version, at FROM es.commands
WHERE stream_id = :stream AND first_version > :after ORDER BY first_version LIMIT :rows
"""

CURRENT = """
SELECT version, game, status, visibility, seats, seats_open, players, due_at, bots_at, shown::text AS shown, rematch_of, waits_for,
    opened_at, updated_at, ended_at
FROM public.match_current WHERE stream_id = :stream
"""

SEED = "SELECT seed, opened_at FROM public.match_seeds WHERE stream_id = :stream"

SNAPSHOT = "SELECT version, state::text AS state FROM es.snapshots WHERE stream_id = :stream AND state_schema = :state_schema"

MILESTONES = """
SELECT version, state::text AS state FROM es.milestones
WHERE stream_id = :stream AND state_schema = :state_schema AND version > :after ORDER BY version LIMIT :rows
"""


class Head(msgspec.Struct, frozen=True):
    """The row of a stream, which appends to it wait for. `last` is the transaction that appended last: (epoch, number)."""

    category: str
    version: int
    last: tuple[int, int]
    archived_at: datetime | None


class Placed(msgspec.Struct, frozen=True):
    """An event with its id and its place in the order of all events."""

    event: Stored
    event_id: UUID
    cursor: Cursor


class Done(msgspec.Struct, frozen=True):
    """A command that is remembered: what it asked for, where its events stand, and when it came."""

    command: UUID
    fingerprint: bytes
    first: int
    last: int
    at: datetime


class Current(msgspec.Struct, frozen=True):
    """The match's own row."""

    version: int
    line: Line
    opened_at: datetime
    updated_at: datetime
    ended_at: datetime | None


class Seed(msgspec.Struct, frozen=True):
    """The match's seed, and when it was opened to everybody."""

    seed: bytes
    opened_at: datetime | None


class Whole(msgspec.Struct, frozen=True):
    """Everything that is stored of one match, as it stood at one moment; what is not there is None."""

    stream: UUID
    head: Head | None
    events: tuple[Placed, ...]
    commands: tuple[Done, ...]
    current: Current | None
    seed: Seed | None
    snapshot: Snapshot | None
    milestones: tuple[Snapshot, ...]


async def wholes(engine: AsyncEngine, state_schema: int, wanted: tuple[UUID, ...] | None = None) -> AsyncGenerator[Whole, None]:
    """Every match of the database, or those wanted, one after the other, with their snapshots and milestones of this number."""
    async with engine.connect() as plain:
        connection = await plain.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        async with aclosing(_streams(connection, wanted)) as streams:
            async for stream in streams:
                yield await _whole(connection, stream, state_schema)


async def _streams(connection: AsyncConnection, wanted: tuple[UUID, ...] | None) -> AsyncGenerator[UUID, None]:
    if wanted is not None:
        for stream in wanted:
            yield stream
        return
    after = FIRST
    while True:
        async with connection.begin():
            page = (await connection.execute(text(STREAMS), {"after": after, "page": PAGE})).scalars().all()
        if not page:
            return
        for stream in page:
            yield stream
        after = page[-1]


async def _whole(connection: AsyncConnection, stream: UUID, state_schema: int) -> Whole:
    async def rows(statement: str, **more: int) -> Any:
        return (await connection.execute(text(statement), {"stream": stream, **more})).all()

    async def all_rows(statement: str, number: str, **more: int) -> list[Any]:
        found: list[Any] = []
        while True:
            page = await rows(statement, after=getattr(found[-1], number) if found else 0, rows=ROWS, **more)
            found += page
            if len(page) < ROWS:
                return found

    # One transaction, so that a match that moves on meanwhile is seen as it stood at one moment.
    async with connection.begin():
        head, events, commands = await rows(HEAD), await all_rows(EVENTS, "version"), await all_rows(COMMANDS, "first_version")
        current, seed, snapshot = await rows(CURRENT), await rows(SEED), await rows(SNAPSHOT, state_schema=state_schema)
        milestones = await all_rows(MILESTONES, "version", state_schema=state_schema)
    return Whole(
        stream,
        Head(head[0].category, head[0].version, (head[0].last_epoch, head[0].last_tx), head[0].archived_at) if head else None,
        tuple(
            Placed(
                Stored(row.version, row.at, row.type, row.schema_version, row.data.encode(), row.meta.encode()),
                row.event_id,
                Cursor(row.epoch, row.tx, row.position),
            )
            for row in events
        ),
        tuple(Done(*row) for row in commands),
        _current(current[0]) if current else None,
        Seed(seed[0].seed, seed[0].opened_at) if seed else None,
        Snapshot(snapshot[0].version, snapshot[0].state.encode()) if snapshot else None,
        tuple(Snapshot(row.version, row.state.encode()) for row in milestones),
    )


def _current(row: Any) -> Current:
    line = Line(
        game=row.game,
        status=row.status,
        visibility=row.visibility,
        seats=row.seats,
        seats_open=row.seats_open,
        players=tuple(row.players),
        due_at=row.due_at,
        bots_owe=row.bots_at is not None,
        shown=row.shown.encode(),
        rematch_of=row.rematch_of,
        waits_for=tuple(row.waits_for),
    )
    return Current(row.version, line, row.opened_at, row.updated_at, row.ended_at)


class NotPut(Exception):
    """The database does not take this match; the text says why. Nothing was stored."""


PUT_STREAM = """
INSERT INTO es.streams (stream_id, category, version, last_epoch, last_tx, archived_at)
SELECT :stream, :category, :version, epoch, pg_current_xact_id(), :archived_at FROM es.epoch
"""

PUT_EVENTS = """
INSERT INTO es.events (stream_id, version, epoch, tx_id, event_id, type, schema_version, data, meta, at)
SELECT :stream, :before + u.ordinal, e.epoch, pg_current_xact_id(), u.id, u.type, u.schema_version, u.data, u.meta, u.at
FROM es.epoch e, unnest(CAST(:ids AS uuid[]), CAST(:types AS text[]), CAST(:schema_versions AS smallint[]), CAST(:data AS jsonb[]),
    CAST(:meta AS jsonb[]), CAST(:ats AS timestamptz[])) WITH ORDINALITY AS u (id, type, schema_version, data, meta, at, ordinal)
ORDER BY u.ordinal
"""

PUT_COMMANDS = """
INSERT INTO es.commands (stream_id, command_id, fingerprint, first_version, last_version, at)
SELECT :stream, u.* FROM unnest(CAST(:commands AS uuid[]), CAST(:fingerprints AS bytea[]), CAST(:firsts AS bigint[]),
    CAST(:lasts AS bigint[]), CAST(:command_ats AS timestamptz[])) AS u
"""

PUT_CURRENT = """
INSERT INTO public.match_current (stream_id, version, game, status, visibility, seats, seats_open, players, opened_at, updated_at,
    ended_at, due_at, bots_at, shown, rematch_of, waits_for)
VALUES (:stream, :version, :game, :status, :visibility, :seats, :seats_open, CAST(:players AS text[]), :opened_at, :updated_at,
    :ended_at, :due_at, CASE WHEN :bots_owe THEN clock_timestamp() END, CAST(:shown AS jsonb), :rematch_of,
    CAST(:waits_for AS text[]))
"""

PUT_SEED = "INSERT INTO public.match_seeds (stream_id, seed, opened_at) VALUES (:stream, :seed, :seed_opened_at)"


async def put(engine: AsyncEngine, whole: Whole) -> None:
    """Store a match that this database does not have, with all its ids, versions and times; its place in the order of events is new.

    Raises `NotPut`.
    """
    try:
        async with engine.begin() as connection:
            rows = _rows(whole)
            await connection.execute(text(PUT_STREAM), rows)
            for first in range(0, len(whole.events), ROWS):
                await connection.execute(text(PUT_EVENTS), _events(whole, first))
            for first in range(0, len(whole.commands), ROWS):
                await connection.execute(text(PUT_COMMANDS), _commands(whole, first))
            for statement in (PUT_CURRENT, PUT_SEED):
                await connection.execute(text(statement), rows)
    except IntegrityError as error:
        raise NotPut("this database has it already, or has another rematch of the same match") from error
    except DBAPIError as error:
        if not str(getattr(error.orig, "sqlstate", None)).startswith("22"):
            raise
        raise NotPut("it holds values that PostgreSQL cannot store") from error


def _rows(whole: Whole) -> dict[str, Any]:
    """What there is one of."""
    assert whole.head is not None and whole.current is not None and whole.seed is not None, "a match that lacks something"  # noqa: PT018
    line = whole.current.line
    return {
        **{name: getattr(line, name) for name in Line.__struct_fields__},
        "shown": line.shown.decode(),
        "players": list(line.players),
        "waits_for": list(line.waits_for),
        "stream": whole.stream,
        "category": whole.head.category,
        "version": whole.head.version,
        "archived_at": whole.head.archived_at,
        "opened_at": whole.current.opened_at,
        "updated_at": whole.current.updated_at,
        "ended_at": whole.current.ended_at,
        "seed": whole.seed.seed,
        "seed_opened_at": whole.seed.opened_at,
    }


def _events(whole: Whole, first: int) -> dict[str, Any]:
    """`ROWS` events from this place on."""
    placed = whole.events[first : first + ROWS]
    return {
        "stream": whole.stream,
        "before": first,
        "ids": [one.event_id for one in placed],
        "types": [one.event.type for one in placed],
        "schema_versions": [one.event.schema_version for one in placed],
        "data": [one.event.data.decode() for one in placed],
        "meta": [one.event.meta.decode() for one in placed],
        "ats": [one.event.at for one in placed],
    }


def _commands(whole: Whole, first: int) -> dict[str, Any]:
    """`ROWS` commands from this place on."""
    done = whole.commands[first : first + ROWS]
    return {
        "stream": whole.stream,
        "commands": [one.command for one in done],
        "fingerprints": [one.fingerprint for one in done],
        "firsts": [one.first for one in done],
        "lasts": [one.last for one in done],
        "command_ats": [one.at for one in done],
    }
