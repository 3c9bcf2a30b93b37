"""How appends get to the disk: those that come while others are being written go together, in one transaction.

Each of them still takes effect by itself, all or not at all. Whatever the batch leaves out, and every append of a batch that
fails, is sent alone, and it is then that anybody hears of a conflict. So nobody pays for the company they were in.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, TypeAlias
from uuid import UUID

import asyncpg
import msgspec
import structlog
from prometheus_client import Counter, Histogram

from service.store.connections import Connections
from service.store.contract import Append, Appended, KeyReused, RematchTaken, StoreAway, Unstorable, WrongVersion, is_storable
from service.store.ids import derived_id

APPEND = """
SELECT status, first_version, last_version, at
FROM es.append_v2($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)
"""

# The driver looks at each value of each array; one JSON text is written in one go, and reads itself into the same types. As json and not
# jsonb it would be read three times.
APPEND_MANY = """
SELECT appended, at
FROM es.append_many_v1(ARRAY(SELECT a FROM jsonb_populate_recordset(NULL::es.appending_v1, $1) a))
"""

TOGETHER_MAX = 64
"""So many appends share a transaction at most."""

WAITING_MAX = 5_000
"""So many wait for their turn at most; who comes then is told that the database is too busy."""

MOMENT_SECONDS = 0.02
"""How long the next batch waits for the one before it, which takes longer only where something holds it up."""

APPENDS = Counter("ludicitude_appends_total", "Appends of one command's events, by what came of them.", ["outcome"])
APPEND_SECONDS = Histogram("ludicitude_append_seconds", "Time until an append is on disk or has failed, in seconds.")
BATCHES = Counter("ludicitude_append_batches_total", "Transactions that held several appends.")

_outcome = lru_cache(APPENDS.labels)

log = structlog.get_logger()


Then: TypeAlias = Callable[[Appended], None]
"""What is to be done the moment an append is on disk, whoever still waits for it."""


class _Waiting:
    """An append on its way, since when, and whom to tell."""

    __slots__ = ("append", "done", "since", "then")

    def __init__(self, append: Append, then: Then | None, done: "asyncio.Future[Appended]") -> None:
        self.append, self.then, self.done, self.since = append, then, done, time.perf_counter()

    def succeeded(self, appended: Appended) -> None:
        self._count("duplicate" if appended.duplicate else "appended")
        try:
            if self.then is not None:
                self.then(appended)
        except Exception:  # It is on disk all the same, and who waits for it, or came with it, is told so.
            log.exception("not_told_of_append", stream=str(self.append.stream))
        if not self.done.done():
            self.done.set_result(appended)

    def failed(self, error: Exception) -> None:
        self._count("lost_race" if isinstance(error, WrongVersion) else "reused" if isinstance(error, KeyReused) else "failed")
        if not self.done.done():
            self.done.set_exception(error)

    def _count(self, outcome: str) -> None:
        _outcome(outcome).inc()
        APPEND_SECONDS.observe(time.perf_counter() - self.since)


class Writer:
    """Writes appends in the order in which they come, as far as they are of one stream."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._queue: deque[_Waiting] = deque()
        self._taking: asyncio.Task[None] | None = None
        self._under_way: set[asyncio.Task[None]] = set()

    def begin(self, append: Append, then: Then | None = None) -> "asyncio.Future[Appended]":
        """Put an append on its way. It goes on whatever becomes of the future, and of who waits for it."""
        for event in append.events:
            if not (is_storable(event.data) and is_storable(event.meta)):
                raise Unstorable("the character U+0000 cannot be stored")
        if len(self._queue) >= WAITING_MAX:
            raise StoreAway("too many appends are waiting")
        waiting = _Waiting(append, then, asyncio.get_running_loop().create_future())
        self._queue.append(waiting)
        if self._taking is None:
            self._go_on()
        return waiting.done

    async def close(self, patience: float) -> None:
        """Let everything that is on its way end, for so many seconds at most."""
        gives_up = time.monotonic() + patience
        while self._under_way and (left := gives_up - time.monotonic()) > 0:
            await asyncio.wait(self._under_way, timeout=left)

    def _go_on(self) -> None:
        """Let a task of its own take what waits, from the next turn of the loop on."""
        self._taking = self._start(self._take()) if self._queue else None

    async def _take(self) -> None:
        """Write batch after batch until nothing waits. Where one is held up, another task goes on meanwhile."""
        this, loop = asyncio.current_task(), asyncio.get_running_loop()
        while self._taking is this and self._queue:
            batch = self._next()
            held_up = loop.call_later(MOMENT_SECONDS, self._go_on)
            await (self._together(batch) if len(batch) > 1 else self._alone(batch[0]))
            held_up.cancel()
        if self._taking is this:
            self._taking = None

    def _next(self) -> list[_Waiting]:
        """Those who wait, but of each stream only the first one: the next one rests on what comes of it."""
        batch: dict[UUID, _Waiting] = {}
        rest: list[_Waiting] = []
        while self._queue and len(batch) < TOGETHER_MAX:
            waiting = self._queue.popleft()
            if batch.setdefault(waiting.append.stream, waiting) is not waiting:
                rest.append(waiting)
        self._queue.extendleft(reversed(rest))
        return list(batch.values())

    def _start(self, work: Any) -> "asyncio.Task[None]":
        task: asyncio.Task[None] = asyncio.create_task(work)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        return task

    async def _together(self, batch: Sequence[_Waiting]) -> None:
        """Write a batch; what it leaves out, which is all of it where it fails, goes alone."""
        appended: frozenset[UUID] = frozenset()
        try:
            [row] = await self._connections.rows(APPEND_MANY, together(waiting.append for waiting in batch), patience=0)
            appended = frozenset(row["appended"])
            BATCHES.inc()
        except Exception as error:  # Each of them finds out for itself, and tells.
            log.warning("batch_failed", appends=len(batch), reason=repr(error))
        for waiting in batch:
            append = waiting.append
            if append.stream in appended:
                waiting.succeeded(Appended(append.expected + 1, append.expected + len(append.events), duplicate=False, at=row["at"]))
            else:
                self._start(self._alone(waiting))

    async def _alone(self, waiting: _Waiting) -> None:
        try:
            appended = await self._append(waiting.append)
        except Exception as error:
            waiting.failed(error)
        else:
            waiting.succeeded(appended)

    async def _append(self, append: Append) -> Appended:
        try:
            [row] = await self._connections.rows(APPEND, *arguments(append))
        except asyncpg.PostgresError as error:
            if error.sqlstate == "ES001":
                raise WrongVersion(int(error.detail or 0)) from None
            if isinstance(error, asyncpg.UniqueViolationError) and error.constraint_name == "match_current_rematch":
                raise RematchTaken from None
            raise
        if row["status"] == "reused":
            raise KeyReused
        return Appended(row["first_version"], row["last_version"], row["status"] == "duplicate", row["at"])


