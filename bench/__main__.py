"""`make bench`: measures, prints the table, and writes it as JSON. `python -m bench --help` says how else."""

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec

from bench import extras, report, shares, streams
from bench.cycles import bench
from bench.goals import GOALS, judged
from bench.place import HOME, place
from service.embedded import programs

CYCLES = {"quick": 3, "full": 9}
SECONDS_MAX = {"quick": 200, "full": 560}
"""No new cycle begins later than this."""


def main() -> None:
    """Run one of the benches."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("which", choices=("quick", "full", "streams", "large", "profile", "report"), nargs="?", default="full")
    parser.add_argument("--streams", type=int, default=10_000, help="how many streams are held open")
    parser.add_argument("--events", type=int, default=10_000_000, help="how many events `large` stores before it measures again")
    given = parser.parse_args()
    measure = {"quick": _cycles, "full": _cycles, "streams": streams.measure, "large": extras.large, "profile": shares.measure}
    if given.which != "report":
        found = measure[given.which](given)
        path = HOME / f"{'cycles' if given.which in CYCLES else given.which}.json"
        path.write_text(json.dumps(found, indent=1) + "\n")
        print(f"\n{path}; `python -m bench report` puts it into docs/performance.md", file=sys.stderr)
    else:
        report.write(HOME)


def _cycles(given: argparse.Namespace) -> dict[str, Any]:
    began = time.monotonic()
    with place() as where, bench(where, peers=given.which == "full") as (made, hall, service):
        while len(made.measured.cycles) < CYCLES[given.which] and time.monotonic() - began < SECONDS_MAX[given.which]:
            made.run()
            number, share = len(made.measured.cycles), made.measured.cycles[-1]["commands"]
            print(f"cycle {number}: {time.monotonic() - began:.0f} s, {share:.3f} of pgbench", file=sys.stderr)
        more = extras.measure(made, hall, service)
    found = {
        "machine": _machine(made.generator.name),
        "measured": msgspec.to_builtins(made.measured),
        "goals": [msgspec.to_builtins(judged(goal, made.measured.cycles)) for goal in GOALS],
        "more": more,
        "seconds": round(time.monotonic() - began),
    }
    print(report.table(found))
    return found


def _machine(generator: str) -> dict[str, Any]:
    postgres = subprocess.run([programs.find() / "postgres", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    model = next((line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line), "?")
    return {
        "processors": os.cpu_count(),
        "model": model,
        "system": platform.platform(),
        "python": platform.python_version(),
        "postgres": postgres,
        "load": generator,
        "packages": {name: version(name) for name in ("asyncpg", "litestar", "msgspec", "uvicorn", "uvloop", "httptools")},
        "fsyncs a second": _fsyncs(),
        "load average": os.getloadavg()[0],
    }


def _fsyncs() -> float:
    """How often a second a page can be brought to this disk."""
    path, n = HOME / "fsync", 0
    with path.open("wb", buffering=0) as file:
        ends = time.monotonic() + 1
        while time.monotonic() < ends:
            file.seek(0)
            file.write(bytes(8192))
            os.fdatasync(file.fileno())
            n += 1
    path.unlink()
    return n


if __name__ == "__main__":
    main()
