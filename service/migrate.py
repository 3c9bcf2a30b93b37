"""Bring the database's schema up to date, also when many processes start on it at once."""

import asyncio
import time
from pathlib import Path

import asyncpg
from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from service import resources
from service.cant_run import CantRun
from service.store.address import asyncpg_dsn

_LOCK = 0x6C75646963697465
"""The advisory lock of whoever migrates, the same number in every release."""

_CONNECT_SECONDS = 10.0
_PATIENCE_SECONDS = 600.0
_PAUSE_SECONDS = 0.2


async def migrate(database_url: str, scripts: Path | None = None) -> None:
    """Apply the migrations in `scripts` (the house's own unless given) that the database does not have yet.

    One process does it, the others wait and then find nothing to do. Raises `CantRun` when the database can't be reached, or after
    ten minutes of waiting.
    """
    # Not an engine of the store's: building an index may take longer than an answer to a player.
    dsn = asyncpg_dsn(database_url)
    engine = create_async_engine("postgresql+asyncpg://", async_creator=lambda: asyncpg.connect(dsn, timeout=_CONNECT_SECONDS))
    try:
        connection = await engine.connect()
    except (OSError, DBAPIError) as error:
        reason = error.orig if isinstance(error, DBAPIError) else error
        said = str(reason) or type(reason).__name__
        raise CantRun(f"The database can't be reached: {said}. `ludicitude doctor` says what stands in the way.") from error
    try:
        await _take_lock(connection)
        try:
            await connection.run_sync(_upgrade, scripts or resources.folder("migrations"))
            await connection.commit()
        finally:
            await connection.rollback()
            await connection.execute(text("SELECT pg_advisory_unlock(:lock)"), {"lock": _LOCK})
    finally:
        await connection.close()
        await engine.dispose()


async def _take_lock(connection: AsyncConnection) -> None:
    """Take the lock by asking again and again, with no transaction open in between.

    A call that waits inside the database holds a snapshot, and a migration that builds an index concurrently waits for all
    snapshots to end: the two would wait for each other.
    """
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while not await connection.scalar(text("SELECT pg_try_advisory_lock(:lock)"), {"lock": _LOCK}):
        await connection.rollback()
        if time.monotonic() > deadline:
            raise CantRun("Another process has held the migration lock of this database for ten minutes.")
        await asyncio.sleep(_PAUSE_SECONDS)
    await connection.commit()


def _upgrade(connection: Connection, scripts: Path) -> None:
    config = Config()
    config.set_main_option("script_location", str(scripts).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
