"""The programs that `tools/` installs. They need Node.js: where it is missing, tests that need them are left out, but never in CI."""

import os
import subprocess
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[1] / "tools"
TIMEOUT_SECONDS = 300
QUIET = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true", "NO_COLOR": "1"}


def program(name: str) -> Path:
    """Where the program is; skips the test, or fails it in CI, where it is not installed."""
    path = TOOLS / "node_modules" / ".bin" / name
    if path.exists():
        return path
    missing = f"{name} is not installed; `make test` installs it where there is Node.js 20.19 or newer"
    if os.environ.get("CI"):
        pytest.fail(missing)
    pytest.skip(missing)


def run(name: str, *arguments: str | Path, folder: Path = TOOLS) -> subprocess.CompletedProcess[str]:
    """What the program, run in `folder`, says and ends with; both of its outputs are one."""
    return subprocess.run(
        [program(name), *arguments],
        cwd=folder,
        env={**os.environ, **QUIET},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=TIMEOUT_SECONDS,
    )
