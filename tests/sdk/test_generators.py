"""Every generator of docs/sdk.md reads the document without a warning, and makes of it what a front-end developer hopes for."""

import json
import re
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import tree_sitter
from tree_sitter import Parser

from tests.sdk.conftest import Generate
from tests.sdk.guide import ROOT, pins, programs, rows
from tests.sdk.languages import LANGUAGES, Language
from tests.service.documented import document

pytestmark = pytest.mark.timeout(900)


def warnings(said: str) -> list[str]:
    lines = [line for line in said.splitlines() if re.search(r"\b(WARN|warning|ERROR|error|Unable|Skipping)\b", line, re.IGNORECASE)]
    return [line for line in lines if "writing file" not in line]


@pytest.mark.parametrize("name", rows())
def test_a_client_is_generated_without_a_warning(name: str, generated: Generate) -> None:
    assert warnings(generated(name).said) == []


def test_the_versions_that_are_named_are_those_that_are_tried() -> None:
    node = json.loads((ROOT / "tools" / "package.json").read_text("utf-8"))["devDependencies"]
    named = [pins(row.install) for row in rows().values()]
    assert all(named)
    named += [pins("\n".join(programs("sh", "setup.md"))), pins((ROOT / "examples" / "README.md").read_text("utf-8"))]
    named.append(json.loads((ROOT / "examples" / "typescript" / "package.json").read_text("utf-8"))["devDependencies"])
    for package, pinned in (each for found in named for each in found.items()):
        assert pinned == (node[package] if package in node else version(package)), package


def test_the_table_has_a_row_for_each_that_is_promised() -> None:
    assert set(rows()) == {"TypeScript", "TypeScript with streams", "Python", *LANGUAGES}


@pytest.fixture(params=LANGUAGES)
def types(request: pytest.FixtureRequest, generated: Generate) -> tuple[Language, Path, dict[str, str]]:
    """A language, the folder of its client, and the text of each of its types by name, in lower case and without underscores."""
    language, folder = LANGUAGES[request.param], generated(request.param).folder / "ludicitude"
    files = {path.stem.replace("_", "").lower(): path.read_text("utf-8") for path in folder.glob(language.models)}
    return language, folder, files


def schemas() -> dict[str, Any]:
    found: dict[str, Any] = document()["components"]["schemas"]
    return found


def test_its_types_are_those_of_the_document(types: tuple[Language, Path, dict[str, str]]) -> None:
    """None was made up for something that has no name, and none left out but names of plain numbers and texts."""
    language, _, files = types
    plain = {name for name, schema in schemas().items() if schema.get("type") in ("integer", "string") and "enum" not in schema}
    assert set(files) - language.beside == {name.lower() for name in schemas().keys() - plain}
    assert not [name for name, text in files.items() if "UNKNOWN_BASE_TYPE" in text]


@pytest.mark.parametrize(("name", "grammar"), [(name, each.grammar) for name, each in LANGUAGES.items() if each.grammar])
def test_what_is_not_compiled_is_at_least_of_its_language(name: str, grammar: Callable[[], object], generated: Generate) -> None:
    language, folder = LANGUAGES[name], generated(name).folder / "ludicitude"
    parser, made = Parser(tree_sitter.Language(grammar())), [*folder.glob(language.models), *folder.glob(language.apis)]
    assert [path.name for path in made if parser.parse(path.read_bytes()).root_node.has_error] == []
    assert parser.parse(b"}" + made[0].read_bytes()).root_node.has_error


def test_its_unions_know_their_members(types: tuple[Language, Path, dict[str, str]]) -> None:
    """Each is told apart by its tag, and none is one class with the fields of all."""
    language, _, files = types
    for name, schema in schemas().items():
        if "discriminator" in schema:
            text = files[name.lower()]
            assert re.search(language.union.format(name=name), text), name
            for tag, member in schema["discriminator"]["mapping"].items():
                given = {"tag": re.escape(tag), "name": member.rpartition("/")[2]}
                assert re.search(language.member.format(**given), text), f"{name}: {tag}"


def test_only_the_schema_of_options_can_be_anything(types: tuple[Language, Path, dict[str, str]]) -> None:
    language, _, files = types
    found = {name: re.findall(language.anything.format(), text) for name, text in files.items() if name not in language.beside}
    assert {name: [field.lower() for field in fields] for name, fields in found.items() if fields} == {"gamedetails": ["optionsschema"]}


def test_moments_are_moments_and_headers_are_parameters(types: tuple[Language, Path, dict[str, str]]) -> None:
    language, folder, files = types
    assert re.search(language.moment, files["matchview"])
    assert any(re.search(language.call.format(), path.read_text("utf-8")) for path in folder.glob(language.apis))
