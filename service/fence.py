"""How far the readers of all streams are held back, as a number to watch.

They wait for the oldest open transaction of the whole server, whoever's it is: one that was forgotten stops the standings.
"""

import structlog
from prometheus_client import Gauge

from service.bells import rings
from service.ongoing import Ongoing
from service.store import EventStore, StoreAway

LOOK_SECONDS = 10.0

LAG = Gauge(
    "ludicitude_fence_lag_seconds", "How long the oldest event behind the fence has waited, in seconds.", multiprocess_mode="livemax"
)

log = structlog.get_logger()


class FenceWatch(Ongoing):
    """Looks at the fence again and again, for as long as `async with` holds it."""

    def __init__(self, store: EventStore) -> None:
        super().__init__()
        self._store = store

    async def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                LAG.set(await self._store.fence_lag())
            except StoreAway as away:
                log.warning("fence_not_seen", reason=str(away))
            except Exception:
                log.exception("fence_not_seen")
            await rings(self._stopping, LOOK_SECONDS)
