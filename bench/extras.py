"""What is measured once, beside the cycles: latency at a steady rate, views, lists, memory, the start, and what a full log costs."""

import argparse
import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

import asyncpg

from bench.cycles import CONNECTIONS, Bench, bench
from bench.load import Load
from bench.place import place
from bench.processors import resident_bytes
from bench.product import Served, served
from bench.tables import Hall
from bench.wire import ask_all, request

LISTED = 100_000
SEEN = 3_000

COPIES = """
INSERT INTO match_current SELECT (jsonb_populate_record(m, jsonb_build_object('stream_id', gen_random_uuid()))).*
FROM match_current m, generate_series(1, $1)
WHERE m.stream_id = (SELECT stream_id FROM match_current WHERE status = 'playing' LIMIT 1)
"""

# Streams of a hundred events each, as a log that has been written for a while holds them.
EVENTS = """
INSERT INTO es.events (stream_id, version, epoch, tx_id, event_id, type, schema_version, data, meta, at)
SELECT ('00000000-0000-4000-8000-' || lpad(to_hex((n - 1) / 100), 12, '0'))::uuid, (n - 1) % 100 + 1, 0, pg_current_xact_id(),
    gen_random_uuid(), 'pico.card_committed', 1, '{"seat": 0, "card": 7}',
    '{"actor": "ply_00000000000000000000000000", "command": "00000000-0000-4000-8000-000000000000", "app": "0"}', now()
FROM generate_series($1::bigint, $2::bigint) AS n
"""
BLOCK = 250_000

BEHIND = """
SELECT count(*) FROM es.checkpoints WHERE state = 'live' AND (epoch, tx_id, position) <
    (SELECT epoch, tx_id, position FROM es.events ORDER BY epoch DESC, tx_id DESC, position DESC LIMIT 1)
"""
SETTLE_SECONDS = 600


def measure(made: Bench, hall: Hall, service: Served) -> dict[str, Any]:
    """All of it but `large`."""
    top = median(made.measured.absolute["commands"])
    found: dict[str, Any] = {"steady": steady(made, hall, service, top / 2)}
    found |= views(made, hall, service)
    found |= memory(made, hall)
    found["list"] = lists(made, service)
    return found


def steady(made: Bench, hall: Hall, service: Served, rate: float) -> dict[str, float]:
    """Latencies in milliseconds where commands come at half the top rate, whether or not the ones before are answered."""
    seconds = 5
    asyncio.run(hall.ready(int(1.2 * rate * seconds)))
    path = made.place.folder / "requests"
    path.write_bytes(b"\0".join(hall.moves()))
    command = [sys.executable, "-m", "bench.pump", "127.0.0.1", str(service.port), str(CONNECTIONS), str(seconds), str(path), str(rate)]
    said = json.loads(subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[1]).stdout)
    return {"rate": rate, **{name: said[name] / 1000 for name in ("p50", "p90", "p99", "max")}}


def views(made: Bench, hall: Hall, service: Served) -> dict[str, Any]:
    """Views, and the same where nothing has changed."""
    tables = hall.tables[:300]
    asked = [request("GET", f"/v1/matches/{table.match_id}", token=table.players[0].token) for table in tables]
    tags = asyncio.run(_tags(service, asked))
    known = [
        request("GET", f"/v1/matches/{table.match_id}", token=table.players[0].token, headers=[f"If-None-Match: {tag}"])
        for table, tag in zip(tables, tags, strict=True)
    ]
    return {"views": _told(_load(made, service, asked)), "views not modified": _told(_load(made, service, known))}


async def _tags(service: Served, asked: Sequence[bytes]) -> list[str]:
    answers = await ask_all(service.host, service.port, asked)
    assert all(answer.status == 200 for answer in answers)
    return [answer.etag for answer in answers]


def _load(made: Bench, service: Served, requests: Sequence[bytes], connections: int = CONNECTIONS) -> Load:
    return made.generator.load(service.host, service.port, list(requests) * (40_000 // len(requests)), 2, connections)


def _told(load: Load) -> dict[str, float]:
    return {"rate": load.rate, "p50": load.p50 / 1000, "p99": load.p99 / 1000}


def memory(made: Bench, hall: Hall) -> dict[str, Any]:
    """What a fresh process takes, how long it takes to be ready, and what each match that it holds adds."""
    began = time.monotonic()
    with served(made.place.url, made.place.folder) as fresh:
        started = time.monotonic() - began
        asked = [request("GET", f"/v1/matches/{table.match_id}") for table in hall.tables]
        asyncio.run(ask_all(fresh.host, fresh.port, asked[:200]))
        before = resident_bytes(fresh.process.pid)
        seen = asked[200 : 200 + SEEN]
        asyncio.run(ask_all(fresh.host, fresh.port, seen))
        after = resident_bytes(fresh.process.pid)
    added = (after - before) / max(1, len(seen))
    return {"seconds to start": started, "process bytes": before, "bytes a live match": added, "matches": len(seen)}


def lists(made: Bench, service: Served) -> dict[str, float]:
    """A page of the list of matches where there are a hundred thousand."""
    asyncio.run(_execute(made.place.url, COPIES, LISTED))
    return {"matches": LISTED, **_told(_load(made, service, [request("GET", "/v1/matches?status=playing&limit=50")], 1))}


async def _execute(url: str, statement: str, *arguments: Any) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute(statement, *arguments)
    await connection.close()


async def _settled(url: str) -> None:
    """Wait until nothing is busy any more with the events that were stored: neither the server nor the projections.

    Raises `TimeoutError` where they do not come to an end.
    """
    for statement in ("VACUUM (ANALYZE) es.events", "CHECKPOINT"):
        await _execute(url, statement)
    connection = await asyncpg.connect(url)
    async with asyncio.timeout(SETTLE_SECONDS):
        while await connection.fetchval(BEHIND):
            await asyncio.sleep(1)
    await connection.close()


def large(given: argparse.Namespace) -> dict[str, Any]:
    """What a command costs where the log is empty, and where it holds a tenth of `events` and all of them."""
    found = []
    with place() as where, bench(where, peers=False) as (made, _, _):
        stored = 0
        for goal in (0, given.events // 10, given.events):
            for first in range(stored + 1, goal + 1, BLOCK):
                asyncio.run(_execute(where.url, EVENTS, first, min(first + BLOCK - 1, goal)))
            stored = goal
            asyncio.run(_settled(where.url))
            made.measured.cycles.clear()
            made.measured.microseconds.clear()
            for _ in range(3):
                made.run()
            found.append(
                {
                    "events": stored,
                    "of pgbench": [cycle["commands"] for cycle in made.measured.cycles],
                    "microseconds": {name: median(values) for name, values in made.measured.microseconds.items()},
                }
            )
            print(found[-1], file=sys.stderr)
    return {"large": found}
