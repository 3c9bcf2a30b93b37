"""`ludicitude new-game` in a copy of the checkout: what it makes passes every test there is for a game, under any name."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PARTS = ("domain", "service", "migrations", "openapi", "docs", "template", "tests", "pyproject.toml", "README.md", "LICENSE")

NAMES = ("abc", "pic-o", "picos", "a-name-of-many-letters-o")
"""Names that are short, long, or stand close to another one in the list of games."""


def run(checkout: Path, *command: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run Python in a checkout, which is the only place where it finds the house: a module of that name, or a program after `-c`."""
    given = os.environ | {"PYTHONPATH": str(checkout)} | environment
    module = [] if command[0] == "-c" else ["-m"]
    return subprocess.run([sys.executable, *module, *command], cwd=checkout, env=given, capture_output=True, text=True, check=False)


def passes(checkout: Path, *command: str, **environment: str) -> None:
    done = run(checkout, *command, **environment)
    assert done.returncode == 0, done.stdout + done.stderr


def pytest_passes(checkout: Path, *arguments: str, **environment: str) -> None:
    passes(checkout, "pytest", "-q", "-p", "no:cacheprovider", *arguments, **environment)


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what a clone holds."""
    copy = tmp_path_factory.mktemp("checkout")
    for name in PARTS:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, copy / name)
    return copy


@pytest.fixture(scope="module")
def checkout(untouched: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy with a new game in it, four-winds."""
    copy = tmp_path_factory.mktemp("with-game") / "checkout"
    shutil.copytree(untouched, copy)
    passes(copy, "service", "new-game", "four-winds", "--title", "The Four Winds")
    return copy


def files(checkout: Path) -> dict[str, bytes]:
    paths = [path for path in checkout.rglob("*") if path.is_file() and "__pycache__" not in path.parts and ".ruff_cache" not in path.parts]
    return {path.relative_to(checkout).as_posix(): path.read_bytes() for path in paths}


def test_it_makes_two_folders_and_adds_one_line(untouched: Path, checkout: Path) -> None:
    before, after = files(untouched), files(checkout)
    elsewhere = {name for name in after if not name.startswith(("domain/games/four_winds/", "tests/games/four_winds/"))}
    assert {name for name in elsewhere if after[name] != before.get(name)} == {"domain/games/__init__.py"}
    lines, old = (each["domain/games/__init__.py"].splitlines() for each in (after, before))
    assert [line for line in lines if line not in old] == [b"from domain.games.four_winds import GAME as FOUR_WINDS"]
    assert [line for line in lines if line in old] == old


def test_nothing_in_it_is_called_as_the_template_is(checkout: Path) -> None:
    for name, content in files(checkout).items():
        if "/four_winds/" in name:
            assert not {word for word in ("new-game", "new_game", "New Game") if word in content.decode()}, name
    assert "# The Four Winds\n" in (checkout / "domain/games/four_winds/fr/RULES.md").read_text()


def test_it_is_typed_and_layered(checkout: Path) -> None:
    passes(checkout, "mypy", "domain/games/four_winds")
    program = "from importlinter.cli import lint_imports_command; lint_imports_command(['--no-cache'])"
    passes(checkout, "-c", program)


def test_it_is_formatted_and_in_its_place_under_any_name(untouched: Path, tmp_path: Path) -> None:
    shutil.copytree(untouched, tmp_path / "checkout")
    for name in NAMES:
        passes(tmp_path / "checkout", "service", "new-game", name)
    passes(tmp_path / "checkout", "ruff", "check", "--no-cache", ".")
    passes(tmp_path / "checkout", "ruff", "format", "--no-cache", "--check", ".")


@pytest.mark.timeout(600)  # It runs some hundred tests in a process of its own, and others may be at it on the same machine.
def test_it_passes_every_test_there_is_for_a_game(checkout: Path, server_url: str) -> None:
    pages = "tests/docs/test_game_pages.py"
    golden = ("tests/games/test_transcripts.py", "tests/games/test_stored_events.py", "tests/contract/test_examples.py", pages)
    pytest_passes(checkout, *golden, "-k", "four-winds or visit or list", LUDICITUDE_BLESS="1", DATABASE_URL=server_url)
    of_the_game = "four-winds or four_winds or test_rooms"
    of_the_document = "what_the_routes_say or valid_openapi or rule_of_ours or clients_of_a_release"
    contract = ("tests/contract/test_document.py", "tests/contract/test_compatibility.py")
    every = ("tests/house", "tests/laws/test_laws.py", "tests/games", pages, *contract)
    pytest_passes(checkout, *every, "-k", f"{of_the_game} or {of_the_document}", DATABASE_URL=server_url)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["Four-Winds"], "will not do"),
        (["four_winds"], "will not do"),
        (["four--winds"], "will not do"),
        (["../four"], "will not do"),
        (["take-5"], "will not do"),
        (["go"], "will not do"),
        (["a-name-of-many-letters-on-it"], "will not do"),
        (["lambda"], "something else to Python"),
        (["match"], "something else to Python, or in the API"),
        (["games"], "another use for the name"),
        (["pico"], "another use for the name"),
        (["four-winds", "--title", 'The "Winds"'], "title"),
        (["four-winds", "--title", ""], "title"),
        (["four-winds", "--title", "The four winds of the whole wide world"], "title"),
    ],
)
def test_what_it_cannot_make_it_says_and_makes_nothing(untouched: Path, arguments: list[str], complaint: str) -> None:
    before = files(untouched)
    done = run(untouched, "service", "new-game", *arguments)
    assert done.returncode == 1
    assert done.stderr.startswith("ludicitude: ")
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr
    assert files(untouched) == before


def test_nothing_is_overwritten(untouched: Path) -> None:
    notes = untouched / "tests" / "games" / "my_own" / "notes"
    notes.parent.mkdir()
    notes.write_text("mine")
    try:
        done = run(untouched, "service", "new-game", "my-own")
        assert done.returncode == 1
        assert "tests/games/my_own is there already" in done.stderr
        assert not (untouched / "domain" / "games" / "my_own").exists()
    finally:
        shutil.rmtree(notes.parent)
