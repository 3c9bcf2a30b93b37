"""Puts load on a server: with wrk where it can be had, and otherwise with the bench's own client in a process of its own."""

import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import msgspec

MOVES = Path(__file__).with_name("moves.lua")
DEBIAN = ("wrk", "libluajit-5.1-2", "libluajit-5.1-common")


class Load(msgspec.Struct, frozen=True):
    """What a slice of load came to. Latencies are in microseconds; `generator_seconds` is the processor time of the client."""

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


class Generator:
    """What bears the load; `name` says which."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._wrk, self._libraries = _wrk(folder)
        self.name = "wrk" if self._wrk else "bench.pump"

    def load(self, host: str, port: int, requests: Iterable[bytes], seconds: int, connections: int) -> Load:
        """Send these requests for so long on so many connections. Raises `BadAnswers`."""
        script = self._folder / "requests"
        script.write_bytes(b"\0".join(requests))
        if self._wrk:
            command = [self._wrk, "-t", "1", "-c", str(connections), "-d", f"{seconds}s", "--timeout", "10s", "-s", str(MOVES)]
            command += [f"http://{host}:{port}", "--", str(script)]
        else:
            command = [sys.executable, "-m", "bench.pump", host, str(port), str(connections), str(seconds), str(script)]
        before = _used_by_children()
        given = os.environ | {"LD_LIBRARY_PATH": self._libraries}
        ran = subprocess.run(command, capture_output=True, text=True, check=True, env=given, cwd=Path(__file__).parents[1])
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


def _wrk(folder: Path) -> tuple[str | None, str]:
    """The program wrk and where its libraries are: as installed, or out of Debian's packages, which need no root to be unpacked."""
    if found := shutil.which("wrk"):
        return found, os.environ.get("LD_LIBRARY_PATH", "")
    home = folder / "wrk"
    if not (home / "usr/bin/wrk").exists() and shutil.which("apt-get") and shutil.which("dpkg-deb"):
        home.mkdir(parents=True, exist_ok=True)
        got = subprocess.run(["apt-get", "download", *DEBIAN], cwd=home, capture_output=True, check=False)
        for package in home.glob("*.deb") if got.returncode == 0 else ():
            subprocess.run(["dpkg-deb", "-x", package, home], check=True)
    if not (home / "usr/bin/wrk").exists():
        return None, ""
    return str(home / "usr/bin/wrk"), ":".join(str(path.parent) for path in home.glob("usr/lib/*/libluajit*.so.2"))


def _used_by_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
