"""A store on the fresh database of each test."""

from collections.abc import AsyncIterator

import pytest_asyncio

from service.store import EventStore
from tests.store.appends import Session, session


@pytest_asyncio.fixture
async def store(database_url: str) -> AsyncIterator[EventStore]:
    opened = await EventStore.connect(database_url)
    yield opened
    await opened.close()


@pytest_asyncio.fixture
async def database(database_url: str) -> AsyncIterator[Session]:
    """A connection of the test's own to the database of `store`."""
    async with session(database_url) as connection:
        yield connection
