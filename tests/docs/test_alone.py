"""A snippet that somebody copies alone runs as it stands, or says what it goes on from."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import node
from tests.docs.snippets import Snippet, snippets
from tests.docs.test_pages import PAGES

GOES_ON = re.compile(r"^(?:#|//) Goes on from ")
"""The first line of a snippet that needs others."""

SHELL_GOES_ON = "The snippets in shell go on from one another: paste them into one terminal."
"""Stands once on a page, before the first."""


def alone(language: str) -> dict[str, Snippet]:
    """What is run of all pages in this language and does not say that it goes on from something else, by where it stands."""
    found = [(page, each) for page in PAGES for each in snippets(page.read_text("utf-8")) if each.run.language == language]
    return {f"{page.stem}-{each.run.at}": each for page, each in found if not GOES_ON.match(each.run.text)}


def test_python_lacks_no_name(tmp_path: Path) -> None:
    for name, each in alone("python").items():
        (tmp_path / f"{name}.py").write_text(each.run.text, "utf-8")
    assert lacking_in_python(tmp_path) == []
    (tmp_path / "other.py").write_text("print(ada)\n", "utf-8")
    assert lacking_in_python(tmp_path) == ["other.py: Undefined name `ada`"]


def lacking_in_python(folder: Path) -> list[str]:
    ruff = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--select", "F821", "--output-format", "json", str(folder)]
    told = subprocess.run(ruff, capture_output=True, text=True, timeout=60, check=False)
    assert not told.stderr
    return [f"{Path(each['filename']).name}: {each['message']}" for each in json.loads(told.stdout)]


def test_javascript_lacks_no_name(tmp_path: Path) -> None:
    given = {name: each.run.text for name, each in alone("js").items()} | {"other": "console.log(ada);\n"}
    for name, text in given.items():
        (tmp_path / f"{name}.js").write_text(f"{text}export {{}};\n", "utf-8")
    how = "--allowJs --checkJs --noEmit --noResolve --target es2022 --module es2022 --lib es2022,dom"
    told = node.run("tsc", *how.split(), *(f"{name}.js" for name in given), folder=tmp_path).stdout
    lacking = [f"{name} {what}" for name, what in re.findall(r"^(.+)\.js\(.*error TS(?:2304|2552|18004): (.*)$", told, re.MULTILINE)]
    assert lacking == ["other Cannot find name 'ada'."]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_shell_lacks_no_variable(page: Path) -> None:
    text = page.read_text("utf-8")
    shell = [each.run for each in snippets(text) if each.run.language == "sh"]
    lacking = [each.at for each in shell if lacking_in_shell(each.text)]
    if lacking:
        assert lacking[0] > shell[0].at
        assert SHELL_GOES_ON in text[: shell[0].at], page.name


def lacking_in_shell(text: str) -> list[str]:
    made = re.findall(r"\b([A-Z]+)=|\bfor ([A-Z]+) in", text)
    return sorted(set(re.findall(r"\$\{?([A-Z]+)", text)) - {name for names in made for name in names})


def test_a_variable_that_is_missing_is_caught() -> None:
    assert lacking_in_shell('curl $API/matches -H "$ADA"; ADA=1') == ["API"]
