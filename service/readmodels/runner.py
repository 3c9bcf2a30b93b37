"""Keeps one projection up to date, in every process at once; whoever is first with an event settles it for all."""

import asyncio
import time
from typing import NamedTuple

import structlog
from prometheus_client import Counter, Gauge
from sqlalchemy.ext.asyncio import AsyncEngine

from service import chance
from service.bells import rings
from service.ongoing import Ongoing
from service.readmodels import checkpoints
from service.readmodels.checkpoints import Checkpoint, Overtaken
from service.readmodels.projection import Projection, advance
from service.store import EventStore
from service.store.away import is_away

POLL_SECONDS = 1.0
"""How soon a runner looks for what other processes have appended."""

GATHER_SECONDS = 0.25
"""Between two looks however much goes on, so that one look finds many events."""

BATCH = 500
"""Events at one look. What is written for them must be written in a moment, since all readers of the log wait for it."""

TRIES = 5
"""How often an event that cannot be projected is tried before the projection halts there."""

READ = Counter("ludicitude_projection_events_total", "Events that this process has projected.", ["projection"])
BEHIND = Gauge(
    "ludicitude_projection_behind_seconds",
    "Time since this process, or any of its fellow workers, last saw the projection up to date.",
    ["projection"],
    multiprocess_mode="livemin",
)
HALTED = Gauge(
    "ludicitude_projection_halted",
    "1 while the projection stands at an event that it cannot project.",
    ["projection"],
    multiprocess_mode="livemax",
)

log = structlog.get_logger()


class Rest(NamedTuple):
    """How long there is nothing to do; whether somebody may break it off by a wake-up."""

    seconds: float
    wakes: bool


NO_REST, IDLE, PAUSE = Rest(0, wakes=False), Rest(POLL_SECONDS, wakes=True), Rest(POLL_SECONDS, wakes=False)


class Runner(Ongoing):
    """Takes the generation of a projection that is shown on and on, for as long as `async with` holds it.

    An event that cannot be projected is tried a few times, and then the projection halts in front of it: it says so and waits
    for a release that can, here or in another process. It never skips one. A database that is away only delays it.
    """

    def __init__(self, store: EventStore, engine: AsyncEngine, projection: Projection) -> None:
        super().__init__()
        self._store, self._engine, self._projection = store, engine, projection
        self._bell = asyncio.Event()
        self._limit, self._failures = BATCH, 0
        self._halted: Checkpoint | None = None
        self._up_to_date_at = time.monotonic()

    @property
    def halted(self) -> str | None:
        """The projection's name while it stands at an event that this process cannot project."""
        return None if self._halted is None else self._projection.name

    def wake(self) -> None:
        """Say that there is something new."""
        self._bell.set()

    def _stop(self) -> None:
        super()._stop()
        self._bell.set()

    async def _run(self) -> None:
        while not self._stopping.is_set():
            self._bell.clear()
            rest = await self._go_on()
            BEHIND.labels(self._projection.name).set(time.monotonic() - self._up_to_date_at)
            HALTED.labels(self._projection.name).set(self._halted is not None)
            if rest.seconds:
                await rings(self._bell if rest.wakes else self._stopping, rest.seconds)
                await rings(self._stopping, GATHER_SECONDS)

    async def _go_on(self) -> Rest:
        """Take the projection on by one look at the log."""
        before: Checkpoint | None = None
        try:
            async with self._engine.connect() as connection:
                before = await checkpoints.live(connection, self._projection.name)
            if before == self._halted:
                return PAUSE
            _, count = await advance(self._store, self._engine, self._projection, before, self._limit)
        except Overtaken:
            # Whoever was faster goes on. To be second at the same events again and again would only heat the machine.
            return PAUSE._replace(seconds=chance.jitter(POLL_SECONDS))
        except Exception as error:
            return self._failed(before, error)
        return self._went_on(count)

    def _went_on(self, count: int) -> Rest:
        READ.labels(self._projection.name).inc(count)
        self._halted, self._failures = None, 0
        if count == self._limit:
            self._limit = min(2 * self._limit, BATCH)
            return NO_REST
        self._limit = BATCH
        self._up_to_date_at = time.monotonic()
        return IDLE

    def _failed(self, before: Checkpoint | None, error: Exception) -> Rest:
        """A database that is away comes back by itself. Else one event is tried at a time, to come right in front of the bad one."""
        if before is None or is_away(error):
            log.warning("projection_delayed", projection=self._projection.name, reason=repr(error))
            return PAUSE
        self._failures += self._limit == 1
        self._limit = 1
        if self._failures < TRIES:
            log.warning("projection_failed", projection=self._projection.name, after=before, reason=repr(error))
            return PAUSE._replace(seconds=chance.jitter(POLL_SECONDS) * self._failures / TRIES)
        log.error("projection_halted", projection=self._projection.name, after=before, exc_info=error)
        self._halted, self._failures = before, 0
        return PAUSE
