"""The rules of the house that a linter cannot say: what the domain may touch, and how much of a file a head can hold."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeGuard

import pytest

ROOT = Path(__file__).parents[2]
FILES = sorted(path for folder in ("domain", "service", "migrations", "template", "tests") for path in (ROOT / folder).rglob("*.py"))

MAY_IMPORT = {"collections", "dataclasses", "domain", "enum", "functools", "itertools", "math", "msgspec", "typing"}
MAY_IMPORT_TOO = {
    "domain/match/fate.py": {"hashlib", "hmac", "json"},
    # Moments are given to the domain and never asked for.
    **{f"domain/match/{name}.py": {"datetime"} for name in ("lobby", "play", "state", "table")},
}
CLOCKS = {"now", "today", "utcnow"}
FILE_MAX, FILE_MIN, FUNCTION_MAX = 300, 8, 50
RAISED: dict[str, tuple[int, str]] = {}
"""Files that may be longer than `FILE_MAX`, up to so many lines, and why reading gains by it."""

every_file = pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))


@every_file
def test_the_domain_touches_nothing_of_the_world(path: Path) -> None:
    name = path.relative_to(ROOT).as_posix()
    if name.startswith(("domain/", "template/domain/")):
        strangers = set(imports(path)) - MAY_IMPORT - MAY_IMPORT_TOO.get(name, set())
        assert not strangers, f"the rules are pure: no clock, no randomness, no I/O, but {name} imports {strangers}"
        called = {node.func.attr for node in ast.walk(ast.parse(path.read_text())) if is_method_call(node)}
        assert not called & CLOCKS, f"the rules have no clock, but {name} asks one"


@every_file
def test_a_file_fits_in_the_head_and_is_worth_opening(path: Path) -> None:
    name, lines = path.relative_to(ROOT).as_posix(), len(path.read_text().splitlines())
    most, why = RAISED.get(name, (FILE_MAX, "a file of one thought fits in the head; take apart what is two"))
    assert lines <= most, f"{name} has {lines} lines: {why}"
    called_so_by_python = path.name in ("__init__.py", "__main__.py")
    assert lines >= FILE_MIN or called_so_by_python, f"{name} has {lines} lines: let it stand with what it belongs to"


@every_file
def test_a_function_fits_on_a_screen(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None:
            lines = node.end_lineno - node.lineno + 1
            assert lines <= FUNCTION_MAX, f"{node.name} has {lines} lines: say the parts of it by name"


def is_method_call(node: ast.AST) -> TypeGuard[Any]:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or ".").split(".")[0]


def test_what_python_checks_by_a_pattern_ends_where_the_text_does() -> None:
    """Python's `$` stands before a line break at the end too. In the document the pattern ends with one all the same."""
    loose = re.compile(r'pattern=r?"[^"\n]*\$"')
    ours = [path for path in FILES if path.relative_to(ROOT).parts[0] in ("domain", "service")]
    assert [path.name for path in ours if loose.search(path.read_text())] == []


def test_the_map_of_the_house_has_every_module_of_the_service() -> None:
    drawn = (ROOT / "ARCHITECTURE.md").read_text("utf-8").partition("## The map")[2].partition("\n## ")[0]
    there = [path for path in (ROOT / "service").iterdir() if not path.name.startswith("_")]
    assert [name for path in there if f"{(name := path.name)}{'/' if path.is_dir() else ''}`" not in drawn] == []
