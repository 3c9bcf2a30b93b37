"""The programs that try what the guide gives out, and what they tell."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

FOLLOWERS = Path(__file__).parent / "followers"

Commands: TypeAlias = Mapping[str, Sequence[str]]
"""How each program that follows or sends is started, by its name, which is in its language."""

HASTE = {
    "read=45": "read=5",
    "SILENCE_MS = 45_000": "SILENCE_MS = 5000",
    "sleep(wait)": "sleep(wait / 50)",
    "sleep(tries.pause(failure))": "sleep(tries.pause(failure) / 50)",
    "stop.wait(tries.pause(failure))": "stop.wait(tries.pause(failure) / 50)",
    "TRY_SECONDS = 20.0": "TRY_SECONDS = 3.0",
    "TRY_MS = 20_000": "TRY_MS = 3000",
    "setTimeout(over, wait)": "setTimeout(over, wait / 50)",
}
"""What a test does not wait for; a line is still silent for longer than a busy machine is."""


IMPATIENCE = {"PATIENCE_SECONDS = 45.0": "PATIENCE_SECONDS = 2.5", "PATIENCE_SECONDS = 45;": "PATIENCE_SECONDS = 2.5;"}
"""So that it is over after the second try or the third."""


def hastened(folder: Path, python: Path, javascript: Path, haste: Mapping[str, str]) -> Commands:
    """Those that are in these two folders, and those that try them, changed in this way and put into another one."""
    (folder / "package.json").write_text('{"type": "module"}', "utf-8")
    kept = set(haste)
    for source in (*python.glob("*.py"), *FOLLOWERS.glob("*.py"), *javascript.glob("*.js")):
        text = source.read_text("utf-8")
        kept -= {slow for slow in kept if slow in text}
        for slow, quick in haste.items():
            text = text.replace(slow, quick)
        (folder / source.name).write_text(text, "utf-8")
    assert not kept
    return programs_in(folder, folder)


def programs_in(python: Path, javascript: Path) -> Commands:
    """Those that are in these two folders."""
    found = {path.name: (sys.executable, "-W", "error", str(path)) for path in python.glob("*.py")}
    return found | {path.with_suffix(".ts").name: ("node", str(path)) for path in javascript.glob("*.js")}


def started(program: Sequence[str], *arguments: str, folder: Path | None = None, **given: str) -> "subprocess.Popen[str]":
    environment = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()} | given
    pipe = subprocess.PIPE
    return subprocess.Popen([*program, *arguments], cwd=folder, env=environment, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def steps(following: "subprocess.Popen[str]") -> list[Any]:
    """What a program tells until it ends."""
    try:
        said, errors = following.communicate(timeout=60)
    finally:
        following.kill()
    assert (following.returncode, errors) == (0, "")
    return [json.loads(line) for line in said.splitlines()]
