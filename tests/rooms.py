"""Where the parts of a game's room and of its tests lie, and what they say."""

import json
import re
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args

import pytest

import domain.games
from domain.games import GAMES
from domain.match.game import AnyGame

ROOMS = Path(domain.games.__file__).parent
TESTS = Path(__file__).parent

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.key)


def name(game: AnyGame) -> str:
    """The name of the game's folders: its key as Python can import it."""
    return game.key.replace("-", "_")


def room(game: AnyGame) -> Path:
    return ROOMS / name(game)


def own_tests(game: AnyGame) -> Path:
    return TESTS / "games" / name(game)


def clauses(rulebook: Path) -> list[str]:
    """The numbers of a rulebook's clauses, in the order they stand: `2.3` of a paragraph that begins with `2.3 `."""
    return re.findall(r"^(\d+\.\d+) \S", rulebook.read_text(), re.MULTILINE)


def labels(game: AnyGame) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((room(game) / "labels.json").read_text())
    return read


@cache
def shared_labels() -> dict[str, Any]:
    """The words that all games share."""
    read: dict[str, Any] = json.loads(files("service.http").joinpath("labels.json").read_text("utf-8"))
    return read


def members(union: Any) -> tuple[Any, ...]:
    """The structs of a union of commands or events, or the one struct that stands for it."""
    return get_args(union) or (union,)


def tag(struct: Any) -> str:
    """`hand_dealt` of the struct tagged `pico.hand_dealt`."""
    return str(struct.__struct_config__.tag).split(".")[1]
