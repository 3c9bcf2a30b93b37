"""The wire between the processes of the service: each tells the others what it has moved on.

What goes over it are hints. Nothing is lost when one is: whoever waits also looks for themselves, seldom while the wire is
sound and often while it is not. So an append never waits for the wire, and never fails with it.
"""

import asyncio
import time
from collections.abc import Callable, Collection
from typing import Self

import structlog
from prometheus_client import Counter, Gauge

from service import chance
from service.bells import rings
from service.store import StoreAway
from service.store.hints import Hints

GATHER_SECONDS = 0.02
"""What happens within this time is told in one text."""

KEYS_MAX = 190
"""So many keys of up to 40 characters fit into one text. When there are more it says that it could be anything."""

PROBE_SECONDS = 5.0
"""How often this process speaks to itself over the wire, to know that it hears."""

PAUSES_SECONDS = (0.25, 5.0)
"""Before the wire is laid anew: at first, and at the longest."""

STOP_SECONDS = 2.0
QUEUE_WARNING = 0.1
EVERYTHING, PROBE = "*", "?"

Hear = Callable[[Collection[str] | None], None]
"""Takes the keys of what another process has moved on; None when it could be anything."""

SOUND = Gauge("ludicitude_wire_sound", "1 while this process hears what it says over the wire.", multiprocess_mode="livemin")
TEXTS = Counter("ludicitude_wire_texts_total", "Texts over the wire between the processes.", ["direction"])
QUEUE = Gauge("ludicitude_wire_queue_used", "How full the server's queue of notifications is, from 0 to 1.", multiprocess_mode="livemax")

log = structlog.get_logger()


class Wire:
    """This process's end of the wire, for as long as `async with` holds it.

    `sound` says whether this process has lately heard itself. A server between us and the database that shares out its
    connections takes every LISTEN and delivers nothing; then, as without a database, the wire is not sound.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._name = chance.new_uuid().hex
        self._hear: list[Hear] = []
        self._moved: set[str] = set()
        self._too_much = False
        self._stirred = asyncio.Event()
        self._stopping = False
        self._lost = False
        self._unanswered = False
        self._task: asyncio.Task[None] | None = None
        self.sound = False
        SOUND.set(False)

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._run())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._stopping = True
        self._stirred.set()
        assert self._task is not None
        await asyncio.wait({self._task}, timeout=STOP_SECONDS)
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    def when_heard(self, hear: Hear) -> None:
        """Call `hear` with what other processes have moved on."""
        self._hear.append(hear)

    def tell(self, key: str) -> None:
        """Let the other processes know soon that this has moved on."""
        self._moved.add(key)
        if len(self._moved) > KEYS_MAX:
            self._too_much = True
            self._moved.clear()
        self._stirred.set()

    async def _run(self) -> None:
        """Lay the wire, and again whenever it breaks, whatever breaks it."""
        shortest, longest = PAUSES_SECONDS
        pause = shortest
        while not self._stopping:
            self._lost = self._unanswered = False
            try:
                hints = await Hints.open(self._url, self._take, self._break)
                try:
                    await self._talk(hints)
                finally:
                    await hints.close()
            except StoreAway as away:
                log.warning("wire_broken", reason=str(away))
            except Exception:
                log.exception("wire_broken")
            pause = shortest if self.sound else min(2 * pause, longest)
            self._set_sound(False)
            if not self._stopping:
                await asyncio.sleep(chance.jitter(pause))

    async def _talk(self, hints: Hints) -> None:
        probe_at = 0.0
        while not self._lost:
            if (left := probe_at - time.monotonic()) <= 0:
                await self._probe(hints)
                probe_at, left = time.monotonic() + PROBE_SECONDS, PROBE_SECONDS
            if not self._stopping:
                await rings(self._stirred, left)
                await asyncio.sleep(GATHER_SECONDS)
            self._stirred.clear()
            if (self._moved or self._too_much) and not self._lost:
                await self._send(hints)
            if self._stopping:
                return

    async def _probe(self, hints: Hints) -> None:
        if self._unanswered:
            self._set_sound(False)
            log.warning("wire_deaf", meaning="hints of other processes do not arrive; everybody looks for themselves more often")
        self._unanswered = True
        used = await hints.send(f"{self._name} {PROBE}")
        QUEUE.set(used)
        if used > QUEUE_WARNING:
            log.warning("wire_queue_fills", used=used, meaning="a session listens within a transaction that it does not end")

    async def _send(self, hints: Hints) -> None:
        """Tell what has moved; it is told again over the next wire if this one breaks meanwhile."""
        moved, too_much = set(self._moved), self._too_much
        await hints.send(f"{self._name} {EVERYTHING if too_much else ' '.join(moved)}")
        TEXTS.labels("sent").inc()
        self._moved -= moved
        self._too_much = self._too_much and not too_much

    def _take(self, text: str) -> None:
        sender, _, said = text.partition(" ")
        if sender == self._name:
            if said == PROBE:
                self._unanswered = False
                self._set_sound(True)
        elif said != PROBE:
            TEXTS.labels("heard").inc()
            self._pass_on(None if said == EVERYTHING else said.split())

    def _break(self) -> None:
        self._lost = True
        self._stirred.set()

    def _set_sound(self, sound: bool) -> None:
        """What was said while nothing could be heard has to be looked for, and how often to look changes too."""
        SOUND.set(sound)
        if self.sound != sound:
            self.sound = sound
            self._pass_on(None)

    def _pass_on(self, keys: Collection[str] | None) -> None:
        for hear in self._hear:
            hear(keys)
