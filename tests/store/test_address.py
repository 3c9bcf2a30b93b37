"""One address of a database serves both ways to it."""

import pytest
from sqlalchemy import insert, select

from service.store.address import asyncpg_dsn, sqlalchemy_engine
from service.store.tables import snapshots


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+asyncpg"])
def test_the_usual_spellings_mean_the_same(scheme: str) -> None:
    rest = "://user:p%40ss@host:5433/name?sslmode=require"
    assert asyncpg_dsn(scheme + rest) == "postgresql" + rest


@pytest.mark.parametrize("url", ["", "mysql://host/name", "postgresql+psycopg://host/name", "/run/postgresql"])
def test_anything_else_is_a_mistake(url: str) -> None:
    with pytest.raises(ValueError, match="postgresql://"):
        asyncpg_dsn(url)


async def test_core_reaches_the_same_database(database_url: str) -> None:
    engine = sqlalchemy_engine(database_url.replace("postgresql://", "postgres://"), pool_size=1)
    state = {"b": [1, None], "a": "é"}
    async with engine.begin() as connection:
        row = {"stream_id": "00000000-0000-0000-0000-000000000001", "state_schema": 1, "version": 1, "state": state}
        await connection.execute(insert(snapshots), row)
        assert (await connection.execute(select(snapshots.c.state))).scalar_one() == state
    await engine.dispose()
