"""Matches of every kind on the test's own database, and a connection that may change what nobody else may."""

from collections.abc import AsyncIterator

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from service.store.address import sqlalchemy_engine
from tests.matches.conftest import process, start_process
from tests.store.appends import Session
from tests.store.conftest import database

__all__ = ["database", "process", "start_process"]


@pytest.fixture
async def engine(database_url: str) -> AsyncIterator[AsyncEngine]:
    made = sqlalchemy_engine(database_url)
    yield made
    await made.dispose()


@pytest.fixture
async def vandal(database: Session) -> Session:
    """A connection for which no trigger stands between it and stored events."""
    await database.execute("SET session_replication_role = replica")
    return database
