"""Every room has the same doors in the same order, and a game is one folder and one line."""

import ast
import re
from dataclasses import MISSING, fields
from pathlib import Path

from domain.games import GAMES
from domain.match.game import AnyGame, Game
from tests.rooms import ROOMS, TESTS, every_game, name, own_tests, room

FILES = {
    "RULES.md",
    "fr/RULES.md",
    "__init__.py",
    "options.py",
    "commands.py",
    "events.py",
    "rules.py",
    "views.py",
    "bot.py",
    "labels.json",
}
RULES = ["open", "choices", "decide", "advance", "settle", "evolve", "standing"]
VIEWS = ["view", "veil"]


@every_game
def test_a_room_has_these_files_and_no_others(game: AnyGame) -> None:
    found = {path.relative_to(room(game)).as_posix() for path in room(game).rglob("*") if path.is_file() and path.suffix != ".pyc"}
    assert found == FILES


@every_game
def test_the_doors_stand_in_the_same_order(game: AnyGame) -> None:
    assert [function for function in functions(room(game) / "rules.py") if function in RULES] == RULES
    assert [function for function in functions(room(game) / "views.py") if function in VIEWS] == VIEWS
    for module, doors in (("rules", RULES), ("views", VIEWS)):
        for door in doors:
            function = getattr(game, door)
            assert (function.__module__, function.__name__) == (f"domain.games.{name(game)}.{module}", door)


@every_game
def test_the_record_is_filled_in_the_order_of_the_contract(game: AnyGame) -> None:
    tree = ast.parse((room(game) / "__init__.py").read_text())
    record = next(
        node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Game"
    )
    given = [keyword.arg for keyword in record.keywords]
    assert given == [field.name for field in fields(Game) if field.default is MISSING or field.name in given]


@every_game
def test_a_game_has_tests_of_its_own(game: AnyGame) -> None:
    found = {path.name for path in own_tests(game).iterdir()}
    assert found >= {"transcript.txt", "events.json"}, "`make bless` writes what is missing"
    assert [path for path in found if path.endswith(".scenario")]
    assert ("vectors.py" in found) == (TESTS / "vectors" / f"{game.key}.json").exists(), "cases worked out by hand, and what answers them"


def test_a_game_is_one_folder_and_one_line() -> None:
    folders = sorted(path.name for path in ROOMS.iterdir() if (path / "__init__.py").exists())
    lines = re.findall(r"^from domain\.games\.(\w+) import GAME as \w+$", (ROOMS / "__init__.py").read_text(), re.MULTILINE)
    assert lines == folders
    assert sorted(name(game) for game in GAMES.values()) == folders
    assert all(key == game.key for key, game in GAMES.items())


def test_nobody_else_knows_a_game_by_name() -> None:
    root = ROOMS.parents[1]
    names = "|".join(sorted({word for game in GAMES.values() for word in (game.key, name(game))}))
    for path in [*(root / "domain" / "match").rglob("*.py"), *(root / "service").rglob("*.py")]:
        named = re.search(rf"domain\.games\.({names})\b", path.read_text())
        assert named is None, f"{path.relative_to(root)} names {named}: what it needs belongs in the record"


def functions(path: Path) -> list[str]:
    return [node.name for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)]
