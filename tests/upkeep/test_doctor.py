"""`ludicitude doctor` says of each thing that can be wrong with a database that it is, and what to do."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from itertools import cycle
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from domain.games import GAMES
from service.cant_run import CantRun
from service.store import EventStore, checkup
from service.upkeep.doctor import bump_epoch, examine
from tests.matches.conftest import Process
from tests.store.appends import Session, append_within, appending, session
from tests.store.test_fitness import RESTORED
from tests.upkeep.lives import opened


async def told(database_url: str) -> tuple[int, list[str]]:
    lines = list[str]()
    return await examine(database_url, lines.append), lines


def wrong(lines: list[str]) -> list[str]:
    """What is wrong besides the disk, which nobody waits for in tests."""
    return [line for line in lines if line.startswith("WRONG") and "fsync is off" not in line]


@pytest.fixture
async def connection(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    async with engine.connect() as plain:
        yield await plain.execution_options(isolation_level="AUTOCOMMIT")


async def test_all_is_well_with_a_database_in_use(process: Process, database_url: str) -> None:
    await opened(process, GAMES["pico"], 2)
    count, lines = await told(database_url)
    assert wrong(lines) == []
    assert len(lines) == 11
    assert count == sum(line.startswith("WRONG") for line in lines)


class Pretending:
    """A server that says something else than the one behind it."""

    def __init__(self, behind: AsyncConnection, says: Any) -> None:
        self._behind, self._says = behind, says

    async def execute(self, statement: Any, parameters: Any = None, /) -> Any:
        return await self._behind.execute(text("SELECT CAST(:says AS text)"), {"says": self._says})


@pytest.mark.parametrize("says", ["CockroachDB CCL v24.1.0 (x86_64)", "PostgreSQL 11.2-YB-2.21.0.0-b0 on x86_64", "EDB Postgres 16"])
async def test_what_only_speaks_like_postgresql_is_refused(connection: AsyncConnection, says: str) -> None:
    finding = await checkup.server(Pretending(connection, says))
    assert "Only PostgreSQL will do" in finding.remedy


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        ("ALTER SEQUENCE es.event_position CACHE 20", "hands out 20 numbers"),
        ("ALTER TABLE es.events DISABLE TRIGGER events_are_written_once", "can be changed"),
        ("DROP SCHEMA es CASCADE", "Run `ludicitude migrate`"),
        ("UPDATE alembic_version SET version_num = '0001'; DELETE FROM alembic_version", "not been migrated to this release"),
    ],
)
async def test_a_broken_schema_is_told(database: Session, database_url: str, broken: str, says: str) -> None:
    await database.execute(broken)
    [line] = wrong((await told(database_url))[1])
    assert says in line


async def test_who_holds_the_fence_is_named(database: Session, database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkup, "FENCE_SECONDS", 0.2)
    async with session(database_url) as writer, session(database_url) as other:
        forgotten = writer.transaction()
        await forgotten.start()
        await append_within(writer, appending(uuid4(), 0))
        await append_within(other, appending(uuid4(), 0))
        await asyncio.sleep(0.3)
        [line] = wrong((await told(database_url))[1])
        await forgotten.rollback()
        for part in (
            f"pid {writer.get_server_pid()}",
            "es.append_v2",
            "idle in transaction",
            f"pg_terminate_backend({writer.get_server_pid()})",
        ):
            assert part in line
        assert "has waited 0.0 s" not in line
    assert wrong((await told(database_url))[1]) == []


async def test_a_restored_database_is_told_and_a_new_epoch_cures_it(database: Session, database_url: str) -> None:
    for statement in RESTORED:
        await database.execute(statement, uuid4())
    lines = wrong((await told(database_url))[1])
    assert any("epoch-bump" in line for line in lines)
    with pytest.raises(CantRun, match="--service-is-stopped"):
        await bump_epoch(database_url, service_is_stopped=False)
    assert await bump_epoch(database_url, service_is_stopped=True) == 1
    assert not any("epoch-bump" in line for line in (await told(database_url))[1])
    store = await EventStore.connect(database_url)
    with pytest.raises(CantRun, match="not stopped: it has 2 connections"):
        await bump_epoch(database_url, service_is_stopped=True)
    await store.close()


class Pooled:
    """A connection whose every statement goes to another session of the server, as behind a pooler of transactions."""

    def __init__(self, *behind: AsyncConnection) -> None:
        self._behind: Iterator[AsyncConnection] = cycle(behind)

    async def execute(self, statement: Any, parameters: Any = None, /) -> Any:
        return await next(self._behind).execute(statement, parameters)


async def test_a_pooler_of_transactions_is_found_out(engine: AsyncEngine) -> None:
    async with engine.connect() as a, engine.connect() as b, engine.connect() as c:
        one, two, three = [await each.execution_options(isolation_level="AUTOCOMMIT") for each in (a, b, c)]
        assert (await checkup.sessions(one, two)).remedy == ""
        assert "transaction mode" in (await checkup.sessions(Pooled(one, three), two)).remedy


async def test_settings_that_are_not_in_force_are_told(connection: AsyncConnection) -> None:
    await connection.execute(text("SET synchronous_commit = off"))
    assert (await checkup.durability(connection)).what.startswith("synchronous_commit is off")
    assert (await checkup.timeouts(connection)).remedy == ""
    await connection.execute(text("SET idle_in_transaction_session_timeout = 0"))
    assert (await checkup.timeouts(connection)).what.startswith("idle_in_transaction_session_timeout is 0 in our sessions")


async def test_clocks_that_disagree_are_told(connection: AsyncConnection) -> None:
    assert (await checkup.clock(connection)).remedy == ""
    for now, says in ((1005.0, "5.0 s behind"), (995.0, "5.0 s ahead of")):
        assert says in (await checkup.clock(Pretending(connection, "1000.0"), lambda now=now: now)).what  # type: ignore[misc]


async def test_an_answer_that_took_long_says_nothing_against_the_clocks(connection: AsyncConnection) -> None:
    moments = iter((1000.0, 1010.0))
    assert (await checkup.clock(Pretending(connection, "1009.0"), lambda: next(moments))).remedy == ""
    moments = iter((1000.0, 1010.0))
    assert "6.5 s ahead of" in (await checkup.clock(Pretending(connection, "1011.5"), lambda: next(moments))).what


async def test_a_database_out_of_reach_is_one_line(database_url: str) -> None:
    count, [line] = await told("postgresql://nobody:hunter2@127.0.0.1:1/nowhere")
    assert count == 1
    assert "cannot be asked" in line
    assert "hunter2" not in line
