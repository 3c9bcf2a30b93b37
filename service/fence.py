"""How far the readers of all streams are held back, as a number to watch.

They wait for the oldest open transaction of the whole server, whoever's it is: one that was forgotten stops the standings.
"""

import asyncio
from typing import Self

import structlog
from prometheus_client import Gauge

from service.bells import rings
from service.store import EventStore, StoreAway

LOOK_SECONDS = 10.0

LAG = Gauge(
    "ludicitude_fence_lag_seconds", "How long the oldest event behind the fence has waited, in seconds.", multiprocess_mode="livemax"
)

log = structlog.get_logger()


class FenceWatch:
    """Looks at the fence again and again, for as long as `async with` holds it."""

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self._stopping = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._run())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._stopping.set()
        assert self._task is not None
        await self._task

    async def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                LAG.set(await self._store.fence_lag())
            except StoreAway as away:
                log.warning("fence_not_seen", reason=str(away))
            except Exception:
                log.exception("fence_not_seen")
            await rings(self._stopping, LOOK_SECONDS)
