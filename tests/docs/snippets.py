"""The snippets of a page, and what the page says that they print.

A block in `sh`, `python` or `js` is run, unless it says `not-run`. A block of `json` or `text` that follows one is what that one
prints, unless it says `example`. A page's blocks in one language run one after the other in one program, as a reader pastes them.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests.docs.masks import masked, matches

ADDRESS = "http://localhost:8000"
"""What the pages call the service."""

LONGEST_SECONDS = 400
"""A page takes seconds; this is for a machine that has much else to do."""

PRINTED = ("json", "text")

BETWEEN = "\x1e"
"""Stands in the output between two blocks."""


class Block(NamedTuple):
    """A fenced block: where its text begins in the page, its language, what else stands behind that, and the text."""

    at: int
    language: str
    says: str
    text: str


class Snippet(NamedTuple):
    """A block that is run, and the block that shows what it prints, if the page has one."""

    run: Block
    shown: Block | None


class Language(NamedTuple):
    """How blocks become a program: what they may call, what begins it, what stands between two of them, and how it is started."""

    calls: tuple[str, ...]
    begins: str
    between: str
    ending: str
    command: tuple[str, ...]


LANGUAGES = {
    "sh": Language(("curl", "jq", "node", "python3"), "set -euo pipefail\n", f"printf '{BETWEEN}'\n", ".sh", ("bash",)),
    "python": Language((), "", f"print({BETWEEN!r}, end='', flush=True)\n", ".py", (sys.executable,)),
    "js": Language((), "", f"process.stdout.write({BETWEEN!r});\n".replace("'", '"'), ".mjs", ("node",)),
}


def blocks(page: str) -> list[Block]:
    """The fenced blocks of a page."""
    found = re.finditer(r"^```(\w+)[ ]?([^\n]*)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    return [Block(each.start(3), each[1], each[2], each[3]) for each in found]


def snippets(page: str) -> list[Snippet]:
    """What is run of a page."""
    found: list[Snippet] = []
    last: Block | None = None
    for block in blocks(page):
        if block.language in LANGUAGES and block.says != "not-run":
            found.append(Snippet(block, None))
        elif block.language in PRINTED and block.says != "example" and last is not None and found and found[-1].run is last:
            found[-1] = Snippet(last, block)
        last = block
    return found


def missing(given: Sequence[Snippet], language: str) -> str | None:
    """A program that this machine lacks for these snippets."""
    words = set(re.findall(r"\w+", "".join(each.run.text for each in given)))
    needed = [LANGUAGES[language].command[0], *(each for each in LANGUAGES[language].calls if each in words)]
    return next((program for program in needed if shutil.which(program) is None), None)


def printed(given: Sequence[Snippet], language: str, address: str, folder: Path) -> list[str]:
    """What each of these snippets of one language prints. Raises AssertionError when one fails or takes too long."""
    how = LANGUAGES[language]
    program = folder / f"page{how.ending}"
    text = how.begins + "".join(each.run.text + how.between for each in given)
    program.write_text(text.replace(ADDRESS, address), "utf-8")
    environment = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    try:
        done = subprocess.run(
            [*how.command, program.name], cwd=folder, env=environment, capture_output=True, text=True, timeout=LONGEST_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as late:
        raise AssertionError(f"The {language} of this page takes longer than {LONGEST_SECONDS} s.") from late
    outputs = done.stdout.replace(address, ADDRESS).split(BETWEEN)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), (
        f"This {language} fails:\n\n{given[min(len(outputs), len(given)) - 1].run.text}\n{outputs[-1]}\n{done.stderr}"
    )
    return outputs[:-1]


def faults(given: Sequence[Snippet], outputs: Sequence[str]) -> list[str]:
    """What the page shows otherwise than it was printed."""
    return [
        f"After\n\n{each.run.text}\nthe page shows\n\n{masked(each.shown.text)}\n"
        f"but this is printed (ids and moments masked; `make bless` writes it down):\n\n{masked(output)}"
        for each, output in zip(given, outputs, strict=True)
        if each.shown is not None and not matches(each.shown.text, output)
    ]


def blessed(page: str, given: Sequence[Snippet], outputs: Sequence[str]) -> str:
    """The page with what was printed wherever it shows something else."""
    for each, output in reversed(list(zip(given, outputs, strict=True))):
        if each.shown is not None and not matches(each.shown.text, output):
            at = each.shown.at
            page = page[:at] + output.rstrip("\n") + "\n" + page[at + len(each.shown.text) :]
    return page
