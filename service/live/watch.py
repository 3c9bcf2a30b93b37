"""Wakes those who wait for something to move on: at once within this process, soon from another, by one shared look at the latest.

A wake-up is a hint and carries nothing: whoever is woken reads again through their own eyes.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Self, TypeAlias
from uuid import UUID

import structlog
from prometheus_client import Gauge

from service.live.wire import Wire
from service.store import StoreAway

POLL_SECONDS = 0.5
"""How often all that is waited for is looked at, and so how soon a waiter learns of what another process did..."""

SOUND_POLL_SECONDS = 5.0
"""...and how often while the wire between the processes is sound, which tells sooner."""

LEAST_SECONDS = 0.1
"""However much is to be looked for, there is this pause between two looks."""

Key: TypeAlias = UUID | str
"""Of what is waited for, such as a match or a player."""

Look: TypeAlias = Callable[[Sequence[Any]], Awaitable[Mapping[Any, int]]]
"""Tells how far each of these keys has come, by a number that changes whenever it moves. May raise `StoreAway`."""

WAITING = Gauge("ludicitude_waiting", "Long-polls and streams that wait for a match now.", multiprocess_mode="livesum")

log = structlog.get_logger()


class _Waited:
    """One key that is waited for: the bells of its waiters, and the number that the shared look found last."""

    def __init__(self, key: Key) -> None:
        self.key = key
        self.bells: set[asyncio.Event] = set()
        self.seen: int | None = None

    def ring(self) -> None:
        for bell in self.bells:
            bell.set()


class Watch:
    """The listeners of one process. `async with watch:` runs the shared look for as long as it is open.

    Without a wire the look alone tells of other processes.
    """

    def __init__(self, look: Look, wire: Wire | None = None) -> None:
        self._look, self._wire = look, wire
        self._waited: dict[str, _Waited] = {}
        self._stirred = asyncio.Event()
        self._poller: asyncio.Task[None] | None = None
        self.closed = False
        """Whether the process is stopping; nothing is worth waiting for then."""
        if wire is not None:
            wire.when_heard(self._heard)

    async def __aenter__(self) -> Self:
        self._poller = asyncio.create_task(self._poll())
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()
        assert self._poller is not None
        await self._poller

    def close(self) -> None:
        """End every wait now, so that the process can stop."""
        self.closed = True
        self._stirred.set()
        for waited in self._waited.values():
            waited.ring()

    @property
    def listeners(self) -> int:
        """How many wait now."""
        return sum(len(waited.bells) for waited in self._waited.values())

    def moved(self, key: Key, number: int | None = None) -> None:
        """Say that this process has moved it on: to `number`, by which the look tells, where that is known."""
        if waited := self._waited.get(str(key)):
            waited.seen = number
            waited.ring()
        if self._wire is not None:
            self._wire.tell(str(key))

    @asynccontextmanager
    async def on(self, key: Key) -> AsyncIterator[asyncio.Event]:
        """A bell that rings when this moves. Take it first and read afterwards, so that nothing falls between."""
        bell = asyncio.Event()
        if self.closed:
            bell.set()
        waited = self._waited.setdefault(str(key), _Waited(key))
        waited.bells.add(bell)
        WAITING.inc()
        try:
            yield bell
        finally:
            WAITING.dec()
            waited.bells.discard(bell)
            if not waited.bells:
                del self._waited[str(key)]

    def _heard(self, keys: Collection[str] | None) -> None:
        """What another process says that it has moved on; None could be anything."""
        if keys is None:
            self._stirred.set()
            return
        for key in keys:
            if waited := self._waited.get(key):
                waited.ring()

    async def _poll(self) -> None:
        while not self.closed:
            sound = self._wire is not None and self._wire.sound
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stirred.wait(), SOUND_POLL_SECONDS if sound else POLL_SECONDS)
            self._stirred.clear()
            if self._waited and not self.closed:
                await self._look_around()
                await asyncio.sleep(LEAST_SECONDS)

    async def _look_around(self) -> None:
        try:
            found = await self._look([waited.key for waited in self._waited.values()])
        except StoreAway as away:
            log.warning("watch_store_away", reason=str(away))
            return
        for key, number in found.items():
            if (waited := self._waited.get(str(key))) and number != waited.seen:
                waited.seen = number
                waited.ring()
