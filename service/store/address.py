"""The one place that reads a DATABASE_URL: for asyncpg as it stands, and as an engine for SQLAlchemy Core."""

from typing import Any

import asyncpg
import msgspec
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

_SCHEMES = ("postgresql://", "postgres://", "postgresql+asyncpg://")


def asyncpg_dsn(url: str) -> str:
    """What `asyncpg.connect` takes. Raises `ValueError` for anything but an address of a PostgreSQL server."""
    for scheme in _SCHEMES:
        if url.startswith(scheme):
            return "postgresql://" + url.removeprefix(scheme)
    raise ValueError(f"a database address starts with {_SCHEMES[0]}")


def sqlalchemy_engine(url: str, **options: Any) -> AsyncEngine:
    """An engine for SQLAlchemy Core; `options` are those of `create_async_engine`.

    asyncpg reads the address itself here too, so that everything it knows (`sslmode`, several hosts, a socket's directory)
    means the same on both ways to the database.
    """
    dsn = asyncpg_dsn(url)
    return create_async_engine(
        "postgresql+asyncpg://",
        async_creator=lambda *_, **arguments: asyncpg.connect(dsn, **arguments),
        json_serializer=lambda value: msgspec.json.encode(value).decode(),
        json_deserializer=msgspec.json.decode,
        **options,
    )
