"""The front end for a keyboard that is there to be copied: nothing of what a person types, or is asked, is lost."""

import json
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.docs.gate import gated
from tests.docs.started import Commands, started
from tests.faults.served import lasting_port, served

LABELS = json.loads((Path(__file__).parents[2] / "service" / "http" / "labels.json").read_text("utf-8"))

CLOSED, LOST, AGAIN, NO_ANSWER, NUMBER = (
    LABELS[key]["en"]
    for key in ("problem.decision_closed", "reason.unavailable", "screen.reconnected", "screen.no_answer", "screen.number")
)


class Window:
    """A terminal with the program in it."""

    def __init__(self, program: "subprocess.Popen[str]") -> None:
        self.program = program
        self.before: list[str] = []

    def type(self, line: str) -> None:
        assert self.program.stdin
        self.program.stdin.write(f"{line}\n")
        self.program.stdin.flush()

    def shows(self, words: str) -> str:
        """The next line with these words; those before it are in `before`. Raises AssertionError if it ends before."""
        assert self.program.stdout
        self.before = []
        for line in self.program.stdout:
            if words in line:
                return line.strip()
            self.before.append(line)
        raise AssertionError(f"{words!r} is not in {self.before} {self.program.stderr.read() if self.program.stderr else ''}")


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


@pytest.mark.parametrize("name", ["terminal.py", "terminal.ts"])
def test_two_windows_and_a_server_that_is_started_again(name: str, programs: Commands, used_server_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "token.txt").write_text("lud_of_another_server", "utf-8")
    port = lasting_port()
    with served(used_server_folder, PORT=port) as service, window(programs, name, tmp_path, "pico", service.address) as first:
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
            assert second.program.wait(60) == 0
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
            assert first.program.wait(60) == 0
            assert first.program.stderr
            assert first.program.stderr.read() == ""


def test_a_choice_is_sent_once_though_steps_come_and_it_is_typed_again(
    programs: Commands, used_server_folder: Path, tmp_path: Path
) -> None:
    """The other player chooses while it is on its way: in the view that comes then it is still to be made."""
    with served(used_server_folder) as service:
        for name in ("terminal.py", "terminal.ts"):
            ada, bob = service.new_player(), service.new_player()
            match = f"{service.address}/v1/matches"
            opened = httpx.post(match, json={"options": {"game": "pico"}}, headers={"Authorization": f"Bearer {ada}"}).json()
            match += f"/{opened['match_id']}"
            headers = {"Authorization": f"Bearer {bob}"}
            [decision] = httpx.post(f"{match}/seats", json={}, headers=headers, timeout=30).json()["decisions"]
            (tmp_path / "token.txt").write_text(ada, "utf-8")
            with gated(service.address) as gate, window(programs, name, tmp_path, opened["match_id"], gate.address) as screen:
                screen.shows("  5  ")
                screen.type("6")
                screen.shows(NUMBER)
                gate.passes.clear()
                screen.type("1")
                assert gate.held.wait(30)
                command = {"decision": decision["decision"], "command": decision["choices"][0]}
                httpx.post(f"{match}/commands", json=command, headers=headers, timeout=30)
                screen.shows("Ada has laid a card")
                screen.type("1")
                screen.shows(CLOSED)
                assert not [line for line in screen.before if line.startswith("  ")]
                gate.passes.set()
                screen.shows("  4  ")
                assert laid(match) == 1


@pytest.mark.parametrize("name", ["terminal.py", "terminal.ts"])
def test_a_choice_is_asked_again_for_as_long_as_the_server_stays_away(
    name: str, impatient: Commands, used_server_folder: Path, tmp_path: Path
) -> None:
    with (
        served(used_server_folder) as service,
        gated(service.address) as gate,
        window(impatient, name, tmp_path, "pico", gate.address) as screen,
    ):
        match_id = screen.shows("mat_")
        screen.shows("  5  ")
        gate.close()
        screen.shows(LOST)
        for _ in range(2):
            screen.type("1")
            screen.shows(NO_ANSWER)
            screen.shows("  5  ")
        screen.type("hello")
        screen.shows(NO_ANSWER)
        gate.open()
        screen.shows(AGAIN)
        screen.type("1")
        screen.shows("  4  ")
        assert laid(f"{service.address}/v1/matches/{match_id}") == 1


def test_what_is_whispered_is_marked_and_what_is_pledged_is_told(programs: Commands, used_server_folder: Path, tmp_path: Path) -> None:
    """Else whoever was whispered to answers in public. Whoever types a number in another's turn is told whose it is not."""
    with served(used_server_folder) as service, httpx.Client(base_url=f"{service.address}/v1", timeout=30) as http:
        ada, *others = ({"Authorization": f"Bearer {service.new_player()}"} for _ in range(3))
        opened = http.post("/matches", json={"options": {"game": "schemers", "whispers": True}}, headers=ada).json()
        match = f"/matches/{opened['match_id']}"
        (tmp_path / "token.txt").write_text(ada["Authorization"].removeprefix("Bearer "), "utf-8")
        screens = [window(programs, name, tmp_path, opened["match_id"], service.address) for name in ("terminal.py", "terminal.ts")]
        with screens[0] as first, screens[1] as second:
            for screen in (first, second):
                screen.shows(LABELS["event.match.opened"]["en"])
                screen.type("1")
                screen.shows(LABELS["problem.not_your_turn"]["en"])
            for other in others:
                http.post(f"{match}/seats", json={}, headers=other)
            for body in ({"text": "to all"}, {"text": "to you", "to_seat": 0}, {"pledge": {"phase": "set1", "face": 4}}):
                assert http.post(f"{match}/messages", json=body, headers=others[0]).is_success
            for screen in (first, second):
                assert "whispers" not in screen.shows("to all")
                assert "whispers to" in screen.shows("to you")
                assert screen.shows(" pledges: first die, 4 (").endswith("(not shown yet)")


@pytest.mark.parametrize("name", ["terminal.py", "terminal.ts"])
def test_a_server_that_is_not_there_is_told_in_a_line(name: str, impatient: Commands, tmp_path: Path) -> None:
    with started(impatient[name], "pico", "http://127.0.0.1:1", folder=tmp_path) as program:
        try:
            said, error = program.communicate(timeout=30)
            assert said.startswith("http://127.0.0.1:1 does not answer (")
            assert error == "No answer from http://127.0.0.1:1.\n"
        finally:
            program.kill()
    assert program.returncode == 1
    assert not (tmp_path / "token.txt").exists()
