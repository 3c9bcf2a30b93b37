"""Starting and ending the peers, each in a process of its own; one that can't be had is skipped, and it is said why."""

import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

NODE = Path(__file__).with_name("node")
EVENTSOURCING = "eventsourcing[postgres]==9.5.6"
INSTALL_SECONDS = 240


class Skipped(Exception):
    """This peer can't be had here; the text says why."""


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


@contextmanager
def naive(url: str) -> Iterator[int]:
    """The naive twin on the service's own database; the port where it answers."""
    port = free_port()
    with _running([sys.executable, "-m", "bench.peers.naive", url, str(port)], port, Path(__file__).parents[2]):
        yield port


@contextmanager
def node(folder: Path, program: str, *arguments: str) -> Iterator[int]:
    """A program of `node/` with these arguments after its port."""
    port = free_port()
    with _running(["node", f"{program}.mjs", str(port), *arguments], port, node_home(folder)):
        yield port


def node_home(folder: Path) -> Path:
    """The folder with the peers' programs and the packages they need."""
    home = folder / "node"
    if not (home / "installed").exists():
        if not (shutil.which("node") and shutil.which("npm")):
            raise Skipped("there is no Node.js")
        home.mkdir(exist_ok=True)
        _install(["npm", "ci", "--no-audit", "--no-fund", "--loglevel=error"], home, NODE)
        (home / "installed").touch()
    for program in NODE.glob("*.mjs"):
        shutil.copy(program, home)
    return home


def moves(folder: Path, port: int, connections: int, seconds: int) -> float:
    """Moves a second at a boardgame.io server."""
    command = ["node", "moves.mjs", str(port), str(connections), str(seconds)]
    return float(subprocess.run(command, cwd=node_home(folder), capture_output=True, text=True, check=True, timeout=60).stdout)


def eventsourcing(folder: Path, url: str, threads: int, seconds: int) -> float:
    """Aggregates saved a second by the library `eventsourcing` in one process."""
    python = python_with(folder, "eventsourcing", EVENTSOURCING)
    parts = urlsplit(url)
    arguments = [parse_qs(parts.query)["host"][0], parts.path[1:], parts.username or "postgres", str(threads), str(seconds)]
    command = [str(python), str(Path(__file__).with_name("eventsourcing_writes.py")), *arguments]
    return float(subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout.split()[-1])


def python_with(folder: Path, name: str, package: str) -> Path:
    """A Python of its own that has this package, in the folder `name`; raises `Skipped` where it can't be had."""
    python = folder / name / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder / name], check=True)
        try:
            _install([str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package], folder)
        except Skipped:
            shutil.rmtree(folder / name)
            raise
    return python


def _install(command: list[str], home: Path, source: Path | None = None) -> None:
    for name in ("package.json", "package-lock.json") if source else ():
        assert source is not None
        shutil.copy(source / name, home)
    try:
        got = subprocess.run(command, cwd=home, capture_output=True, text=True, check=False, timeout=INSTALL_SECONDS)
    except subprocess.TimeoutExpired as slow:
        raise Skipped("its packages took too long") from slow
    if got.returncode:
        raise Skipped(f"its packages could not be had: {(got.stderr.strip() or '?').splitlines()[-1][:120]}")


@contextmanager
def _running(command: list[str], port: int, home: Path) -> Iterator[None]:
    with ExitStack() as ending:
        process = subprocess.Popen(command, cwd=home, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        ending.callback(process.wait, 20)
        ending.callback(process.terminate)
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", port), timeout=0.1).close()
                break
            except OSError:
                try:
                    process.wait(0.1)
                except subprocess.TimeoutExpired:
                    continue
                assert process.stderr is not None
                raise Skipped(f"it ended at once: {process.stderr.read().strip()[-300:]}") from None
        else:
            raise Skipped("it did not answer within twenty seconds")
        yield
