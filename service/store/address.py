"""The one place that reads a DATABASE_URL: for asyncpg as it stands, and as an engine for SQLAlchemy Core.

Both ways to the database wait for it only so long, and so does it for us.
"""

from typing import Any

import asyncpg
import msgspec
from sqlalchemy import event
from sqlalchemy.exc import DisconnectionError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

CONNECT_SECONDS = 3.0
"""How long a new connection may take."""

ANSWER_SECONDS = 3.0
"""A server that takes longer to answer is taken to be gone."""

ACQUIRE_SECONDS = 2.0
"""How long anybody waits for a free connection."""

SERVER_SETTINGS = {
    "statement_timeout": "2s",
    "lock_timeout": "1s",
    # An open transaction that nobody goes on with would hold up every reader of all streams.
    "idle_in_transaction_session_timeout": "5s",
    "tcp_keepalives_idle": "10",
    "jit": "off",
}
"""How long a server lets one of our statements run, wait for a lock, or leave a transaction open."""

_SCHEMES = ("postgresql://", "postgres://", "postgresql+asyncpg://")


def asyncpg_dsn(url: str) -> str:
    """What `asyncpg.connect` takes. Raises `ValueError` for anything but an address of a PostgreSQL server."""
    for scheme in _SCHEMES:
        if url.startswith(scheme):
            return "postgresql://" + url.removeprefix(scheme)
    raise ValueError(f"a database address starts with {_SCHEMES[0]}")


def sqlalchemy_engine(url: str, pool_size: int = 8) -> AsyncEngine:
    """An engine for SQLAlchemy Core with up to `pool_size` connections.

    asyncpg reads the address itself here too, so that everything it knows (`sslmode`, several hosts, a socket's directory)
    means the same on both ways to the database.
    """
    dsn = asyncpg_dsn(url)

    async def connect(**arguments: Any) -> "asyncpg.Connection[asyncpg.Record]":
        return await asyncpg.connect(
            dsn,
            timeout=CONNECT_SECONDS,
            command_timeout=ANSWER_SECONDS,
            server_settings={**SERVER_SETTINGS, "application_name": "ludicitude query"},
            **arguments,
        )

    engine = create_async_engine(
        "postgresql+asyncpg://",
        async_creator=connect,
        pool_size=pool_size,
        max_overflow=0,
        pool_timeout=ACQUIRE_SECONDS,
        hide_parameters=True,
        json_serializer=lambda value: msgspec.json.encode(value).decode(),
        json_deserializer=msgspec.json.decode,
    )
    event.listen(engine.sync_engine, "checkout", _pass_over_closed)
    return engine


def _pass_over_closed(connection: Any, *_: object) -> None:
    """After a restart of the server the pool is full of connections that have ended; nobody shall hear of that. It costs no round trip."""
    if connection.driver_connection.is_closed():
        raise DisconnectionError
