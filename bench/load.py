"""Puts load on a server: with wrk where it is installed, and otherwise with the bench's own client in a process of its own."""

import json
import resource
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import msgspec

MOVES = Path(__file__).with_name("moves.lua")


class Load(msgspec.Struct, frozen=True):
    """What a slice of load came to. Latencies are in microseconds."""

    answers: int
    seconds: float
    p50: float
    p90: float
    p99: float
    max: float
    generator_seconds: float

    @property
    def rate(self) -> float:
        """Answers a second."""
        return self.answers / self.seconds


class BadAnswers(Exception):
    """Some answers were none of 2xx and 3xx, or connections broke: nothing that such a slice says counts."""


def load(host: str, port: int, requests: Iterable[bytes], seconds: float, connections: int, folder: Path) -> Load:
    """Send these requests for so long on so many connections. Raises `BadAnswers`."""
    script = folder / "requests"
    script.write_bytes(b"\0".join(requests))
    before = _used_by_children()
    wrk = shutil.which("wrk")
    assert wrk is not None
    threads = "1"
    command = [wrk, "-t", threads, "-c", str(connections), "-d", f"{max(1, round(seconds))}s", "-s", str(MOVES)]
    ran = subprocess.run([*command, f"http://{host}:{port}", "--", str(script)], capture_output=True, text=True, check=True)
    found = json.loads(ran.stdout.splitlines()[-1])
    if found["refused"] or found["broken"]:
        raise BadAnswers(f"{found['refused']} refused, {found['broken']} broken of {found['answers']}")
    return Load(
        answers=found["answers"],
        seconds=found["microseconds"] / 1e6,
        p50=found["p50"],
        p90=found["p90"],
        p99=found["p99"],
        max=found["max"],
        generator_seconds=_used_by_children() - before,
    )


def _used_by_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
