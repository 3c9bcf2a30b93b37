"""The store itself: appends and reads of streams, each one statement and one round trip."""

import asyncio
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

import asyncpg

from service.store.connections import PATIENCE_SECONDS, Connections
from service.store.contract import (
    Append,
    Appended,
    Cursor,
    Loaded,
    Logged,
    Page,
    Remembered,
    Snapshot,
    Stored,
    Waiting,
)
from service.store.fitness import FENCE_LAG, require_fit
from service.store.snapshots import SAVE_MILESTONE, SAVE_SNAPSHOT
from service.store.writer import Then, Writer
from service.together import Together

LOAD = """
WITH head AS (
    SELECT m.game, d.seed, n.version AS saved, n.state
    FROM es.streams s
    JOIN public.match_current m ON m.stream_id = s.stream_id
    LEFT JOIN public.match_seeds d ON d.stream_id = s.stream_id
    LEFT JOIN LATERAL (
        SELECT version, state FROM es.snapshots WHERE stream_id = $1 AND state_schema = $2 AND version <= least(s.version, $3)
        UNION ALL
        SELECT version, state FROM es.milestones WHERE stream_id = $1 AND state_schema = $2 AND version <= least(s.version, $3)
        ORDER BY version DESC LIMIT 1
    ) n ON true
    WHERE s.stream_id = $1
)
SELECT NULL::bigint AS version, NULL::timestamptz AS at, NULL::text AS type, NULL::smallint AS schema_version,
    NULL::jsonb AS data, NULL::jsonb AS meta, game, seed, saved, state
FROM head
UNION ALL (
    SELECT e.version, e.at, e.type, e.schema_version, e.data, e.meta, NULL, NULL, NULL, NULL
    FROM es.events e
    WHERE e.stream_id = $1 AND e.version > coalesce((SELECT saved FROM head), 0) AND e.version <= $3
    ORDER BY e.version LIMIT $4
)
ORDER BY version NULLS FIRST
"""

EVENTS = """
SELECT version, at, type, schema_version, data, meta
FROM es.events WHERE stream_id = $1 AND version > $2 AND version <= $4
ORDER BY version LIMIT $3
"""

FOLLOWING = """
SELECT f.stream_id, f.after, e.version, e.at, e.type, e.schema_version, e.data, e.meta
FROM unnest($1::uuid[], $2::bigint[]) AS f (stream_id, after)
CROSS JOIN LATERAL (
    SELECT * FROM es.events WHERE es.events.stream_id = f.stream_id AND version > f.after ORDER BY version LIMIT $3
) AS e
ORDER BY f.stream_id, f.after, e.version
"""

FOLLOWING_MAX = 100

READ_ALL = """
SELECT epoch, tx_id::text::bigint AS tx, position, stream_id, version, at, type, schema_version, data, meta
FROM es.events
WHERE (epoch, tx_id, position) > ($1, $2::text::xid8, $3)
  -- The fence hides what a transaction still under way might precede. Without it readers of all streams lose events.
  AND (epoch, tx_id) < ((SELECT epoch FROM es.epoch), pg_snapshot_xmin(pg_current_snapshot()))
ORDER BY epoch, tx_id, position LIMIT $4
"""

# The last one of a page says how far the page goes, whatever it is.
READ_ALL_BUT = f"""
SELECT * FROM (
    SELECT *, row_number() OVER (ORDER BY epoch, tx, position) AS number, count(*) OVER () AS count FROM ({READ_ALL}) AS page
) AS numbered
WHERE type <> ALL($5) OR number = count ORDER BY number
"""  # noqa: S608 - both are ours.

REMEMBERED = "SELECT fingerprint, first_version, last_version FROM es.commands WHERE stream_id = $1 AND command_id = $2"

VERSIONS = "SELECT stream_id, version FROM es.streams WHERE stream_id = ANY($1)"

MESSAGES = "SELECT stream_id, messages FROM public.match_talk WHERE stream_id = ANY($1)"

