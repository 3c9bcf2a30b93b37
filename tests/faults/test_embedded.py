"""The embedded PostgreSQL, and the ways in which it and the process that owns it can die."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from service.cant_run import CantRun
from service.embedded import EmbeddedPostgres, account
from tests.conftest import THROW_AWAY
from tests.faults.processes import line, python
from tests.faults.statements import ask, execute

on_linux = pytest.mark.skipif(os.uname().sysname != "Linux", reason="Only Linux ties the server to its owner.")

COUNT = "SELECT count(*) FROM rows"
ANEW = "DROP TABLE IF EXISTS rows; CREATE TABLE rows"

# An owner that acknowledges one committed row after another, each by its number, until it is killed.
OWNER = """
    import asyncio, sys
    from pathlib import Path
    import asyncpg
    from service.embedded import EmbeddedPostgres

    async def write(url):
        connection = await asyncpg.connect(url)
        await connection.execute("DROP TABLE IF EXISTS rows; CREATE TABLE rows (i int)")
        for i in range(1_000_000):
            await connection.execute("INSERT INTO rows VALUES ($1)", i)
            print(i, flush=True)

    with EmbeddedPostgres(Path(sys.argv[1])) as server:
        asyncio.run(write(server.url()))
"""

# An owner whose server is tied to nothing: it was not started by the main thread, as on a system that can't tie.
LOOSE_OWNER = """
    import sys, threading, time
    from pathlib import Path
    from service.embedded import EmbeddedPostgres

    server = EmbeddedPostgres(Path(sys.argv[1]))
    starter = threading.Thread(target=server.start)
    starter.start()
    starter.join()
    print(server.pid, flush=True)
    time.sleep(300)