def arguments(append: Append) -> tuple[Any, ...]:
    """What `APPEND` takes, in its order. The ids of events come of the command, so that a repeat makes the same ones."""
    events, line = append.events, append.line
    return (
        append.stream,
        append.category,
        append.expected,
        append.command,
        append.fingerprint,
        [derived_id(append.command, b"%d" % ordinal) for ordinal in range(len(events))],
        [event.type for event in events],
        [event.schema_version for event in events],
        [event.data for event in events],
        [event.meta for event in events],
        line.game,
        line.status,
        line.visibility,
        line.seats,
        line.seats_open,
        line.players,
        line.waits_for,
        line.due_at,
        line.bots_owe,
        line.shown,
        line.rematch_of,
        append.seed,
    )


FIELDS = (
    *("stream", "category", "expected", "command", "fingerprint", "ids", "types", "schema_versions", "data", "meta"),
    *("game", "status", "visibility", "seats", "seats_open", "players", "waits_for", "due_at", "bots_owe", "shown", "rematch_of", "seed"),
)
"""What `arguments` are called in the type es.appending_v1."""

_Appending: Any = msgspec.defstruct("_Appending", FIELDS)


def together(appends: Iterable[Append]) -> bytes:
    """What `APPEND_MANY` takes: JSON text."""
    rows = [_Appending(*arguments(append)) for append in appends]
    for row in rows:
        row.data, row.meta, row.shown = list(map(msgspec.Raw, row.data)), list(map(msgspec.Raw, row.meta)), msgspec.Raw(row.shown)
        row.fingerprint, row.seed = _bytea(row.fingerprint), None if row.seed is None else _bytea(row.seed)
    return _encode(rows)


def _bytea(value: bytes) -> str:
    return "\\x" + value.hex()


_encode = msgspec.json.Encoder().encode