# The most urgent come first, and those without a clock last.
TURNS = """
SELECT stream_id, game, rematch_of, shown, due FROM (
    SELECT stream_id, game, rematch_of, shown, coalesce((shown->>'due')::timestamptz, '9999-12-31T00:00:00Z') AS due
    FROM public.match_current WHERE waits_for @> ARRAY[$1] AND waits_for <> '{}'
) AS m
WHERE (due, stream_id) > ($2, $3) ORDER BY due, stream_id LIMIT $4
"""

# Any event of any of these matches changes the number.
TURN_MARKS = """
SELECT p.player_id, coalesce(bit_xor(hashtextextended(m.stream_id::text, m.version)), 0) AS mark
FROM unnest($1::text[]) AS p (player_id) LEFT JOIN public.match_current m ON m.waits_for @> ARRAY[p.player_id] AND m.waits_for <> '{}'
GROUP BY p.player_id
"""

# `now()` stands still within a statement; by a clock that moves no index could be searched, and every match with a clock would be read.
TAKE_DUE = """
UPDATE public.match_current SET {column} = clock_timestamp() + $1
WHERE stream_id IN (
    SELECT stream_id FROM public.match_current WHERE {column} <= now()
    ORDER BY {column} LIMIT $2 FOR UPDATE SKIP LOCKED
)
RETURNING stream_id
"""

SUCCESSOR = "SELECT stream_id FROM public.match_current WHERE rematch_of = $1"

_END = 2**63 - 1


