"""Wakes those who wait for something to move on: at once within this process, soon from another, by one shared look at the latest.

A wake-up is a hint and carries nothing: whoever is woken reads again through their own eyes. What other processes say that they
have moved on is looked at before anybody is woken, once for all who wait for it.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeAlias
from uuid import UUID

import structlog
from prometheus_client import Counter, Gauge

from service.bells import rings
from service.live.wire import Wire
from service.ongoing import Ongoing
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
LOOKS = Counter("ludicitude_watch_looks_total", "Shared looks at what is waited for: at all of it, or at what was heard of.", ["at"])

log = structlog.get_logger()


class _Waited:
    """One key that is waited for: the bells of its waiters, and the latest number that this process knows of."""

    def __init__(self, key: Key) -> None:
        self.key = key
        self.bells: set[asyncio.Event] = set()
        self.number: int | None = None

    def ring(self) -> None:
        for bell in self.bells:
            bell.set()


class Watch(Ongoing):
    """The listeners of one process. `async with watch:` runs the shared look for as long as it is open.

    Without a wire the look alone tells of other processes.
    """

    def __init__(self, look: Look, wire: Wire | None = None) -> None:
        super().__init__()
        self._look, self._wire = look, wire
        self._waited: dict[str, _Waited] = {}
        self._heard: set[str] = set()
        """What others say that they have moved on, and nobody has looked at yet."""
        self._look_at_all = False
        self._stirred = asyncio.Event()
        self.closed = False
        """Whether the process is stopping; nothing is worth waiting for then."""
        if wire is not None:
            wire.when_heard(self._hear)

    def close(self) -> None:
        """End every wait now, so that the process can stop."""
        self.closed = True
        self._stirred.set()
        for waited in self._waited.values():
            waited.ring()

    @property
    def waiting(self) -> int:
        """How many wait now."""
        return sum(len(waited.bells) for waited in self._waited.values())

    def latest(self, key: Key) -> int | None:
        """The latest number of what somebody waits for, where this process knows one: whoever has come so far has all that was told."""
        waited = self._waited.get(str(key))
        return None if waited is None else waited.number

    def moved(self, key: Key, number: int | None = None) -> None:
        """Say that this process has moved it on: to `number`, by which the look tells, where that is known."""
        if waited := self._waited.get(str(key)):
            known = waited.number
            waited.number = number if number is None or known is None else max(known, number)
            waited.ring()
        if self._wire is not None:
            self._wire.tell(str(key))

    @asynccontextmanager
    async def on(self, key: Key, bell: asyncio.Event | None = None) -> AsyncIterator[asyncio.Event]:
        """A bell that rings when this moves. Take it first and read afterwards, so that nothing falls between.

        It may be a `bell` that one has at another watch already, and rings for both then.
        """
        bell = bell or asyncio.Event()
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

    def _hear(self, keys: Collection[str] | None) -> None:
        """What another process says that it has moved on; None could be anything."""
        if keys is None:
            self._look_at_all = True
        else:
            self._heard.update(key for key in keys if key in self._waited)
        if self._look_at_all or self._heard:
            self._stirred.set()

    def _stop(self) -> None:
        self.close()

    async def _run(self) -> None:
        well, looked_at_all = True, time.monotonic()
        while not self.closed:
            sound = well and self._wire is not None and self._wire.sound
            due = looked_at_all + (SOUND_POLL_SECONDS if sound else POLL_SECONDS)
            await rings(self._stirred, due - time.monotonic())
            self._stirred.clear()
            everything = self._look_at_all or time.monotonic() >= due
            keys = list(self._waited) if everything else [key for key in self._heard if key in self._waited]
            self._heard.clear()
            if everything:
                self._look_at_all, looked_at_all = False, time.monotonic()
            if keys and not self.closed:
                LOOKS.labels("all" if everything else "heard").inc()
                well = await self._look_around([self._waited[key].key for key in keys])
                # What is heard is looked at without a pause: while one look is under way, the next ones gather.
                await asyncio.sleep(LEAST_SECONDS if everything or not well else 0)

    async def _look_around(self, keys: Sequence[Key]) -> bool:
        """Look, and wake those for whom something has moved. False when it could not be looked, and has to be soon."""
        try:
            found = await self._look(keys)
        except StoreAway as away:
            log.warning("watch_store_away", reason=str(away))
            return False
        except Exception:  # Whatever it was, those who wait need the next look.
            log.exception("watch_look_failed")
            return False
        for key, number in found.items():
            if (waited := self._waited.get(str(key))) and number != waited.number:
                waited.number = number
                waited.ring()
        return True
