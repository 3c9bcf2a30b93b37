"""Connections to the database that outlive its absence: short waits, a few repeats, and then a clear answer."""

import asyncio
import time
from contextlib import suppress
from typing import Any

import asyncpg

from service import chance
from service.store.address import ACQUIRE_SECONDS, ANSWER_SECONDS, CONNECT_SECONDS, SERVER_SETTINGS, asyncpg_dsn
from service.store.contract import StoreAway

PATIENCE_SECONDS = 1.5
"""No statement is sent again when it was first sent longer ago than this."""

LONGEST_PAUSE_SECONDS = 0.25
"""Between two tries; the pauses grow up to this."""

PASSING = ("08", "53", "57", "40001", "40P01", "55P03", "25006")
"""Beginnings of the SQLSTATEs that may be gone at the next try: connection lost, server full, stopping or interrupting,
order guard, deadlock, lock not available, and a server that has just become a standby."""


class Connections:
    """A bounded number of connections, on which every statement is a transaction of its own.

    Only for statements that may be sent twice: a connection may break after a statement took effect and before we heard of it.
    """

    def __init__(self, pool: "asyncpg.Pool[asyncpg.Record]") -> None:
        self._pool = pool
        self._at_hand: list[Any] = []
        """Connections of the pool that rest here: to give one back and to take it again is more work than most statements are."""
        self._wanting = 0
        """How many wait for the pool, which gets back then what comes free."""

    @classmethod
    async def open(cls, url: str, most: int, **settings: str) -> "Connections":
        """Up to `most` connections with these settings of the server. Raises `StoreAway` when it cannot be reached."""
        try:
            pool = await asyncpg.create_pool(
                asyncpg_dsn(url),
                min_size=1,
                max_size=most,
                max_queries=1_000_000,
                max_inactive_connection_lifetime=0,
                timeout=CONNECT_SECONDS,
                command_timeout=ANSWER_SECONDS,
                server_settings={**SERVER_SETTINGS, **settings},
                init=speak_json,
                reset=_nothing_to_reset,
            )
        except (OSError, asyncpg.PostgresError) as reason:
            raise _away(reason) from reason
        return cls(pool)

    async def close(self) -> None:
        """Close all connections, by force where one does not close in time."""
        self._wanting += 1
        while self._at_hand:
            await self._give_back(self._at_hand.pop())
        try:
            await asyncio.wait_for(self._pool.close(), PATIENCE_SECONDS)
        except TimeoutError:
            self._pool.terminate()

    async def rows(self, statement: str, *arguments: Any, patience: float | None = None) -> "list[asyncpg.Record]":
        """The rows of one statement, sent again while the database is away for a moment, or for `patience` seconds.

        Raises `StoreAway` when it stays away or no connection gets free, and asyncpg's own errors for everything else.
        """
        gives_up = time.monotonic() + (PATIENCE_SECONDS if patience is None else patience)
        pause = 0.01
        while True:
            try:
                return await self._once(statement, arguments)
            except _Passing as passing:
                pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
                if time.monotonic() + pause > gives_up:
                    raise _away(passing.__cause__) from passing.__cause__
            await asyncio.sleep(chance.jitter(pause))

    async def _once(self, statement: str, arguments: tuple[Any, ...]) -> "list[asyncpg.Record]":
        connection = await self._connection()
        sound = False
        try:
            rows: list[asyncpg.Record] = await connection.fetch(statement, *arguments)
            sound = True
            return rows
        except (OSError, asyncpg.PostgresError) as reason:
            if not _passing(reason):
                raise
            raise _Passing from reason
        except asyncpg.InternalClientError as reason:  # The connection broke at an awkward moment, and stays unusable.
            with suppress(asyncpg.InterfaceError):
                connection.terminate()
            raise _Passing from reason
        except asyncpg.InterfaceError as reason:
            if _is_closed(connection):
                raise _Passing from reason
            raise
        finally:
            if sound and not self._wanting:
                self._at_hand.append(connection)
            else:
                await self._give_back(connection)

    async def _connection(self) -> Any:
        """One that rests at hand, or else one of the pool's."""
        while self._at_hand:
            connection = self._at_hand.pop()
            if not _is_closed(connection):
                return connection
            await self._give_back(connection)
        self._wanting += 1
        try:
            return await self._pool.acquire(timeout=ACQUIRE_SECONDS)
        except TimeoutError as full:
            raise StoreAway("no connection got free in time") from full
        except asyncpg.InternalClientError as reason:  # A new connection broke at an awkward moment.
            raise _Passing from reason
        except asyncpg.InterfaceError as reason:  # The process stops.
            raise _away(reason) from reason
        except (OSError, asyncpg.PostgresError) as reason:
            if not _passing(reason):
                raise
            raise _Passing from reason
        finally:
            self._wanting -= 1

    async def _give_back(self, connection: Any) -> None:
        # What cannot be given back in time has been closed by the pool, and another one will take its place.
        with suppress(OSError, asyncpg.InterfaceError, asyncpg.PostgresError):
            await self._pool.release(connection, timeout=ACQUIRE_SECONDS)


class _Passing(Exception):
    """The cause of this may be gone at the next try."""


def _is_closed(connection: Any) -> bool:
    """Whether a connection has ended. One that ended by itself is the pool's again, which tells us no more of it."""
    try:
        return bool(connection.is_closed())
    except asyncpg.InterfaceError:
        return True


def _away(reason: BaseException | None) -> StoreAway:
    return StoreAway(str(reason) or type(reason).__name__)


def _passing(reason: Exception) -> bool:
    return not isinstance(reason, asyncpg.PostgresError) or (reason.sqlstate or "").startswith(PASSING)


async def speak_json(connection: "asyncpg.Connection[asyncpg.Record]") -> None:
    """JSON goes through as the bytes it is; jsonb's binary form is the text after a version byte."""
    await connection.set_type_codec(
        "jsonb", schema="pg_catalog", format="binary", encoder=lambda text: b"\x01" + text, decoder=lambda sent: sent[1:]
    )
    await connection.set_type_codec("json", schema="pg_catalog", format="binary", encoder=bytes, decoder=bytes)


async def _nothing_to_reset(connection: "asyncpg.Connection[asyncpg.Record]") -> None:
    """A single statement leaves no setting, lock, cursor or listener behind, so the usual reset is a round trip for nothing."""
