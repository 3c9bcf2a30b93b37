"""The database as a command of the house meets it: what it cannot do there is told in a sentence."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlalchemy.exc import ProgrammingError
from sqlalchemy.ext.asyncio import AsyncEngine

from service.cant_run import CantRun
from service.store.address import sqlalchemy_engine
from service.store.away import is_away


@asynccontextmanager
async def database(url: str) -> AsyncIterator[AsyncEngine]:
    """An engine for one command. Raises `CantRun` when the database is out of reach, or lacks the tables that are asked for."""
    engine = sqlalchemy_engine(url, pool_size=2)
    try:
        yield engine
    except ProgrammingError as error:
        if getattr(error.orig, "sqlstate", None) not in ("3F000", "42P01", "42883"):  # No such schema, table, function.
            raise
        raise CantRun("This database has not been migrated: run `ludicitude migrate`.") from error
    except Exception as error:
        if not is_away(error):
            raise
        raise CantRun("The database went away, or cannot be reached.") from error
    finally:
        await engine.dispose()
