"""The rulebook is the authority: numbered without gaps, in two languages, and cited by the numbers it has."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from domain.match.game import AnyGame
from tests.rooms import clauses, every_game, room


@every_game
def test_clauses_are_numbered_without_gaps_under_numbered_headings(game: AnyGame) -> None:
    for rulebook in rulebooks(game):
        text = rulebook.read_text()
        sections = [list(group) for _, group in groupby(clauses(rulebook), key=lambda clause: clause.split(".")[0])]
        assert sections == [[f"{n}.{m}" for m in range(1, len(section) + 1)] for n, section in enumerate(sections, start=1)]
        assert re.findall(r"^## (\d+) \S", text, re.MULTILINE) == [str(n) for n in range(1, len(sections) + 1)]


@every_game
def test_every_sentence_of_the_sections_stands_in_a_clause(game: AnyGame) -> None:
    for rulebook in rulebooks(game):
        _, *sections = re.split(r"^## .*$", rulebook.read_text(), flags=re.MULTILINE)
        paragraphs = [paragraph.strip() for section in sections for paragraph in section.split("\n\n")]
        assert [paragraph for paragraph in paragraphs if paragraph and not re.match(r"\d+\.\d+ ", paragraph)] == []


@every_game
def test_the_french_rulebook_says_the_same_clauses_in_french(game: AnyGame) -> None:
    english, french = rulebooks(game)
    assert clauses(english) == clauses(french)
    assert not set(re.findall(r"^\d+\.\d+ .*$", english.read_text(), re.M)) & set(re.findall(r"^\d+\.\d+ .*$", french.read_text(), re.M))


@every_game
def test_whatever_cites_a_clause_cites_one_that_exists(game: AnyGame) -> None:
    known = set(clauses(room(game) / "RULES.md"))
    for path in sorted(room(game).glob("*.py")):
        for line, cited in citations(path):
            assert cited in known, f"{path.name}:{line} cites rule {cited}"


@every_game
def test_every_refusal_says_its_code_and_its_clause(game: AnyGame) -> None:
    known = set(clauses(room(game) / "RULES.md"))
    for arguments in refusals(game):
        assert len(arguments) == 2, "Refused(code, clause), both written out where they are raised"
        assert arguments[1] in known


def rulebooks(game: AnyGame) -> tuple[Path, Path]:
    return room(game) / "RULES.md", room(game) / "fr" / "RULES.md"


def citations(path: Path) -> Iterator[tuple[int, str]]:
    """The clauses named in the comments and strings of a file, with their lines."""
    for token in tokenize.generate_tokens(io.StringIO(path.read_text()).readline):
        if token.type in (tokenize.COMMENT, tokenize.STRING):
            yield from ((token.start[0], cited) for cited in re.findall(r"(?<![\w.])\d+\.\d+(?![\w.]*\w)", token.string))


def refusals(game: AnyGame) -> Iterator[list[str]]:
    """The written-out arguments of each `Refused(...)` in the room."""
    for path in room(game).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Refused":
                yield [str(argument.value) for argument in node.args if isinstance(argument, ast.Constant)]
