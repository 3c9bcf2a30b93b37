"""What has to be done for matches when its time comes, whichever process does it.

The rows of the matches say when somebody has to look after them. Each process looks for rows that are due, takes a few by
moving them on for a moment, and sees to them. A process that dies in between has only delayed what it took: after that moment
the row is due again. What is done twice all the same is settled by the version of the match.
"""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Literal
from uuid import UUID

import structlog

from service.bells import rings
from service.held import match_id_of
from service.ongoing import Ongoing
from service.store import EventStore, StoreAway

SWEEP_SECONDS = 0.25
BATCH = 50
AT_ONCE = 8
"""Matches that are seen to at the same time: as many as leave the people room who play meanwhile."""

HELD_FOR = timedelta(seconds=2)

log = structlog.get_logger()


class Sweep(Ongoing):
    """Looks for matches that are due by `column` and hands them to `see_to`, for as long as `async with` holds it.

    `delaying` are the errors of `see_to` that may be gone at the next try.
    """

    def __init__(
        self,
        store: EventStore,
        column: Literal["due_at", "bots_at"],
        see_to: Callable[[UUID], Awaitable[None]],
        delaying: tuple[type[Exception], ...] = (StoreAway,),
    ) -> None:
        super().__init__()
        self._store, self._column, self._see_to, self._delaying = store, column, see_to, delaying
        self._room = asyncio.Semaphore(AT_ONCE)

    async def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                taken = await self._store.take_due(self._column, HELD_FOR, BATCH)
            except StoreAway as away:
                log.warning("sweep_store_away", column=self._column, reason=str(away))
                taken = []
            except Exception:  # Whatever it was, no clock may stand still for good.
                log.exception("sweep_failed", column=self._column)
                taken = []
            await asyncio.gather(*(self._one(stream) for stream in taken))
            if len(taken) < BATCH:
                await rings(self._stopping, SWEEP_SECONDS)

    async def _one(self, stream: UUID) -> None:
        """A match that cannot be seen to must not keep the others from it; it is due again in a moment."""
        try:
            async with self._room:
                await self._see_to(stream)
        except self._delaying as reason:
            log.warning("match_delayed", column=self._column, match_id=match_id_of(stream), reason=str(reason))
        except Exception:
            log.exception("match_not_seen_to", column=self._column, match_id=match_id_of(stream))
