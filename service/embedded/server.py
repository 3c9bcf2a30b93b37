"""Start and stop of the embedded PostgreSQL."""

import fcntl
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO
from urllib.parse import quote

from service import tie
from service.cant_run import CantRun
from service.embedded import account, place, programs
from service.embedded.account import Account

_PATIENCE_SECONDS = 60.0  # A crash is recovered from within this, or something is badly wrong.
_PAUSE_SECONDS = 0.02
_STILL_IN_USE = "pre-existing shared memory block"  # What a server says when processes of a killed one have not ended yet.
_SETTINGS = {
    "listen_addresses": "",
    "timezone": "UTC",
    "log_timezone": "UTC",
    # A statement that fails is reported to its client, which handles it; the log keeps what concerns the server.
    "log_min_messages": "log",
    # A forgotten client must not hold back the readers of the event log, which wait for every open transaction.
    "client_connection_check_interval": "5s",
    "max_prepared_transactions": "0",
}


class EmbeddedPostgres:
    """One PostgreSQL server whose data lies in `folder`.

    `user` names the account to run it when this process is root and there is no data yet; data that is there is served by
    its owner. `settings` are server settings on top of the house's own. Use it as a context manager, or call `start` and
    `stop`. The first process to start it owns it and ends it for everybody; the others are its guests.
    """

    def __init__(self, folder: Path, *, user: str = account.DEFAULT_USER, settings: Mapping[str, str] | None = None) -> None:
        self.folder = folder.absolute()
        self._user = user
        self._settings = _SETTINGS | dict(settings or {})
        self._home = self.folder
        self._process: subprocess.Popen[bytes] | None = None
        self._lock: IO[bytes] | None = None

    def __enter__(self) -> "EmbeddedPostgres":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def owned(self) -> bool:
        """Whether this process started the server and will stop it."""
        return self._process is not None

    @property
    def home(self) -> Path:
        """Where the data really lies: `folder`, or the place that the server's account can reach instead."""
        return self._home

    @property
    def pid(self) -> int:
        """The process id of the running server."""
        return int(self._pid_file()[0])

    def url(self, database: str = "postgres") -> str:
        """The address of a database on this server, in the form that libpq and asyncpg read."""
        return f"postgresql://postgres@/{quote(database)}?host={quote(self._pid_file()[4], safe='/')}"

    def start(self) -> None:
        """Start the server, or find the one that another process runs on this folder; return when it accepts clients.

        Raises `CantRun` with a text for the user, and then leaves nothing running.
        """
        place.make_folder(self.folder)
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while not self._take_lock():
            self._home = place.known_home(self.folder)
            account.for_data(self._cluster, self._user)
            if self._accepts():
                return
            if time.monotonic() > deadline:
                raise CantRun(f"Another process holds {self.folder / 'lock'}, but its server does not answer. See {self._log}.")
            time.sleep(_PAUSE_SECONDS)
        try:
            self._start_own()
        except BaseException:
            self.stop()
            raise

    def keep_up(self) -> bool:
        """Start the server again if it died, and take it over if its owner ended; return whether there was anything to do.

        Raises `CantRun` when it does not come back.
        """
        if self._process is None:
            if gone := not self._accepts():
                self.start()
        elif gone := self._process.poll() is not None:
            self._start_own()
        return gone

    def stop(self) -> None:
        """Stop the server if this process owns it. Clients are cut off, what was acknowledged to them is on disk."""
        process, self._process = self._process, None
        lock, self._lock = self._lock, None
        try:
            if process is not None and process.poll() is None:
                process.send_signal(signal.SIGINT)
                try:
                    process.wait(_PATIENCE_SECONDS)
                except subprocess.TimeoutExpired:
                    # As after a crash, the next start recovers everything from the write-ahead log.
                    process.send_signal(signal.SIGQUIT)
                    process.wait(_PATIENCE_SECONDS)
        finally:
            if lock is not None:
                lock.close()

    def _take_lock(self) -> bool:
        """Become the owner, unless another living process is. However a process ends, the system takes its lock back."""
        try:
            lock = (self.folder / "lock").open("ab")
        except PermissionError as denied:
            raise CantRun(f"No right to write in {self.folder}. Set LUDICITUDE_DATA to a folder of your own.") from denied
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            return False
        self._lock = lock
        return True

    def _start_own(self) -> None:
        runner = account.for_data(place.known_home(self.folder) / "cluster", self._user)
        self._home = place.reachable_home(self.folder, runner)
        self._end_leftover()
        folder, version = programs.runnable(programs.find(), runner, self._home)
        if not self._cluster.exists():
            self._make_cluster(folder, version, runner)
        if (made_by := int((self._cluster / "PG_VERSION").read_text())) != version:
            raise CantRun(
                f"The data in {self._cluster} was made by PostgreSQL {made_by}, and the server at hand is {version}."
                " Carry it over with pg_dump, or set LUDICITUDE_DATA to another folder."
            )
        settings = self._settings | {"unix_socket_directories": str(place.socket_folder(self._home, runner))}
        if any((folder.parent / "lib").rglob("pg_stat_statements.*")):
            settings["shared_preload_libraries"] = "pg_stat_statements"
        options = [f"--{name}={value}" for name, value in settings.items()]
        command: list[str | Path] = [folder / "postgres", "-D", self._cluster, "-p", str(place.PORT), *options]
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while not self._came_up(command, runner, deadline):
            time.sleep(_PAUSE_SECONDS)

    def _came_up(self, command: list[str | Path], runner: Account, deadline: float) -> bool:
        """Start the server and return when it accepts clients; False if it has to wait for parts of a killed one to end."""
        with self._log.open("ab") as log:
            logged_before = log.tell()
            process = self._process = subprocess.Popen[bytes](
                command,
                cwd="/",
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C reaches us alone, and we stop the server when its clients are done.
                preexec_fn=tie.to_this_process(),
                **runner.as_subprocess(),
            )
        while not self._accepts(process.pid):
            ended, late = process.poll() is not None, time.monotonic() > deadline
            if ended or late:
                said = self._log.read_bytes()[logged_before:][-2000:].decode(errors="replace").strip()
                if ended and not late and _STILL_IN_USE in said:
                    return False
                what = "PostgreSQL ended while it started" if ended else "PostgreSQL is not ready yet"
                raise CantRun(f"{what}. From {self._log}:\n{said}")
            time.sleep(_PAUSE_SECONDS)
        return True

    def _make_cluster(self, folder: Path, version: int, runner: Account) -> None:
        """Make an empty cluster, under another name until it is whole: an interrupted start must not look like data."""
        unfinished = self._home / "cluster.new"
        shutil.rmtree(unfinished, ignore_errors=True)
        runner.make_private(unfinished)
        # Ordered by code point, the same on every machine: no upgrade of a system library can spoil an index.
        locale = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"] if version >= 17 else ["--locale=C"]
        unsafe = ["--no-sync"] if self._settings.get("fsync") == "off" else []
        made = subprocess.run(
            [folder / "initdb", "-D", unfinished, "-U", "postgres", "--encoding=UTF8", "--auth=trust", *locale, *unsafe],
            cwd="/",
            env=_environment(),
            capture_output=True,
            text=True,
            check=False,
            **runner.as_subprocess(),
        )
        if made.returncode != 0:
            raise CantRun(f"PostgreSQL could not make its data in {self._home}:\n{made.stderr.strip()}")
        unfinished.rename(self._cluster)

    def _end_leftover(self) -> None:
        """Stop a server whose owner was killed but which lives on, as it does where the system can't tie it to its owner."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while (pid := self._recorded_pid()) is not None and str(self._cluster) in (command := _command_line(pid)):
            os.kill(pid, signal.SIGINT)
            if time.monotonic() > deadline:
                raise CantRun(f"A server left over from an earlier run (process {pid}) does not stop: {command}")
            time.sleep(_PAUSE_SECONDS)
        if pid is not None and command:
            # After a power cut the number of the dead server may be another program's by now, and PostgreSQL would take that
            # program for its rival. It passes over its own parent, and still checks the rest of the file.
            lines = [str(os.getpid()), *self._pid_file()[1:]]
            (self._cluster / "postmaster.pid").write_text("\n".join(lines) + "\n")

    def _recorded_pid(self) -> int | None:
        try:
            return self.pid
        except FileNotFoundError:
            return None
        except IndexError:  # An empty file, as a full disk leaves it. PostgreSQL asks for it to be removed by hand.
            (self._cluster / "postmaster.pid").unlink()
            return None

    @property
    def _cluster(self) -> Path:
        return self._home / "cluster"

    @property
    def _log(self) -> Path:
        return self._home / "server.log"

    def _pid_file(self) -> list[str]:
        """Lines: process id, data, start time, port, socket folder, network address, shared memory, status."""
        return (self._cluster / "postmaster.pid").read_text().splitlines()

    def _accepts(self, pid: int | None = None) -> bool:
        """Whether a server accepts clients; if `pid` is given, whether that one does."""
        try:
            lines = self._pid_file()
        except FileNotFoundError:
            return False
        if len(lines) < 8 or lines[7].strip() != "ready" or pid not in (None, int(lines[0])):
            return False
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(f"{lines[4]}/.s.PGSQL.{place.PORT}") == 0


def _environment() -> dict[str, str]:
    """Ours, without what would steer PostgreSQL from outside."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PG", "LC_"))} | {"LC_ALL": "C"}


def _command_line(pid: int) -> str:
    """The command line of a process, empty when there is no such process."""
    if sys.platform == "linux":
        try:
            return Path(f"/proc/{pid}/cmdline").read_text(errors="replace").replace("\0", " ")
        except (FileNotFoundError, ProcessLookupError):
            return ""
    return subprocess.run(["/bin/ps", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
