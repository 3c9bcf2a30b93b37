"""Where the processor time of the service goes under load: its stacks, sampled by py-spy, by the part of the house that they are in."""

import argparse
import asyncio
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bench.cycles import CONNECTIONS, RATE_AT_FIRST
from bench.load import Generator
from bench.peers.running import python_with
from bench.place import place
from bench.product import served
from bench.tables import Hall

PY_SPY = "py-spy==0.4.3"
SECONDS = 10
SAMPLES_A_SECOND = 400
SAMPLES_LEAST = 1_000
"""Fewer say nothing about what takes a few hundredths."""

PARTS: Mapping[str, Sequence[str]] = {
    "the rules, draws and seals": ("domain/",),
    "the request's own steps: id, headers, deadline, dispatch": (
        *("service/http/direct.py", "service/http/access.py", "service/http/deadline.py", "service/http/cors.py", "litestar/app.py"),
        "uvicorn/protocols/http/httptools_impl.py RequestResponseCycle.run_asgi",
    ),
    "reading what comes over a connection": ("service/http/edge.py", "service/http/head.py", "uvicorn/protocols/"),
    "writing the answer and sending it": (
        *(
            "service/http/direct.py _written",
            "service/http/direct.py _header",
            "service/http/direct.py _Answer",
            "service/http/gathered.py",
        ),
        *("service/http/edge.py Edge.on_response_complete", "uvicorn/protocols/http/httptools_impl.py RequestResponseCycle.send"),
    ),
    "the writer: batches to PostgreSQL and their answers": ("service/store/writer.py", "service/store/connections.py", "asyncpg/"),
    "the view, and the events as the player sees them": ("service/projector.py", "service/http/views.py", "service/http/routes/"),
    "the new state, the events and the row as JSON": ("domain/match/state.py", "service/held.py line", "service/store/codec.py"),
    "the match's turn, idempotency": ("service/matches.py", "service/cache.py", "service/http/acting.py", "service/http/idempotency.py"),
    "the line in the log and the numbers": ("service/logs.py", "service/http/access.py _record", "prometheus_client/"),
    "results and standings": ("service/readmodels/", "service/store/event_store.py EventStore.read_all"),
    "who calls, their limits": ("service/http/auth.py", "service/http/limits.py", "service/http/work.py", "service/accounts/"),
    "wake-ups, clocks and bots": ("service/live/", "service/turns.py", "service/sweep.py", "service/clocks.py", "service/bots.py"),
    "the loop itself": ("asyncio/runners.py", "uvicorn/server.py", "uvloop/"),
}
"""Beginnings of a file and the function in it. The innermost frame that is named here counts, and the longest name of it."""

REST = "everything else"

_BEGINNINGS = sorted(((each, part) for part, beginnings in PARTS.items() for each in beginnings), key=lambda pair: -len(pair[0]))


def measure(given: argparse.Namespace) -> dict[str, Any]:
    """Sample the service, as it is shipped, while it plays commands. Raises `Skipped` where py-spy cannot be had."""
    with place() as where, served(where.url, where.folder) as service:
        hall, generator, stacks = Hall(service.host, service.port), Generator(where.folder), where.folder / "stacks"
        program = str(python_with(where.folder, "py-spy", PY_SPY).with_name("py-spy"))
        asyncio.run(hall.ready(int(3 * SECONDS * RATE_AT_FIRST)))
        asyncio.run(hall.seen())
        command = [program, "record", "--format", "raw", "--output", str(stacks), "--rate", str(SAMPLES_A_SECOND)]
        spy = subprocess.Popen([*command, "--pid", str(service.process.pid), "--duration", str(10 * SECONDS)], stdout=subprocess.DEVNULL)
        load = generator.load(service.host, service.port, hall.moves(), SECONDS, CONNECTIONS)
        spy.send_signal(signal.SIGINT)
        if spy.wait(60):
            raise SystemExit("py-spy could not look into the service; on some systems only root may.")
    found = shares(stacks.read_text().splitlines())
    print(f"{load.rate:,.0f} commands a second meanwhile", file=sys.stderr)
    print(table(found))
    return found


def shares(stacks: Iterable[str]) -> dict[str, Any]:
    """How many samples there are, and which share of them each part has, from py-spy's raw lines: frames, and how often they were seen."""
    counted: Counter[str] = Counter()
    for line in stacks:
        frames, _, times = line.rpartition(" ")
        counted[_part(frames.split(";"))] += int(times)
    total = counted.total()
    if total < SAMPLES_LEAST:
        raise SystemExit(f"Only {total} samples: that says nothing.")
    return {"samples": total, "shares": {part: times / total for part, times in counted.most_common()}}


def table(found: Mapping[str, Any]) -> str:
    """The shares as they stand in docs/performance.md."""
    rows = [f"| {part} | {100 * share:.1f} % |" for part, share in found["shares"].items()]
    return "\n".join([f"| of {found['samples']:,} samples | |", "| --- | --- |", *rows])


def _part(frames: Sequence[str]) -> str:
    for frame in reversed(frames):
        function, _, file = frame.rpartition(" (")
        where = f"{file.partition(':')[0].rstrip(')')} {function}"
        for beginning, part in _BEGINNINGS:
            if where.startswith(beginning):
                return part
    return REST
