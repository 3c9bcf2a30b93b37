"""Processes of the service without their HTTP, an engine for their read models, and a connection of the test's own."""

from collections.abc import AsyncIterator

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from service.readmodels import checkpoints, runner
from service.readmodels.checkpoints import Checkpoint
from service.readmodels.results import RESULTS
from service.readmodels.runner import Rest
from service.store.address import sqlalchemy_engine
from tests.matches.conftest import process, start_process
from tests.readmodels.played import until
from tests.readmodels.recount import recounted, shown
from tests.store.appends import Session
from tests.store.conftest import database

__all__ = ["database", "process", "start_process"]


@pytest.fixture
async def engine(database_url: str) -> AsyncIterator[AsyncEngine]:
    made = sqlalchemy_engine(database_url)
    yield made
    await made.dispose()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runners that rest for moments only."""
    monkeypatch.setattr(runner, "POLL_SECONDS", 0.02)
    monkeypatch.setattr(runner, "PAUSE", Rest(0.02, wakes=False))
    monkeypatch.setattr(runner, "IDLE", Rest(0.02, wakes=True))


async def live(engine: AsyncEngine) -> Checkpoint:
    async with engine.connect() as connection:
        return await checkpoints.live(connection, RESULTS.name)


async def until_right(database: Session) -> None:
    """Wait until the standings are what the log says, every moment counted anew."""

    async def right() -> bool:
        return await shown(database) == await recounted(database)

    await until(right)
