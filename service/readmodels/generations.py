"""Building a projection anew while everything goes on: a further generation, from the beginning of the log, shown when it is there."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import TypeAlias

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from service.readmodels import checkpoints
from service.readmodels.projection import Projection, advance
from service.store import EventStore

BATCH = 1_000
LAST_STEPS_MAX = 100
"""How often the generation that is shown may get ahead again in the very moment in which the new one has caught up."""

_LOCK = 0x6C7564695F72656D
"""The advisory lock of whoever rebuilds, the same number in every release; the name of the projection goes with it."""

Tell: TypeAlias = Callable[[int], None]
"""Is told how many events have been read so far."""


class AlreadyRebuilding(Exception):
    """Somebody else is at it. Nothing was done."""


class NeverCaughtUp(Exception):
    """The generation that is shown was ahead again, over and over. It still is the one that is shown."""


async def rebuild(store: EventStore, engine: AsyncEngine, projection: Projection, tell: Tell, batch: int = BATCH) -> int:
    """Build a generation of the projection from the whole log, show it, and delete the one before; answers its number.

    The one before is shown and kept up to date until then, and nothing has changed when this breaks off. What was left by an
    earlier try is deleted first. Raises `AlreadyRebuilding`, and `Overtaken` when our lock was lost to somebody.
    """
    async with _alone(engine, projection.name):
        await checkpoints.clear(engine, projection.name, projection.tables)
        checkpoint, read = await checkpoints.begin(engine, projection.name), 0
        for _ in range(LAST_STEPS_MAX):
            count = batch
            while count == batch:
                checkpoint, count = await advance(store, engine, projection, checkpoint, batch)
                read += count
                tell(read)
            if await checkpoints.show(engine, projection.name, checkpoint.generation):
                await checkpoints.clear(engine, projection.name, projection.tables)
                return checkpoint.generation
        raise NeverCaughtUp


async def written(engine: AsyncEngine) -> int:
    """About how many events the log has: no fewer, and hardly more."""
    async with engine.connect() as connection:
        asked = text("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM es.event_position")
        return int((await connection.execute(asked)).scalar_one())


@asynccontextmanager
async def _alone(engine: AsyncEngine, name: str) -> AsyncIterator[None]:
    """The lock that lasts as long as its connection, which holds no transaction open meanwhile."""
    lock = {"lock": _LOCK, "name": name}
    async with engine.connect() as connection:
        connection = await connection.execution_options(isolation_level="AUTOCOMMIT")
        taken = text("SELECT pg_try_advisory_lock(CAST(:lock AS bigint) # hashtext(:name))")
        if not (await connection.execute(taken, lock)).scalar_one():
            raise AlreadyRebuilding
        try:
            yield
        finally:
            with suppress(DBAPIError, OSError):  # A connection that is gone has let go of the lock.
                await connection.execute(text("SELECT pg_advisory_unlock(CAST(:lock AS bigint) # hashtext(:name))"), lock)
