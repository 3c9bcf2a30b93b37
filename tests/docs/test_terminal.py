"""The front end for a keyboard that is there to be copied: nothing of what a person types, or is asked, is lost."""

import json
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.docs.started import Commands, started
from tests.faults.served import served

LABELS = json.loads((Path(__file__).parents[2] / "service" / "http" / "labels.json").read_text("utf-8"))

CLOSED, AGAIN = (LABELS[key]["en"] for key in ("problem.decision_closed", "screen.reconnected"))


class Window:
    """A terminal with the program in it."""

    def __init__(self, program: "subprocess.Popen[str]") -> None:
        self.program = program

    def type(self, line: str) -> None:
        assert self.program.stdin
        self.program.stdin.write(f"{line}\n")
        self.program.stdin.flush()

    def shows(self, words: str) -> str:
        """The next line with these words. Raises AssertionError if it ends before."""
        assert self.program.stdout
        before: list[str] = []
        for line in self.program.stdout:
            if words in line:
                return line.strip()
            before.append(line)
        raise AssertionError(f"{words!r} is not in {before} {self.program.stderr.read() if self.program.stderr else ''}")


@contextmanager
def window(programs: Commands, name: str, folder: Path, *arguments: str) -> Iterator[Window]:
    with started(programs[name], *arguments, folder=folder, USER="Ada") as program:
        try:
            yield Window(program)
        finally:
            program.kill()


def laid(match: str) -> int:
    """How many cards seat 0 has laid."""
    items = httpx.get(f"{match}/events", params={"after": 0}, timeout=30).json()["items"]
    return [(item["event"]["type"], item["event"].get("seat")) for item in items].count(("pico.card_committed", 0))


@pytest.mark.timeout(200)
@pytest.mark.parametrize("name", ["terminal.py", "terminal.ts"])
def test_two_windows_and_a_server_that_is_started_again(name: str, programs: Commands, used_server_folder: Path, tmp_path: Path) -> None:
    with served(used_server_folder) as service, window(programs, name, tmp_path, "pico", service.address) as first:
        match_id = first.shows("mat_")
        first.shows("  1  ")
        with window(programs, name, tmp_path, match_id, service.address) as second:
            second.shows("  5  ")
            second.type("hello")
            assert [each.shows("hello") for each in (first, second)] == ["Ada: hello"] * 2
            second.type("1")
            first.shows(CLOSED)
            second.shows("  4  ")
            first.shows("  4  ")
            second.type("q")
            assert second.program.wait(20) == 0
        port = str(httpx.URL(service.address).port)
        service.end(signal.SIGTERM)
        first.shows("reconnecting…")
        first.type("1")
        with served(used_server_folder, PORT=port):
            first.shows(AGAIN)
            first.shows("  3  ")
            with window(programs, name, tmp_path, match_id, service.address) as second:
                second.shows("Ada: hello")
            assert laid(f"{service.address}/v1/matches/{match_id}") == 2
            first.type("q")
            assert first.program.wait(20) == 0
            assert first.program.stderr
            assert first.program.stderr.read() == ""