"""


def runs(folder: Path) -> bool:
    """Whether a server runs on the data in `folder`, or was killed there: an orderly end removes the file."""
    return (folder / "cluster" / "postmaster.pid").exists()


def wait_until_it_has_ended(folder: Path) -> None:
    deadline = time.monotonic() + 60
    while runs(folder):
        assert time.monotonic() < deadline, "The server does not end."
        time.sleep(0.02)


def wait_until_it_is_kept_up(server: EmbeddedPostgres) -> None:
    deadline = time.monotonic() + 60
    while not server.keep_up():
        assert time.monotonic() < deadline, "The server does not die."
        time.sleep(0.02)


def test_what_was_stored_is_there_after_a_stop_and_a_start(server_folder: Path) -> None:
    with EmbeddedPostgres(server_folder / "made" / "by" / "start") as server:
        execute(server.url(), f"{ANEW} AS VALUES (1), (2)")
    assert not runs(server.home)
    with EmbeddedPostgres(server_folder / "made" / "by" / "start") as server:
        assert ask(server.url(), COUNT) == 2


def test_it_flushes_every_commit_to_disk_and_listens_on_no_network(used_server_folder: Path) -> None:
    with EmbeddedPostgres(used_server_folder) as server:
        settings = {name: ask(server.url(), f"SHOW {name}") for name in ("fsync", "synchronous_commit", "listen_addresses")}
    assert settings == {"fsync": "on", "synchronous_commit": "on", "listen_addresses": ""}


@on_linux
def test_a_killed_owner_takes_its_server_with_it_and_loses_nothing_it_acknowledged(used_server_folder: Path) -> None:
    with python(OWNER, used_server_folder) as owner:
        acknowledged = [line(owner) for _ in range(20)]
        owner.send_signal(signal.SIGKILL)
        assert owner.stdout is not None
        acknowledged += owner.stdout.read().split()
        wait_until_it_has_ended(used_server_folder)
    with EmbeddedPostgres(used_server_folder) as server:
        stored = ask(server.url(), COUNT)
    assert stored in (len(acknowledged), len(acknowledged) + 1)  # The last one may have been stored and not told.


def test_a_server_that_outlived_its_owner_gives_way_to_the_next_one(used_server_folder: Path) -> None:
    with python(LOOSE_OWNER, used_server_folder) as owner:
        pid = int(line(owner))
        owner.send_signal(signal.SIGKILL)
        owner.wait()
        assert runs(used_server_folder)
        with EmbeddedPostgres(used_server_folder) as server:
            assert server.owned
            assert server.pid != pid
            execute(server.url(), f"{ANEW} AS VALUES (1)")


def test_a_killed_server_is_started_again_with_everything_acknowledged(used_server_folder: Path) -> None:
    with EmbeddedPostgres(used_server_folder) as server:
        execute(server.url(), f"{ANEW} AS VALUES (1), (2), (3)")
        assert not server.keep_up()
        os.kill(server.pid, signal.SIGKILL)
        wait_until_it_is_kept_up(server)
        assert ask(server.url(), COUNT) == 3


def test_a_second_process_is_a_guest_and_takes_over_when_the_owner_ends(used_server_folder: Path) -> None:
    owner, guest = (EmbeddedPostgres(used_server_folder, settings=THROW_AWAY) for _ in range(2))
    with owner, guest:
        assert owner.owned
        assert not guest.owned
        assert guest.url() == owner.url()
        guest.stop()
        execute(owner.url(), f"{ANEW} AS VALUES (1)")
        assert not guest.keep_up()
        owner.stop()
        assert guest.keep_up()
        assert guest.owned
        assert ask(guest.url(), COUNT) == 1


def test_many_that_start_at_once_share_one_server(server_folder: Path) -> None:
    script = """
        import sys
        from pathlib import Path
        from service.embedded import EmbeddedPostgres

        with EmbeddedPostgres(Path(sys.argv[1])) as server:
            print(server.pid, server.owned, flush=True)
            sys.stdin.read()
    """
    with python(script, server_folder) as a, python(script, server_folder) as b, python(script, server_folder) as c:
        answers = [line(process).split() for process in (a, b, c)]
        for process in (a, b, c):
            assert process.stdin is not None
            process.stdin.close()
            assert process.wait(60) == 0
    assert len({pid for pid, _ in answers}) == 1
    assert sorted(owned for _, owned in answers) == ["False", "False", "True"]


def test_a_process_number_that_another_program_has_by_now_is_no_rival(used_server_folder: Path) -> None:
    with EmbeddedPostgres(used_server_folder) as server:
        execute(server.url(), f"{ANEW} AS VALUES (1)")
        pid_file, killed = server.home / "cluster" / "postmaster.pid", server.pid
        runner = account.for_data(server.home / "cluster", account.DEFAULT_USER)
        with subprocess.Popen(["/bin/sleep", "300"], **runner.as_subprocess()) as other:
            os.kill(killed, signal.SIGKILL)
            pid_file.write_text(pid_file.read_text().replace(str(killed), str(other.pid), 1))
            try:
                wait_until_it_is_kept_up(server)
                assert ask(server.url(), COUNT) == 1
                assert other.poll() is None
            finally:
                other.kill()


def test_a_start_that_was_interrupted_leaves_nothing_that_looks_like_data(server_folder: Path) -> None:
    (server_folder / "cluster.new").mkdir()
    (server_folder / "cluster.new" / "PG_VERSION").write_text("18\n")
    with EmbeddedPostgres(server_folder, settings=THROW_AWAY) as server:
        execute(server.url(), "SELECT 1")


def test_a_failed_start_shows_the_log_and_gives_the_lock_back(used_server_folder: Path) -> None:
    with pytest.raises(CantRun, match="no_such_setting"):
        EmbeddedPostgres(used_server_folder, settings={**THROW_AWAY, "no_such_setting": "1"}).start()
    with EmbeddedPostgres(used_server_folder, settings=THROW_AWAY) as server:
        assert server.owned


def test_data_of_another_major_version_is_refused_with_both_named(used_server_folder: Path) -> None:
    with EmbeddedPostgres(used_server_folder, settings=THROW_AWAY) as server:
        version = server.home / "cluster" / "PG_VERSION"
    made_by = version.read_text()
    version.write_text("9\n")
    try:
        with pytest.raises(CantRun, match=f"made by PostgreSQL 9, and the server at hand is {made_by.strip()}"):
            EmbeddedPostgres(used_server_folder).start()
    finally:
        version.write_text(made_by)
