"""Clients, generated once a run by the commands of docs/sdk.md, each where a front-end developer would stand."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.sdk.guide import ROOT, Row, programs, rows

LONGEST_SECONDS = 300
"""For one command, on a machine that has much else to do."""

QUICK_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""For programs in Java that end before it pays to compile them well: half the time."""


class Generated(NamedTuple):
    """A project with a generated client in it: its folder, and what the generator said."""

    folder: Path
    said: str


Generate = Callable[[str], Generated]


def run(folder: Path, *command: str, typed: str = "", **environment: str) -> str:
    """What a command prints that is run in this folder, with the tools of the tests at hand. Raises AssertionError if it fails."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PATH": path, "JAVA_TOOL_OPTIONS": QUICK_START, **environment},
        input=typed,
        capture_output=True,
        text=True,
        timeout=LONGEST_SECONDS,
        check=False,
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"
    return done.stdout


def require(program: str) -> None:
    """Skip the test on a machine that cannot run it; but what the project installs itself must be there."""
    if shutil.which(program) is None:
        pytest.skip(f"There is no {program} here.")
    if program in ("npx", "node"):
        assert (ROOT / "tools" / "node_modules" / "all.done").exists(), "The tools of Node are not installed: make node-tools"


def project(folder: Path) -> Path:
    """A folder with nothing in it but the document, also in OpenAPI 3.0, and the tools of Node."""
    folder.mkdir()
    for document in ("openapi.json", "openapi-3.0.json"):
        shutil.copy(ROOT / "openapi" / document, folder)
    (folder / "node_modules").symlink_to(ROOT / "tools" / "node_modules")
    return folder


def set_up(folder: Path) -> Path:
    """A project in TypeScript there, made as the page says; what it would install is installed."""
    [lines] = [text.splitlines() for text in programs("sh", "setup.md") if "tsconfig.json" in text]
    run(folder, "bash", "-ec", "\n".join(line for line in lines if not line.startswith(("npm install", "npx tsc"))))
    return folder


@pytest.fixture(scope="session")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Generate]:
    """The client of a row of the table. The first that is asked for has all of them made, two at a time."""
    making: dict[str, Future[Generated]] = {}

    def make(row: Row) -> Generated:
        folder = project(tmp_path_factory.mktemp("client") / "project")
        if row.needs == "npx":
            set_up(folder)
        return Generated(folder, run(folder, "bash", "-c", f"{row.generate} 2>&1"))

    with ThreadPoolExecutor(2) as workers:

        def generate(name: str) -> Generated:
            require(rows()[name].needs)
            if not making:
                making.update({row.name: workers.submit(make, row) for row in rows().values() if shutil.which(row.needs)})
            return making[name].result()

        yield generate
