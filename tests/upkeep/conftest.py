"""Matches of every kind on the test's own database, and a connection that may change what nobody else may."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from sqlalchemy.ext.asyncio import AsyncEngine

from service.store import whole
from service.store.address import sqlalchemy_engine
from tests.conftest import _execute, _new_name, _on_same_server
from tests.matches.conftest import process, start_process
from tests.store.appends import Session
from tests.store.conftest import database

__all__ = ["database", "process", "start_process"]


@pytest.fixture(autouse=True)
def _short_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """A match here has some forty events; one of a hundred thousand is read and stored a thousand at a time."""
    monkeypatch.setattr(whole, "ROWS", 7)


@pytest.fixture
async def engine(database_url: str) -> AsyncIterator[AsyncEngine]:
    made = sqlalchemy_engine(database_url)
    yield made
    await made.dispose()


@pytest_asyncio.fixture
async def other_database_url(server_url: str, template: str) -> AsyncIterator[str]:
    """The address of a second fresh database with the whole schema."""
    name = _new_name()
    await _execute(server_url, f"CREATE DATABASE {name} TEMPLATE {template}")
    yield _on_same_server(server_url, name)
    await _execute(server_url, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
async def vandal(database: Session) -> Session:
    """A connection for which no trigger stands between it and stored events."""
    await database.execute("SET session_replication_role = replica")
    return database
