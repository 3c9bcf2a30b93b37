"""The service on a fresh database, and clients of it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
import pytest_asyncio
from litestar import Litestar

from service import settings
from service.accounts.operators import token_hash
from service.app import create_app
from tests.service.documented import Documented
from tests.service.raw import Server
from tests.service.routes import app_of_routes

OLGA = "ludop_jgSK4fOBbeRAZWIrVoxiAH1Y6lnO7beEdY65dYPOXHo06K6Cq"
"""The token of an operator called olga."""


def inside(app: Any) -> httpx.ASGITransport:
    """The way to an app without a network. A bug in it is an answer with status 500, as it is for the world."""
    return httpx.ASGITransport(app, raise_app_exceptions=False)


@asynccontextmanager
async def running(app: Litestar) -> AsyncIterator[Litestar]:
    """The app from its start to its end, both in one task, as its lifespan wants it; fixtures begin and end in two."""
    started, ending = asyncio.Event(), asyncio.Event()

    async def live() -> None:
        async with app.lifespan():
            started.set()
            await ending.wait()

    life, start = asyncio.create_task(live()), asyncio.create_task(started.wait())
    await asyncio.wait({life, start}, return_when=asyncio.FIRST_COMPLETED)
    start.cancel()
    if started.is_set():
        yield app
    ending.set()
    await life


@pytest_asyncio.fixture
async def app(database_url: str) -> AsyncIterator[Litestar]:
    """The whole app, running in test mode, with an operator."""
    variables = {"DATABASE_URL": database_url, "LUDICITUDE_TEST_MODE": "on", "LUDICITUDE_OPERATORS": f"olga={token_hash(OLGA)}"}
    async with running(create_app(settings.read(variables))) as made:
        yield made


@pytest.fixture
def transport(app: Litestar) -> Documented:
    return Documented(inside(app))


@pytest_asyncio.fixture
async def client(transport: Documented) -> AsyncIterator[httpx.AsyncClient]:
    """A client of nobody."""
    async with httpx.AsyncClient(transport=transport, base_url="http://ludicitude.test") as made:
        yield made


@pytest_asyncio.fixture
async def bare() -> AsyncIterator[httpx.AsyncClient]:
    """A client of the tests' own routes, without a database."""
    async with httpx.AsyncClient(transport=inside(app_of_routes()), base_url="http://ludicitude.test") as made:
        yield made


@pytest.fixture
def operator(transport: Documented) -> httpx.AsyncClient:
    """A client of the operator."""
    return bearing(transport, OLGA)


Join = Callable[[str], Awaitable[httpx.AsyncClient]]


@pytest_asyncio.fixture
async def join(client: httpx.AsyncClient, transport: Documented) -> Join:
    """Makes a player of this name, and the client that calls as them."""

    async def joined(name: str) -> httpx.AsyncClient:
        created = await client.post("/v1/players", json={"display_name": name})
        assert created.status_code == 201, created.text
        return bearing(transport, created.json()["token"])

    return joined


def bearing(transport: httpx.AsyncBaseTransport, token: str) -> httpx.AsyncClient:
    """A client that sends this token."""
    return httpx.AsyncClient(transport=transport, base_url="http://ludicitude.test", headers={"Authorization": f"Bearer {token}"})


@pytest_asyncio.fixture
async def server() -> AsyncIterator[Server]:
    made = Server(app_of_routes())
    async with await asyncio.get_running_loop().create_server(made.accept, "127.0.0.1", 0) as listening:
        made.port = listening.sockets[0].getsockname()[1]
        yield made
        await made.close()
