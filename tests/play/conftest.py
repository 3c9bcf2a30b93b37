"""A server to play on, and a person who types."""

import http.client
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from service.play import Wanted, play
from tests.faults.served import served
from tests.service.overheard import Overheard, connection_to

Played = Callable[..., str]
"""Plays a game with what is typed (`typed`), and gives everything that stood on the screen; other arguments are those of `Wanted`."""


@pytest.fixture(scope="module")
def address(used_server_folder: Path) -> Iterator[str]:
    """Where a service runs for all tests of a file."""
    with served(used_server_folder) as service:
        yield service.address


@pytest.fixture
def played(address: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, overheard: Overheard) -> Played:
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr(http.client, "HTTPConnection", connection_to(overheard))

    def screen(game: str | None, typed: Iterable[str], **wanted: Any) -> str:
        lines = iter(typed)

        def ask(prompt: str) -> str:
            print(prompt, end="")
            line = next(lines, None)
            if line is None:
                raise EOFError
            print(line)
            return line

        given = {"game": game, "invite": None, "seats": None, "level": "normal", "lang": "en", "option": (), "url": address} | wanted
        play({"USER": "Ada"}, Wanted(**given), ask)
        return capsys.readouterr().out

    return screen
