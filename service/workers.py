"""The workers of `ludicitude serve`: processes that share one port, and one that starts them, looks after them and ends them.

They share nothing but the port and the database, so one that dies takes nothing along but the answers it was giving.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Self

import structlog
from prometheus_client.multiprocess import mark_process_dead

from service import tie
from service.cant_run import CantRun

START_SECONDS = 60.0
"""A worker that is not ready by then is taken to be stuck."""

STOP_SECONDS = 10.0
"""A worker that has not ended so long after it was asked to is killed."""

DEATHS_MAX, DEATHS_SECONDS = 10, 60.0
"""When so many workers have died within this time, something is wrong that another start does not mend."""

LOOK_SECONDS = 0.1
NUMBERS = "PROMETHEUS_MULTIPROC_DIR"
"""The variable by which the client library of Prometheus knows the folder where the workers put their numbers together."""

log = structlog.get_logger()


class Workers:
    """So many processes that run `python -m service worker` on one listening socket, started by a process that does nothing else.

    `environment` is what they read their settings from. `with workers:` starts them, and ends them all with the block; then the
    socket is closed too, before they end, so that nobody waits in its queue for an answer.
    """

    def __init__(self, number: int, listening: socket.socket, environment: dict[str, str]) -> None:
        self._number, self._listening = number, listening
        self._numbers = tempfile.mkdtemp(prefix="ludicitude-numbers-")
        self._environment = environment | {NUMBERS: self._numbers}
        self._running: list[_Worker] = []
        self._deaths = deque[float](maxlen=DEATHS_MAX)
        self._stopping = False

    def __enter__(self) -> Self:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._ask_to_stop)
        try:
            for _ in range(self._number):
                self._running.append(self._start())
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def run(self, ready: Callable[[], None], look: Callable[[], None]) -> None:
        """Return when this process has been asked to stop. Call `ready` once all serve, and `look` every so often.

        Raises `CantRun` when the workers die faster than they are worth starting.
        """
        told = False
        while not self._stopping:
            look()
            for place, worker in enumerate(self._running):
                if (code := worker.ended()) is not None:
                    self._bury(worker, code)
                    self._running[place] = self._start()
            if not told and all(worker.ready() for worker in self._running):
                told = True
                ready()
            time.sleep(LOOK_SECONDS)

    def _ask_to_stop(self, _number: int, _frame: FrameType | None) -> None:
        self._stopping = True

    def _start(self) -> "_Worker":
        return _Worker(self._listening.fileno(), self._environment)

    def _bury(self, worker: "_Worker", code: int) -> None:
        mark_process_dead(worker.pid, self._numbers)  # type: ignore[no-untyped-call]
        if self._stopping:
            return
        log.error("worker_died", pid=worker.pid, exit_code=code)
        self._deaths.append(time.monotonic())
        if len(self._deaths) == DEATHS_MAX and time.monotonic() - self._deaths[0] < DEATHS_SECONDS:
            raise CantRun(f"{DEATHS_MAX} workers died within {DEATHS_SECONDS:.0f} seconds. What they said before stands above.")

    def _stop(self) -> None:
        """Ask all to end, and wait for them. What they have acknowledged is on disk, whatever becomes of them."""
        self._stopping = True
        self._listening.close()
        for worker in self._running:
            worker.ask_to_end()
        deadline = time.monotonic() + STOP_SECONDS
        for worker in self._running:
            worker.end_by(deadline)
        shutil.rmtree(self._numbers, ignore_errors=True)


class _Worker:
    """One of them. It says that it is ready by a byte through a pipe that is its own."""

    def __init__(self, listening: int, environment: dict[str, str]) -> None:
        self._ready, says = os.pipe()
        os.set_blocking(self._ready, False)
        self._began, self._is_ready = time.monotonic(), False
        try:
            self._process = subprocess.Popen(
                _command(listening, says), env=environment, pass_fds=(listening, says), preexec_fn=tie.to_this_process()
            )
        finally:
            os.close(says)

    @property
    def pid(self) -> int:
        return self._process.pid

    def ready(self) -> bool:
        """Whether it serves. One that takes too long over it is killed."""
        if not self._is_ready:
            try:
                self._is_ready = os.read(self._ready, 1) != b""
            except BlockingIOError:
                if time.monotonic() - self._began > START_SECONDS:
                    self._process.kill()
        return self._is_ready

    def ended(self) -> int | None:
        """Its exit code, once it has ended."""
        if (code := self._process.poll()) is not None:
            os.close(self._ready)
        return code

    def ask_to_end(self) -> None:
        if self._process.poll() is None:
            self._process.terminate()

    def end_by(self, deadline: float) -> None:
        try:
            self._process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            log.error("worker_killed", pid=self.pid, meaning="it did not end when it was asked to")
            self._process.kill()
            self._process.wait()


def _command(listening: int, says: int) -> Sequence[str]:
    return [sys.executable, "-m", "service", "worker", str(listening), str(says)]
