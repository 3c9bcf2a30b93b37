"""The whole service as a process of its own, as `make run` starts it."""

import os
import random
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.patience import PATIENTLY

LONGEST_START_SECONDS = 120


@dataclass
class Served:
    """A running service: its process, where it answers, and all that it said when it was ready."""

    process: "subprocess.Popen[str]"
    address: str
    welcome: str
    errors: Path

    def end(self, signal: int) -> int:
        """Send a signal, and return the exit code."""
        self.process.send_signal(signal)
        return self.process.wait(LONGEST_START_SECONDS)

    @property
    def forced(self) -> bool:
        """Whether it ended only because somebody had been waited for long enough; a machine that is busy takes its time otherwise too."""
        return "graceful shutdown exceeded" in self.errors.read_text()

    @property
    def waiting(self) -> float:
        """For how much somebody waits there now. Its numbers have to be open to anybody."""
        told = re.search(r"^ludicitude_waiting (\S+)$", httpx.get(f"{self.address}/metrics").text, re.MULTILINE)
        assert told
        return float(told[1])

    def new_player(self) -> str:
        """The token of a new player; the service has told us that it stored it."""
        answer = httpx.post(f"{self.address}/v1/players", json={"display_name": "Ada"})
        assert answer.status_code == 201, answer.text
        token: str = answer.json()["token"]
        return token

    def knows(self, token: str) -> bool:
        """Whether the player of this token is still there."""
        answer = httpx.get(f"{self.address}/v1/players/me", headers={"Authorization": f"Bearer {token}"}, timeout=30)
        assert answer.status_code in (200, 401), answer.text
        return answer.status_code == 200


def until(true: Callable[[], bool]) -> None:
    """Wait until this is so, for a minute."""
    gives_up = time.monotonic() + 60
    while not true():
        assert time.monotonic() < gives_up, "it does not come to this"
        time.sleep(0.05)


def lasting_port() -> str:
    """A free port, at which a server can be started again: none of those that the system gives to whoever asks for any."""
    for port in random.SystemRandom().sample(range(10_000, 32_000), 100):
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return str(port)
    raise AssertionError("no port is free")


def command(
    name: str, data: Path, place: Path | None = None, how: Sequence[str] = ("-m", "service"), **environment: str
) -> "subprocess.Popen[str]":
    """Start a command of the service on the embedded PostgreSQL in `data`, unless DATABASE_URL names another.

    `place` is the folder of another release than this one, and `how` what Python is told to run.
    """
    given = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    given |= {"LUDICITUDE_DATA": str(data), "HOST": "127.0.0.1", "PORT": "0"} | environment
    with (data / "errors").open("ab") as errors:
        called = [sys.executable, *how, name]
        return subprocess.Popen(called, cwd=place, env=given, stdout=subprocess.PIPE, stderr=errors, text=True)


@contextmanager
def served(data: Path, place: Path | None = None, patient: bool = True, **environment: str) -> Iterator[Served]:
    """Run the service until the end of the block, which begins when the service says that it is ready.

    Unless it is `patient`, it says that it is busy as soon as it does everywhere, and its callers have to ask again.
    """
    with command("serve", data, place, ("-c", PATIENTLY) if patient else ("-m", "service"), **environment) as process:
        try:
            assert process.stdout is not None
            welcome = ""
            while "/commands" not in welcome:
                printed = process.stdout.readline()
                assert printed, f"The service ended before it was ready: exit code {process.wait()}, {(data / 'errors').read_text()}"
                welcome += printed
            address = re.search(r"http://\S+", welcome)
            assert address
            yield Served(process, address[0], welcome, data / "errors")
        finally:
            process.terminate()
            process.wait(LONGEST_START_SECONDS)
