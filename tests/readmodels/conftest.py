"""Processes of the service without their HTTP, an engine for their read models, and a connection of the test's own."""

from collections.abc import AsyncIterator

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from service.store.address import sqlalchemy_engine
from tests.matches.conftest import process, start_process
from tests.store.conftest import database

__all__ = ["database", "process", "start_process"]


@pytest.fixture
async def engine(database_url: str) -> AsyncIterator[AsyncEngine]:
    made = sqlalchemy_engine(database_url)
    yield made
    await made.dispose()
