"""The database that tests run on: a fresh one for each test, all alike, on a server that lasts for the run.

The server is the one at DATABASE_URL, or a container if LUDICITUDE_TEST_DATABASE=container, or else the embedded one.
"""

import asyncio
import itertools
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import asyncpg
import pytest
import pytest_asyncio
import structlog
from httpx._config import DEFAULT_TIMEOUT_CONFIG
from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]

from service.embedded import EmbeddedPostgres
from service.migrate import migrate
from service.store.address import SERVER_SETTINGS
from tests import patience
from tests.service.overheard import Overheard, overhearing

# Nothing on a server that lasts for one run is worth waiting for the disk, or much room.
THROW_AWAY = {"fsync": "off", "full_page_writes": "off", "max_wal_size": "128MB"}

MEMORY = Path("/dev/shm")
ROOM_BYTES = 2 << 30

_numbers = itertools.count(1)


class BesideEachOther(LoadFileScheduling):  # type: ignore[misc]
    """Who runs what in a run of several processes: a file stays whole, and the clients that `tests/sdk` generates are made once."""

    def _split_scope(self, nodeid: str) -> str:
        return "tests/sdk" if nodeid.startswith("tests/sdk/") else str(super()._split_scope(nodeid))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> BesideEachOther:
    return BesideEachOther(config, log)


@pytest.fixture(scope="session", autouse=True)
def overheard() -> Iterator[Overheard]:
    """What comes over the network from the service, in any test, is held against the API's document."""
    with overhearing() as heard:
        yield heard
    assert heard.faults == []


def _new_name() -> str:
    return f"ludicitude_test_{os.getpid()}_{next(_numbers)}"


def _on_same_server(server_url: str, database: str) -> str:
    return urlsplit(server_url)._replace(path=f"/{quote(database)}").geturl()


async def _execute(server_url: str, statement: str) -> None:
    connection = await asyncpg.connect(server_url)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


def _in_memory() -> Path | None:
    """The folder that Linux keeps in memory, if programs may run there and it has room for the databases of a whole run."""
    try:
        found = os.statvfs(MEMORY)
    except FileNotFoundError:
        return None
    roomy = found.f_bavail * found.f_frsize >= ROOM_BYTES and not found.f_flag & os.ST_NOEXEC
    return MEMORY if roomy and os.access(MEMORY, os.W_OK) else None


def _reachable_folder() -> Path:
    """A new folder that PostgreSQL's user can enter, as pytest's own temporary folders are not when root runs the tests.

    It lies in memory where it can: a database has some hundred files, and each test has a database.
    """
    folder = Path(tempfile.mkdtemp(prefix="ludicitude-", dir=_in_memory()))
    folder.chmod(0o711)
    return folder


@pytest.fixture(scope="session", autouse=True)
def _plain_tracebacks() -> None:
    """As the service writes them. Those that structlog writes by itself hold up the loop for seconds, over the values of all variables."""
    *others, _ = structlog.get_config()["processors"]
    structlog.configure(processors=[*others, structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)])


@pytest.fixture(scope="session", autouse=True)
def _patient_clients() -> None:
    """Of servers that are processes of their own. By itself httpx gives up after five seconds, which a busy machine may need."""
    for wait in ("connect", "read", "write", "pool"):
        setattr(DEFAULT_TIMEOUT_CONFIG, wait, 60)


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer that is late because the machine is busy is no fault of the service that runs within the tests, and neither is one that
    says so. Who tests the bounds themselves sets their own.
    """
    for path, seconds in patience.SECONDS.items():
        monkeypatch.setattr(path, seconds)
    for name, value in patience.SERVER_SETTINGS.items():
        monkeypatch.setitem(SERVER_SETTINGS, name, value)


@pytest.fixture
def server_folder() -> Iterator[Path]:
    """An empty folder for a test that starts its own `EmbeddedPostgres`."""
    folder = _reachable_folder()
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def used_server_folder() -> Iterator[Path]:
    """The same for all tests of a file, in turn: since making a cluster takes a while, they use what the others left."""
    folder = _reachable_folder()
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    """A server on which databases can be made."""
    if given := os.environ.get("DATABASE_URL"):
        yield given
    elif (kind := os.environ.get("LUDICITUDE_TEST_DATABASE", "embedded")) == "container":
        from testcontainers.community.postgres import PostgresContainer

        with PostgresContainer("postgres:18", driver=None) as container:
            yield container.get_connection_url()
    else:
        assert kind == "embedded", f"LUDICITUDE_TEST_DATABASE is {kind!r}, which is neither 'embedded' nor 'container'."
        folder = _reachable_folder()
        with EmbeddedPostgres(folder, settings=THROW_AWAY) as server:
            yield server.url()
        shutil.rmtree(folder)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def template(server_url: str) -> AsyncIterator[str]:
    """The name of a database with the whole schema and no rows, which new ones are copied from."""
    name = _new_name()
    await _execute(server_url, f"CREATE DATABASE {name}")
    await migrate(_on_same_server(server_url, name))
    yield name
    await _execute(server_url, f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def fresh_database(server_url: str, template: str) -> Iterator[str]:
    """The address of a database with the whole schema, for as long as the block lasts, where no loop runs."""
    name = _new_name()
    asyncio.run(_execute(server_url, f"CREATE DATABASE {name} TEMPLATE {template}"))
    yield _on_same_server(server_url, name)
    asyncio.run(_execute(server_url, f"DROP DATABASE {name} WITH (FORCE)"))


@pytest_asyncio.fixture
async def empty_database_url(server_url: str) -> AsyncIterator[str]:
    """The address of a database with nothing in it."""
    name = _new_name()
    await _execute(server_url, f"CREATE DATABASE {name}")
    yield _on_same_server(server_url, name)
    await _execute(server_url, f"DROP DATABASE {name} WITH (FORCE)")


@pytest_asyncio.fixture
async def database_url(server_url: str, template: str) -> AsyncIterator[str]:
    """The address of a fresh database with the whole schema, for this test alone."""
    name = _new_name()
    await _execute(server_url, f"CREATE DATABASE {name} TEMPLATE {template}")
    yield _on_same_server(server_url, name)
    await _execute(server_url, f"DROP DATABASE {name} WITH (FORCE)")
