"""Processes of a test's own, to be killed in the ways that processes die."""

import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def python(script: str, *arguments: object) -> "Iterator[subprocess.Popen[str]]":
    """Run a script in a Python of its own, its output to be read line by line; it ends with the block at the latest."""
    command = [sys.executable, "-c", textwrap.dedent(script), *map(str, arguments)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def line(process: "subprocess.Popen[str]") -> str:
    """The next line that the process prints; it fails the test when the process ends without one."""
    assert process.stdout is not None
    printed = process.stdout.readline()
    assert printed, f"The process ended with exit code {process.wait()} before it said anything more."
    return printed.strip()


def family(pid: int) -> list[int]:
    """This process and all that come of it, as /proc tells."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(each for child in children for each in family(int(child)))]
