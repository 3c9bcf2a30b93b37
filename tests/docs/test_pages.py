"""Every snippet of the documentation runs against the service, and prints what the page says that it prints."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.conftest import BLESSING, COPIED, EXAMPLES
from tests.docs.masks import matches
from tests.docs.snippets import LANGUAGES, LONGEST_SECONDS, Snippet, blessed, blocks, faults, missing, printed, snippets
from tests.docs.told import untrue
from tests.faults.served import Served, served

ROOT = Path(__file__).resolve().parents[2]

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

TOLD = {"front-end.md": ("pico", "wolves", "black-sheep", "little-train", "schemers"), "tutorial.md": ("little-train",)}
"""Pages whose Python tells matches in words, and of which games, in this order."""

RUNS = [
    pytest.param(page, language, id=f"{page.relative_to(ROOT)}-{language}")
    for page in PAGES
    for language in LANGUAGES
    if any(each.run.language == language for each in snippets(page.read_text("utf-8")))
]


@pytest.fixture(scope="module")
def service(used_server_folder: Path) -> Iterator[Served]:
    """One service for all pages, in test mode, as those read it who try a page on their own machine."""
    with served(used_server_folder, LUDICITUDE_TEST_MODE="on") as started:
        yield started


@pytest.mark.timeout(LONGEST_SECONDS + 100)
@pytest.mark.parametrize(("page", "language"), RUNS)
def test_a_page_does_what_it_says(page: Path, language: str, service: Served, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    text = page.read_text("utf-8")
    given = [each for each in snippets(text) if each.run.language == language]
    if program := missing(given, language):
        pytest.skip(f"The page needs {program}.")
    for verifier in ("verify.py", "verify.mjs"):
        shutil.copy(ROOT / "verify" / verifier, tmp_path)
    for copied in COPIED:
        shutil.copy(EXAMPLES / "python" / f"{copied}.py", tmp_path)
    if language == "js" and any(f'from "./{copied}.js"' in each.run.text for copied in COPIED for each in given):
        for copied in COPIED:
            (tmp_path / f"{copied}.js").symlink_to(request.getfixturevalue("javascript") / f"{copied}.js")
    outputs = printed(given, language, service.address, tmp_path)
    if BLESSING:
        page.write_text(blessed(text, given, outputs), "utf-8")
    else:
        assert not (found := faults(given, outputs)), "\n\n".join(found)
    if language == "python" and page.name in TOLD:
        assert not (wrong := untrue("".join(outputs), service.address, TOLD[page.name])), wrong


def test_every_block_is_run_or_says_why_not() -> None:
    """A page cannot escape by a language that nobody runs, or by a word that nobody knows."""
    for page in PAGES:
        for block in blocks(page.read_text("utf-8")):
            known = {"not-run"} if block.language in LANGUAGES else {"example"} if block.language in ("json", "text", "http") else {None}
            assert block.says in {"", *known}, f"{page.name}: {block.language} {block.says}"


def test_what_only_the_repository_has_is_said_to_be_there() -> None:
    """Most read the guide on a server, and have nothing else."""
    for page in PAGES[1:]:
        text = re.sub(r"<!--.*?-->", "", page.read_text("utf-8"), flags=re.DOTALL)
        lacking = re.findall(r"make (?:run|test|bless|bench)\b|`(?:bench|domain|examples|service|tests|tools|verify)/", text)
        assert not lacking or "in the repository" in " ".join(text.lower().split()), f"{page.name}: {lacking}"


def test_what_is_shown_as_json_is_json() -> None:
    """A reader pastes it; where something is left out, `…` stands within a text."""
    for page in PAGES:
        for block in blocks(page.read_text("utf-8")):
            text, at = block.text.strip(), 0
            while block.language == "json" and at < len(text):
                _, end = json.JSONDecoder().raw_decode(text, at)  # Several answers may stand one after the other.
                at = end + len(text[end:]) - len(text[end:].lstrip())


def test_a_page_that_shows_something_else_is_caught(tmp_path: Path) -> None:
    page = "```python\nprint('mat_0123456789abcdef', 7)\n```\n\n```text\nmat_fedcba9876543210 8\n```\n"
    given = snippets(page)
    outputs = printed(given, "python", "http://127.0.0.1:1", tmp_path)
    assert len(faults(given, outputs)) == 1
    assert blessed(page, given, outputs) == page.replace("fedcba9876543210 8", "0123456789abcdef 7")
    with pytest.raises(AssertionError, match="This python fails"):
        printed(snippets("```python\n1 / 0\n```\n"), "python", "http://127.0.0.1:1", tmp_path)


def test_what_is_masked_and_what_is_not() -> None:
    assert matches('{"at": "2026-01-01T00:00:00Z", "card": 7}', '{"at": "2026-12-24T12:00:00Z", "card": 7}')
    assert not matches('{"card": 7}', '{"card": 8}')
    assert matches("one … three", "one two three")
    assert not matches("one … three", "one two four")
    assert isinstance(snippets("```sh\nls\n```\n")[0], Snippet)
