"""Many processes that start on one database at once, and a process that dies while it migrates."""

import asyncio
from pathlib import Path
from textwrap import dedent

import asyncpg
import pytest

from service import migrate as module
from service.cant_run import CantRun
from service.migrate import migrate
from tests.faults.processes import python

STARTER = """
    import asyncio, sys
    from pathlib import Path
    from service.migrate import migrate

    asyncio.run(migrate(sys.argv[1], Path(sys.argv[2])))
"""

# Two steps, of which the second builds an index in the way that waits for every transaction of the database to end.
SCRIPTS = {
    "env.py": """
        from alembic import context

        context.configure(connection=context.config.attributes["connection"], transaction_per_migration=True)
        with context.begin_transaction():
            context.run_migrations()
        """,
    "versions/0001.py": """
        from alembic import op

        revision, down_revision = "0001", None

        def upgrade():
            op.execute("CREATE TABLE rows AS SELECT generate_series(1, 100000) AS i")
        """,
    "versions/0002.py": """
        from alembic import op

        revision, down_revision = "0002", "0001"

        def upgrade():
            with op.get_context().autocommit_block():
                op.execute("CREATE INDEX CONCURRENTLY rows_i ON rows (i)")
        """,
}


@pytest.fixture
def scripts(tmp_path: Path) -> Path:
    (tmp_path / "versions").mkdir()
    for name, text in SCRIPTS.items():
        (tmp_path / name).write_text(dedent(text))
    return tmp_path


def test_four_that_start_at_once_all_come_up(empty_database_url: str, scripts: Path) -> None:
    started = [python(STARTER, empty_database_url, scripts) for _ in range(4)]
    with started[0] as a, started[1] as b, started[2] as c, started[3] as d:
        assert [process.wait(60) for process in (a, b, c, d)] == [0, 0, 0, 0]
    assert asyncio.run(_revision_and_rows(empty_database_url)) == ("0002", 100_000)


async def _revision_and_rows(url: str) -> tuple[object, object]:
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval("SELECT version_num FROM alembic_version"), await connection.fetchval("SELECT count(*) FROM rows")
    finally:
        await connection.close()


async def test_one_that_waits_for_another_goes_on_when_that_one_dies(empty_database_url: str, scripts: Path) -> None:
    other = await asyncpg.connect(empty_database_url)
    await other.execute(f"SELECT pg_advisory_lock({module._LOCK})")
    waiting = asyncio.create_task(migrate(empty_database_url, scripts))
    await asyncio.sleep(0.5)
    assert not waiting.done()
    assert await other.fetchval("SELECT to_regclass('rows')") is None
    other.terminate()
    await asyncio.wait_for(waiting, 60)
    assert await _revision_and_rows(empty_database_url) == ("0002", 100_000)


async def test_waiting_has_an_end(empty_database_url: str, scripts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PATIENCE_SECONDS", 0.1)
    other = await asyncpg.connect(empty_database_url)
    await other.execute(f"SELECT pg_advisory_lock({module._LOCK})")
    with pytest.raises(CantRun, match="Another process"):
        await migrate(empty_database_url, scripts)
    await other.close()


async def test_a_failed_migration_leaves_the_lock_free_and_what_came_before_it_done(empty_database_url: str, scripts: Path) -> None:
    broken = scripts / "versions" / "0002.py"
    whole = broken.read_text()
    broken.write_text(whole.replace("rows (i)", "rows (no_such_column)"))
    with pytest.raises(Exception, match="no_such_column"):
        await migrate(empty_database_url, scripts)
    broken.write_text(whole)
    await migrate(empty_database_url, scripts)
    assert await _revision_and_rows(empty_database_url) == ("0002", 100_000)


async def test_a_database_out_of_reach_is_told_as_such(empty_database_url: str) -> None:
    elsewhere = empty_database_url.replace("ludicitude_test", "not_there")
    for url, reason in ((elsewhere, "does not exist"), ("postgresql://nobody@127.0.0.1:1/nothing", "Connect call failed")):
        with pytest.raises(CantRun, match=f"^The database can't be reached: .*{reason}"):
            await migrate(url)
