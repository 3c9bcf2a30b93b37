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


def programs_in(python: Path, javascript: Path) -> Commands:
    """Those that are in these two folders."""
    found = {source.name: (sys.executable, "-W", "error", str(python / source.name)) for source in FOLLOWERS.glob("*.py")}
    return found | {source.name: ("node", str(javascript / source.with_suffix(".js").name)) for source in FOLLOWERS.glob("*.ts")}


def started(program: Sequence[str], *arguments: str, **given: str) -> "subprocess.Popen[str]":
    environment = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()} | given
    return subprocess.Popen(
        [*program, *arguments], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def steps(following: "subprocess.Popen[str]") -> list[Any]:
    """What a program tells until it ends."""
    try:
        said, errors = following.communicate(timeout=60)
    finally:
        following.kill()
    assert (following.returncode, errors) == (0, "")
    return [json.loads(line) for line in said.splitlines()]
