"""Wakes those who wait for a match to move on: at once within this process, by one shared look at the database otherwise.

A wake-up is a hint and carries nothing: whoever is woken reads again through their own eyes.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Self, TypeAlias
from uuid import UUID

import structlog
from prometheus_client import Gauge

from service.store import StoreAway

POLL_SECONDS = 0.5
"""How soon a waiter learns of what another process did."""

Look: TypeAlias = Callable[[Sequence[UUID]], Awaitable[Mapping[UUID, int]]]
"""Tells how far each of these matches has come, by a number that only grows. May raise `StoreAway`."""

WAITING = Gauge("ludicitude_waiting", "Long-polls and streams that wait for a match now.", multiprocess_mode="livesum")

log = structlog.get_logger()


class Watch:
    """The listeners of one process. `async with watch:` runs the shared look for as long as it is open."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._bells: defaultdict[UUID, set[asyncio.Event]] = defaultdict(set)
        self._seen: dict[UUID, int] = {}
        self._closed = asyncio.Event()
        self._poller: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._poller = asyncio.create_task(self._poll())
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()
        assert self._poller is not None
        await self._poller

    def close(self) -> None:
        """End every wait now, so that the process can stop."""
        self._closed.set()
        for bells in self._bells.values():
            for bell in bells:
                bell.set()

    @property
    def closed(self) -> bool:
        """Whether the process is stopping; nothing is worth waiting for then."""
        return self._closed.is_set()

    @property
    def listeners(self) -> int:
        """How many wait now."""
        return sum(len(bells) for bells in self._bells.values())

    def moved(self, stream: UUID, version: int) -> None:
        """Say that this match now stands at `version`."""
        if stream in self._bells:
            self._seen[stream] = version
            for bell in self._bells[stream]:
                bell.set()

    @asynccontextmanager
    async def on(self, stream: UUID) -> AsyncIterator[asyncio.Event]:
        """A bell that rings when this match moves. Take it first and read afterwards, so that nothing falls between."""
        bell = asyncio.Event()
        if self.closed:
            bell.set()
        self._bells[stream].add(bell)
        WAITING.inc()
        try:
            yield bell
        finally:
            WAITING.dec()
            self._bells[stream].discard(bell)
            if not self._bells[stream]:
                del self._bells[stream]
                self._seen.pop(stream, None)

    async def _poll(self) -> None:
        while not self.closed:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._closed.wait(), POLL_SECONDS)
            if not self._bells or self.closed:
                continue
            try:
                versions = await self._look(list(self._bells))
            except StoreAway as away:
                log.warning("watch_store_away", reason=str(away))
                continue
            for stream, version in versions.items():
                if version > self._seen.get(stream, 0):
                    self.moved(stream, version)
