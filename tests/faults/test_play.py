"""`ludicitude play`: every game in the terminal to its end, against bots, by numbers alone, in both languages."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from domain.games import GAMES
from tests.faults.served import Served, served
from tests.rooms import labels

SHORT = {"schemers": ["--option", "rounds_max=5"], "little-train": ["--option", "games=1"]}
ENOUGH = "1\n" * 500


@pytest.fixture
def service(used_server_folder: Path) -> Iterator[Served]:
    with served(used_server_folder) as running:
        yield running


def played(service: Served, typed: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "service", "play", *arguments, "--url", service.address]
    return subprocess.run(command, input=typed, capture_output=True, text=True, check=False, timeout=60)


def test_every_game_is_played_to_its_end_in_its_own_words(service: Served) -> None:
    for number, (key, game) in enumerate(GAMES.items()):
        language, words = ("en", "fr")[number % 2], labels(game)
        done = played(service, ENOUGH, key, "--lang", language, *SHORT.get(key, []))
        assert (done.returncode, done.stderr) == (0, ""), key
        assert words["title"][language] in done.stdout
        assert words["phase.over"][language] in done.stdout
        assert any(word[language] in done.stdout for name, word in words.items() if name.startswith("end."))


def test_who_gives_up_is_told_how_it_ended(service: Served) -> None:
    done = played(service, "1\nq\n", "pico")
    assert (done.returncode, done.stderr) == (0, "")
    assert "given up" in done.stdout


def test_what_cannot_be_played_is_told_in_one_line(service: Served) -> None:
    for arguments in (["chess"], ["pico", "--seats", "5"], ["pico", "--level", "godlike"], ["pico", "--option", "edition=pico9"]):
        done = played(service, "", *arguments)
        assert done.returncode == 1
        assert done.stderr.startswith("ludicitude: ")
        assert "Traceback" not in done.stderr
