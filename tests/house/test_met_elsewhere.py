"""The list of what went wrong elsewhere names tests that there are, and every test that was written for it."""

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
ROWS = re.findall(r"^\| (?!---|what happened)(.+?) \| (.+) \|$", (TESTS / "met_elsewhere.md").read_text("utf-8"), re.MULTILINE)
TEST = re.compile(r"`([a-z_/]+\.py): (test_\w+)`")


def those_in(path: str) -> set[str]:
    tree = ast.parse((TESTS / path).read_text("utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_every_test_that_it_names_is_there() -> None:
    named = {found for _, here in ROWS for found in TEST.findall(here)}
    assert len(named) > 50
    assert {(path, test) for path, test in named if test not in those_in(path)} == set()


def test_every_row_says_where_it_is_tested_or_why_it_cannot_happen() -> None:
    assert [what for what, here in ROWS if not TEST.search(here) and not re.search(r"[A-Z][^`|]{20,}\.", here)] == []
    assert len({what for what, _ in ROWS}) == len(ROWS)


def test_every_leak_met_elsewhere_is_in_the_list() -> None:
    path = "twins/test_met_elsewhere.py"
    listed = {test for _, here in ROWS for file, test in TEST.findall(here) if file == path}
    assert {test for test in those_in(path) if test.startswith("test_")} == listed