class EventStore:
    """Streams of events in PostgreSQL.

    Every method may raise `StoreAway`. Appends have connections of their own, so that reads never make them wait.
    """

    def __init__(self, appending: Connections, reading: Connections) -> None:
        self._appending, self._reading = appending, reading
        self._writer = Writer(appending)
        self._version = Together(self.versions)
        self._following = Together(self._all_following)

    @classmethod
    async def connect(cls, url: str, *, appending: int = 8, reading: int = 8) -> "EventStore":
        """Open the store with up to so many connections. Raises `UnfitDatabase` for a database that would lose events silently."""
        appends = await Connections.open(url, appending, application_name="ludicitude append", synchronous_commit="on")
        try:
            await require_fit(appends)
            reads = await Connections.open(url, reading, application_name="ludicitude read", default_transaction_read_only="on")
        except BaseException:
            await appends.close()
            raise
        return cls(appends, reads)

    async def close(self) -> None:
        """Let appends that are under way end, then close all connections."""
        await self._writer.close(2 * PATIENCE_SECONDS)
        await asyncio.gather(self._appending.close(), self._reading.close())

    def begin(self, append: Append, then: Then | None = None) -> "asyncio.Future[Appended]":
        """Put the events of one command on their way to the disk, where they are when the future is done.

        It goes on whoever waits for it or leaves, and then calls `then` in any case. The future raises `WrongVersion` when the
        stream is not at the expected version, and `KeyReused` when the command's id stood for something else. Raises
        `Unstorable` at once for what PostgreSQL cannot hold.
        """
        return self._writer.begin(append, then)

    async def append(self, append: Append) -> Appended:
        """Store the events of one command (see `begin`); they are on disk when this returns."""
        return await self.begin(append)

    async def load(self, stream: UUID, state_schema: int, upto: int | None = None, limit: int = 500) -> Loaded | None:
        """A match as it stands, or as it stood at version `upto`; None when there is no such stream.

        Of the events after its snapshot come `limit` at most; `events` gives the others.
        """
        rows = await self._reading.rows(LOAD, stream, state_schema, _END if upto is None else upto, limit)
        if not rows:
            return None
        head, *tail = rows
        snapshot = None if head["saved"] is None else Snapshot(head["saved"], head["state"])
        return Loaded(head["game"], snapshot, tuple(map(_stored, tail)), head["seed"])

    async def events(self, stream: UUID, after: int, limit: int, upto: int | None = None) -> list[Stored]:
        """Up to `limit` events of a stream that follow version `after`, oldest first, none later than version `upto`."""
        return list(map(_stored, await self._reading.rows(EVENTS, stream, after, limit, _END if upto is None else upto)))

    async def following(self, stream: UUID, after: int) -> list[Stored]:
        """The events of a stream that follow version `after`, oldest first, `FOLLOWING_MAX` of them at most."""
        return await self._following((stream, after)) or []

    async def _all_following(self, places: Collection[tuple[UUID, int]]) -> Mapping[tuple[UUID, int], list[Stored]]:
        found: dict[tuple[UUID, int], list[Stored]] = {}
        for row in await self._reading.rows(FOLLOWING, *map(list, zip(*places, strict=True)), FOLLOWING_MAX):
            found.setdefault((row["stream_id"], row["after"]), []).append(_stored(row))
        return found

    async def version(self, stream: UUID) -> int:
        """How many events the stream has; 0 when there is no such stream."""
        return await self._version(stream) or 0

    async def versions(self, streams: Iterable[UUID]) -> Mapping[UUID, int]:
        """How many events each of these streams has; those that do not exist are left out."""
        return {row["stream_id"]: row["version"] for row in await self._reading.rows(VERSIONS, list(streams))}

    async def messages(self, streams: Iterable[UUID]) -> Mapping[UUID, int]:
        """How far the talk at each of these matches has come; those where nothing was said are left out."""
        return {row["stream_id"]: row["messages"] for row in await self._reading.rows(MESSAGES, list(streams))}

    async def remembered(self, stream: UUID, command: UUID) -> Remembered | None:
        """What this command did to the stream, if it has been appended."""
        rows = await self._reading.rows(REMEMBERED, stream, command)
        return Remembered(*rows[0]) if rows else None

    async def take_due(self, column: Literal["due_at", "bots_at"], held_for: timedelta, limit: int) -> list[UUID]:
        """Up to `limit` matches that are due by this column, oldest first. Nobody else is given them for `held_for`."""
        rows = await self._appending.rows(TAKE_DUE.format(column=column), held_for, limit)
        return [row["stream_id"] for row in rows]

    async def successor(self, stream: UUID) -> UUID | None:
        """The match that follows this one, if there is one."""
        rows = await self._reading.rows(SUCCESSOR, stream)
        return rows[0]["stream_id"] if rows else None

    async def turns(self, player_id: str, after: tuple[datetime, UUID], limit: int) -> list[Waiting]:
        """Up to `limit` matches that wait for this player, those that are due first at the beginning.

        `after` are the `due` and the stream of the last one before them; `due` is in the year 9999 where there is no clock.
        """
        rows = await self._reading.rows(TURNS, player_id, *after, limit)
        return [Waiting(*row) for row in rows]

    async def turn_marks(self, players: Iterable[str]) -> Mapping[str, int]:
        """A number for each of these players that changes whenever what waits for them does."""
        return {row["player_id"]: row["mark"] for row in await self._reading.rows(TURN_MARKS, list(players))}

    async def save_snapshot(self, stream: UUID, state_schema: int, version: int, state: bytes, stays: bool = False) -> None:
        """Keep a state (JSON text) for later loads, unless the stream has not come so far, or a later one is there that does not stay."""
        await self._appending.rows(SAVE_MILESTONE if stays else SAVE_SNAPSHOT, stream, state_schema, version, state)

    async def read_all(self, cursor: Cursor, limit: int, but: Collection[str] = ()) -> Page:
        """Up to `limit` events of all streams after `cursor`, in an order that keeps each stream's own, without those of the types `but`.

        Events appear once nothing that is still under way can come before them; none is ever skipped or given twice.
        """
        asked = (cursor.epoch, str(cursor.tx), cursor.position, limit)
        rows = await (self._reading.rows(READ_ALL_BUT, *asked, list(but)) if but else self._reading.rows(READ_ALL, *asked))
        if not rows:
            return Page((), cursor, 0)
        logged = [Logged(row["stream_id"], _stored(row), Cursor(row["epoch"], row["tx"], row["position"])) for row in rows]
        items = tuple([each for each in logged if each.event.type not in but])
        return Page(items, logged[-1].cursor, rows[-1]["count"] if but else len(rows))

    async def fence_lag(self) -> float:
        """For how many seconds the oldest event that `read_all` does not give yet has been waiting; 0 when there is none."""
        [row] = await self._reading.rows(FENCE_LAG)
        return float(row[0])


def _stored(row: asyncpg.Record) -> Stored:
    return Stored(row["version"], row["at"], row["type"], row["schema_version"], row["data"], row["meta"])
