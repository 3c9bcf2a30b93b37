"""The paired measurement: each item between two slices of the reference, in a new order each time, with an audit after every load."""

import asyncio
import random
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from statistics import mean

import msgspec

from bench.audit import audit
from bench.goals import Cycle
from bench.load import Generator, Load
from bench.peers import running
from bench.peers.running import Skipped
from bench.place import Place
from bench.processors import seconds_of_family
from bench.product import Served, served
from bench.references import Reference, References
from bench.tables import Hall
from bench.wire import request

CONNECTIONS = 64
SLICE_SECONDS = 1
RATE_AT_FIRST = 1_500.0
PEERS = ("eventsourcing", "boardgame.io in memory", "boardgame.io bgio-postgres", "fastify and pg")


class Measured(msgspec.Struct):
    """Everything that the cycles gave: ratios by cycle, absolute figures by item, what was skipped and why."""

    cycles: list[Cycle] = msgspec.field(default_factory=list)
    absolute: dict[str, list[float]] = msgspec.field(default_factory=dict)
    microseconds: dict[str, list[float]] = msgspec.field(default_factory=dict)
    """Processor time of one command: of the service, of PostgreSQL, and of who bears the load."""
    skipped: dict[str, str] = msgspec.field(default_factory=dict)
    audited: int = 0
    events: int = 0


class Bench:
    """The service, its peers and the references on one server. `run` is one cycle."""

    def __init__(self, place: Place, generator: Generator, references: References, measured: Measured) -> None:
        self.place, self.generator, self._references, self.measured = place, generator, references, measured
        self._items: dict[str, Callable[[], float]] = {}
        self._luck = random.Random(1)
        self._rates: dict[str, float] = {}

    def run(self) -> None:
        """Measure every item once."""
        cycle: dict[str, float] = {}
        seen: list[float] = []
        for name in self._luck.sample(list(self._items), len(self._items)):
            before = self._reference()
            value = self._items[name]()
            after = self._reference()
            seen += [before.rate, after.rate]
            if name == "latency at 1":
                cycle[name] = value / (self._references.run("one event", 1).latency_ms * 1000)
            else:
                cycle[name] = value / mean((before.rate, after.rate))
            self.measured.absolute.setdefault(name, []).append(value)
        cycle["reference swing"] = max(seen) / min(seen)
        cycle["p99 / p50"] = self.measured.absolute["p99 / p50"][-1]
        self.measured.cycles.append(cycle)

    def _reference(self) -> Reference:
        found = self._references.run("one event", CONNECTIONS)
        self.measured.absolute.setdefault("pgbench one event", []).append(found.rate)
        return found

    def add(self, name: str, item: Callable[[], float]) -> None:
        """Measure this too; it is tried once, unmeasured, and left out if it can't be had."""
        try:
            item()
        except (Skipped, subprocess.SubprocessError) as why:
            self.measured.skipped[name] = str(why)
            print(f"skipped: {name}: {why}", file=sys.stderr)
            return
        self._items[name] = item
        self.measured.absolute.pop(name, None)

    def play(self, name: str, hall: Hall, port: int, connections: int, service: Served | None) -> Load:
        """One slice of moves at these tables, and its audit."""
        asyncio.run(hall.ready(int(1.4 * SLICE_SECONDS * self._rates.get(name, RATE_AT_FIRST)) + 500))
        if service is not None:
            asyncio.run(hall.seen())
        before = self._used(service)
        load = self.generator.load("127.0.0.1", port, hall.moves(), SLICE_SECONDS, connections)
        used = [after - earlier for after, earlier in zip(self._used(service), before, strict=True)]
        stored, events = asyncio.run(audit(self.place.url, hall.tables, load.answers, connections))
        self._rates[name] = load.rate
        self.measured.audited += stored
        if service is not None and connections == CONNECTIONS:
            self.measured.events += events
            for what, seconds in zip(("service", "PostgreSQL", "load"), (*used, load.generator_seconds), strict=True):
                self.measured.microseconds.setdefault(f"{name}: {what}", []).append(seconds / max(1, load.answers) * 1e6)
        return load

    def _used(self, service: Served | None) -> tuple[float, float]:
        return service.seconds if service else 0.0, seconds_of_family(self.place.postgres_pid)

    def commands(self, hall: Hall, service: Served) -> float:
        """Commands a second at 64 connections."""
        load = self.play("commands", hall, service.port, CONNECTIONS, service)
        self.measured.absolute.setdefault("p99 / p50", []).append(load.p99 / max(1.0, load.p50))
        for name, value in (("p50 ms", load.p50), ("p99 ms", load.p99)):
            self.measured.absolute.setdefault(name, []).append(value / 1000)
        return load.rate

    def latency(self, hall: Hall, service: Served) -> float:
        """The median time of a command at one connection, in microseconds."""
        return self.play("latency at 1", hall, service.port, 1, None).p50


@contextmanager
def bench(place: Place, peers: bool) -> Iterator[tuple[Bench, Hall, Served]]:
    """All that is to be measured, ready."""
    references = References(place.reference_url, place.folder)
    references.prepare()
    with ExitStack() as open_:
        service = open_.enter_context(served(place.url, place.folder))
        two = open_.enter_context(served(place.url, place.folder, "--workers", "2"))
        made = Bench(place, Generator(place.folder), references, Measured())
        # Each plays at tables of its own: a match that went on elsewhere would have to be read again.
        hall, of_two, of_twin = Hall(service.host, service.port), Hall(two.host, two.port), Hall(service.host, service.port)
        made.add("commands", lambda: made.commands(hall, service))
        made.add("latency at 1", lambda: made.latency(hall, service))
        made.add("commands of two", lambda: made.play("commands of two", of_two, two.port, CONNECTIONS, two).rate)
        for name in ("two events", "textbook command"):
            made.add(f"pgbench {name}", lambda name=name: references.run(name, CONNECTIONS).rate)  # type: ignore[misc]
        twin = open_.enter_context(running.naive(place.url))
        made.add("naive twin", lambda: made.play("naive twin", of_twin, twin, CONNECTIONS, None).rate)
        if peers:
            for name, item in _peers(place, made, open_).items():
                made.add(name, item)
        yield made, hall, service


def _peers(place: Place, made: Bench, open_: ExitStack) -> Mapping[str, Callable[[], float]]:
    """The peers that are installed from elsewhere; one that does not start says so when it is first tried."""
    ports: dict[str, int] = {}
    urls = {"boardgame.io in memory": (), "boardgame.io bgio-postgres": (place.peers_url,)}

    def port(name: str, program: str, *arguments: str) -> int:
        if name not in ports:
            ports[name] = open_.enter_context(running.node(place.folder, program, *arguments))
        return ports[name]

    def moves(name: str) -> float:
        return running.moves(place.folder, port(name, "boardgame", *urls[name]), CONNECTIONS, SLICE_SECONDS)

    def fastify() -> float:
        body = {"seat": 0, "card": 7}
        at = port("fastify", "fastify", place.node_reference_url)
        return made.generator.load("127.0.0.1", at, [request("POST", "/events", body=body)] * 60_000, SLICE_SECONDS, CONNECTIONS).rate

    return {
        "eventsourcing": lambda: max(running.eventsourcing(place.folder, place.peers_url, threads, SLICE_SECONDS) for threads in (1, 8)),
        **{name: lambda name=name: moves(name) for name in urls},  # type: ignore[misc]
        "fastify and pg": fastify,
    }
