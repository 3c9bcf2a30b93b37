"""Streams: how many a process holds, what each costs, and how soon a move is seen by who follows its match."""

import argparse
import asyncio
import random
import resource
import sys
import time
from collections.abc import Sequence
from typing import Any

import msgspec

from bench.place import place
from bench.processors import resident_bytes
from bench.product import Served, served
from bench.tables import Table, new_players, new_tables
from bench.wire import request

MOVERS = 64
SECONDS = 20
OPENING = 200
SETTLED_SECONDS = 3.0


class Told(msgspec.Struct):
    """What matters of an answer to a move."""

    version: int


_version = msgspec.json.Decoder(Told)


class Follower(asyncio.Protocol):
    """One stream of a match. Notes when each version was received."""

    def __init__(self, table: Table, seat: int, received: dict[tuple[str, int], list[float]]) -> None:
        self._table, self._seat, self._received = table, seat, received
        self._rest = b""
        self.begun: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.lost = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.write(request("GET", f"/v1/matches/{self._table.match_id}/stream", token=self._table.players[self._seat].token))

    def data_received(self, data: bytes) -> None:
        now = time.perf_counter()
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            if line.startswith(b"id:"):
                version = int(line[3:])
                if not self.begun.done():
                    self.begun.set_result(None)
                else:
                    self._received.setdefault((self._table.match_id, version), []).append(now)

    def connection_lost(self, error: Exception | None) -> None:
        self.lost = True
        if not self.begun.done():
            self.begun.set_exception(error or ConnectionResetError("a stream ended before it began"))


class Mover(asyncio.Protocol):
    """One connection that plays one move after the other, and notes when each was answered and at which version."""

    def __init__(self, moves: "Moves") -> None:
        self._moves, self._received = moves, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._next()

    def data_received(self, data: bytes) -> None:
        now = time.perf_counter()
        self._received += data
        head, found, body = self._received.partition(b"\r\n\r\n")
        if not found or len(body) < int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0]):
            return
        assert head[9:12] == b"200", self._received
        self._moves.answered[self._match, _version.decode(body).version] = now
        self._received = b""
        self._next()

    def _next(self) -> None:
        found = self._moves.take()
        if found is None:
            self._transport.close()
            return
        self._match, move = found
        self._transport.write(move)


class Moves:
    """The moves of all tables in turn, for so long."""

    def __init__(self, tables: Sequence[Table], seconds: float) -> None:
        self._tables, self._number, self._ends = tables, 0, time.perf_counter() + seconds
        self.answered: dict[tuple[str, int], float] = {}

    def take(self) -> tuple[str, bytes] | None:
        """The next move and its match; None at the end."""
        for _ in self._tables:
            table = self._tables[self._number % len(self._tables)]
            self._number += 1
            if table.played < len(table.moves) and time.perf_counter() < self._ends:
                table.played += 1
                return table.match_id, table.moves[table.played - 1]
        return None


def measure(given: argparse.Namespace) -> dict[str, Any]:
    """Hold the streams open in pairs at their matches, play all these matches, and compare."""
    files = given.streams + 2_000
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, max(files, resource.getrlimit(resource.RLIMIT_NOFILE)[1])))
    with place() as where, served(where.url, where.folder, LUDICITUDE_CLIENT_CONNECTIONS=str(given.streams + 1_000)) as service:
        found = asyncio.run(_measure(service, given.streams))
    print(f"\n{msgspec.json.format(msgspec.json.encode(found)).decode()}")
    return {"streams": found}


async def _measure(service: Served, number: int) -> dict[str, Any]:
    host, port, loop = service.host, service.port, asyncio.get_running_loop()
    players = await new_players(host, port, number)
    tables = await new_tables(host, port, players, number // 2, random.Random(1))
    print(f"{len(tables)} matches; opening {number} streams", file=sys.stderr)
    before, received, followers = resident_bytes(service.process.pid), dict[tuple[str, int], list[float]](), list[Follower]()
    for first in range(0, len(tables), OPENING):
        some = [Follower(table, seat, received) for table in tables[first : first + OPENING] for seat in (0, 1)]
        await asyncio.gather(*(loop.create_connection(lambda one=one: one, host, port) for one in some))  # type: ignore[misc]
        await asyncio.gather(*(one.begun for one in some))
        followers += some
    after = resident_bytes(service.process.pid)
    moves, began = Moves(tables, SECONDS), time.perf_counter()
    movers = [(await loop.create_connection(lambda: Mover(moves), host, port))[0] for _ in range(MOVERS)]
    while any(not mover.is_closing() for mover in movers):
        await asyncio.sleep(0.1)
    took = time.perf_counter() - began
    await asyncio.sleep(SETTLED_SECONDS)
    beyond = sorted(max(0.0, at - answered) * 1000 for key, answered in moves.answered.items() for at in received.get(key, ()))
    expected = 2 * len(moves.answered)
    return {
        "streams": len(followers),
        "bytes a stream": (after - before) / len(followers),
        "moves a second": len(moves.answered) / took,
        "deliveries": len(beyond),
        "lost": expected - len(beyond),
        "streams that ended": sum(follower.lost for follower in followers),
        "ms beyond the answer": {f"p{percent}": beyond[len(beyond) * percent // 100] for percent in (50, 99)} | {"max": beyond[-1]},
    }
