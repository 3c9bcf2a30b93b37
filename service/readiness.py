"""Whether this process can serve: its database is there, and has the schema that this release needs."""

import asyncio

from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from service import resources
from service.together import Asked

PATIENCE_SECONDS = 2.0


class NotReady(Exception):
    """The service cannot serve now; the message says why."""


class Readiness:
    """Asks the database of `engine`, once for all who ask at the same time: whoever asks need not say who they are."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._scripts = ScriptDirectory(str(resources.folder("migrations")))
        self._asked = Asked(self._check)

    async def check(self) -> None:
        """Raises `NotReady` unless the database answers in time and its schema is of this release or of a later one."""
        await self._asked(None)

    async def _check(self, _: None) -> None:
        try:
            async with asyncio.timeout(PATIENCE_SECONDS), self._engine.connect() as connection:
                revision = await connection.scalar(text("SELECT version_num FROM alembic_version"))
        except ProgrammingError as error:
            raise NotReady("The database has not been migrated") from error
        except (SQLAlchemyError, OSError) as error:
            raise NotReady("The database cannot be reached") from error
        if revision != self._scripts.get_current_head() and self._is_known(revision):
            raise NotReady("The database has not been migrated to this release")

    def _is_known(self, revision: str | None) -> bool:
        """A revision that this release does not know belongs to a later one, whose schema must serve this one too."""
        try:
            return revision is None or bool(self._scripts.get_revision(revision))
        except CommandError:
            return False
