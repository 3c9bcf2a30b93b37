"""The command `ludicitude rebuild`, as the person at the terminal sees it."""

import asyncio
import io
import os
import sys

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from service.cant_run import CantRun
from service.readmodels import generations
from service.upkeep import rebuild
from tests.matches.conftest import Process
from tests.readmodels.played import played
from tests.readmodels.recount import recounted, shown
from tests.store.appends import Session


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


async def run(database_url: str) -> tuple[int | None, str, str]:
    """The command in a process of its own: its exit code, and what it said."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "service", "rebuild"),
        env={**os.environ, "DATABASE_URL": database_url},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, errors = await process.communicate()
    return process.returncode, out.decode(), errors.decode()


async def test_it_builds_and_shows_and_the_second_at_once_says_that_another_is_at_it(
    process: Process, engine: AsyncEngine, database: Session, database_url: str
) -> None:
    for _ in range(3):
        await played(process, ["ann", "bob"], [1, 2])
    async with generations._alone(engine, "results"):
        code, out, errors = await run(database_url)
        assert (code, out) == (1, "")
        assert errors == "ludicitude: Another process is rebuilding the read models of this database.\n"
    code, out, errors = await run(database_url)
    assert (code, errors) == (0, "")
    first, last = out.splitlines()
    assert first == "results 100%"
    assert last.startswith("results rebuilt from 15 events in ")
    assert await shown(database, 2) == await recounted(database) != {}


async def test_a_database_that_cannot_be_read_is_told_in_a_sentence(database: Session, database_url: str) -> None:
    with pytest.raises(CantRun, match=r"cannot be reached"):
        await rebuild.rebuild("postgresql://nobody@127.0.0.1:1/nowhere", io.StringIO())
    await database.execute("DROP FUNCTION es.bump_epoch_v1")
    with pytest.raises(CantRun, match=r"has not been migrated: run `ludicitude migrate`"):
        await rebuild.rebuild(database_url, io.StringIO())


def test_a_terminal_sees_a_bar_and_a_file_a_line_for_each_tenth() -> None:
    for out, told in ((Terminal(), range(0, 1001, 5)), (io.StringIO(), range(0, 1001, 5))):
        progress = rebuild.Progress("results", 1000, out)
        for read in told:
            progress.tell(read)
        progress.tell(1010)
        progress.end()
        text = out.getvalue()
        assert "results rebuilt from 1,010 events in 0.0 s, and shown now\n" in text
        if out.isatty():
            assert text.startswith("\rresults [........................................]   0%\r")
            assert text.count("\r") == 101
            assert "\rresults [####################....................]  50%\r" in text
        else:
            assert text.splitlines()[:-1] == [f"results {tenth}0%".replace(" 00%", " 0%") for tenth in range(11)]


def test_an_empty_log_is_done_at_once() -> None:
    out = io.StringIO()
    progress = rebuild.Progress("results", 0, out)
    progress.tell(0)
    assert out.getvalue() == "results 100%\n"
