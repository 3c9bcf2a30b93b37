"""The matches that a process holds in memory: loaded from the store, moved on by their events, and never trusted blindly.

A match may have moved on elsewhere. Whoever decides on a cached state lets the append check its version, and whoever follows a
match learns from the watch how far it has come.
"""

import asyncio
from uuid import UUID

import msgspec
import structlog
from cachetools import LRUCache
from msgspec.structs import replace
from prometheus_client import Gauge

from domain.match.state import AnyMatch, fold
from service.held import Held, UnknownMatch, match_id_of, restored
from service.recent import Recent
from service.store import FOLLOWING_MAX, EventStore, StoreAway
from service.store.codec import Record, decode
from service.store.snapshots import state_schema
from service.together import Asked

CACHED = Gauge("ludicitude_cached_matches", "Matches that this process holds in memory.", multiprocess_mode="livesum")

CACHED_MATCHES = 10_000
SNAPSHOT_EVERY = 100
"""Versions from one snapshot of a match to the next, which replaces it..."""

MILESTONE_EVERY = 1_000
"""...and to one that stays, so that any earlier version is near one."""

PAGE = 500
"""Events that are read and folded at once; between two pages everybody else has their turn."""

NO_SNAPSHOT = -1
"""A number that no snapshot bears."""

log = structlog.get_logger()


class Cache:
    """The matches of one process, and the latest records of those that somebody follows."""

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self._held: LRUCache[UUID, Held] = LRUCache(CACHED_MATCHES)
        self._passed_by: set[UUID] = set()
        self.recent = Recent()
        self.advanced = Asked(self._advanced)
        """The match as it stands now; all who ask at the same time share one look at the log."""

    def get(self, stream: UUID) -> Held | None:
        """The match as it is held, which may not be its present state."""
        return self._held.get(stream)

    def keep(self, stream: UUID, held: Held) -> None:
        """Hold a match for later, unless it is held at a later version already."""
        known = self._held.get(stream)
        if known is None:
            self._held[stream] = held
            CACHED.set(len(self._held))
        elif known.match.version < held.match.version:
            self._held[stream] = held

    def pass_by(self, stream: UUID) -> None:
        """This match has moved on elsewhere: whoever holds it next follows it there."""
        if stream in self._held:
            self._passed_by.add(stream)
        if len(self._passed_by) > CACHED_MATCHES:  # Some of them are held no more.
            self._passed_by.intersection_update(self._held)

    def pass_all_by(self) -> None:
        """Any match may have moved on elsewhere."""
        self._passed_by.update(self._held)

    async def hold(self, stream: UUID) -> tuple[Held, bool]:
        """The match as it is held, or by the store (then True: nothing newer was there a moment ago)."""
        held = self._held.get(stream)
        if held is not None and stream not in self._passed_by:
            return held, False
        return await self.advanced(stream), True

    async def read(self, stream: UUID, upto: int | None = None) -> Held:
        """The match as stored, or as it stood at a version. A snapshot that cannot be read is passed over. Raises `UnknownMatch`."""
        loaded = await self._store.load(stream, state_schema(), upto, PAGE)
        if loaded is None:
            raise UnknownMatch
        try:
            held = restored(loaded, stream)
        except msgspec.DecodeError:
            log.exception("snapshot_not_readable", match_id=match_id_of(stream))
            loaded = await self._store.load(stream, NO_SNAPSHOT, upto, PAGE)
            assert loaded is not None, "a match that was there a moment ago"
            held = restored(loaded, stream)
        return held if len(loaded.tail) < PAGE else await self._on(stream, held, upto)

    async def passed(self, stream: UUID, before: int, match: AnyMatch) -> None:
        """Keep the state of a match that has moved on from version `before`, where it has come far enough.

        As best as can be: it only saves later loads some folding.
        """
        for every, stays in ((SNAPSHOT_EVERY, False), (MILESTONE_EVERY, True)):
            if before // every != match.version // every:
                try:
                    await self._store.save_snapshot(stream, state_schema(), match.version, msgspec.json.encode(match), stays)
                except StoreAway as away:
                    log.warning("snapshot_not_saved", match_id=match.match_id, reason=str(away))

    async def _advanced(self, stream: UUID) -> Held:
        self._passed_by.discard(stream)
        held = self._held.get(stream)
        held = await (self.read(stream) if held is None else self._on(stream, held, None))
        self.keep(stream, held)
        return held

    async def _on(self, stream: UUID, held: Held, upto: int | None) -> Held:
        """The match moved on by all events that are stored beyond it, none later than version `upto`."""
        before, at_once = held.match.version, FOLLOWING_MAX if upto is None else PAGE
        while True:
            version = held.match.version
            stored = await (self._store.following(stream, version) if upto is None else self._store.events(stream, version, PAGE, upto))
            records: tuple[Record, ...] = tuple(decode(held.game, one) for one in stored)
            held = replace(held, match=fold(held.game, held.match, (record.entry for record in records)))
            if upto is None:
                self.recent.add(stream, records)
            if before // MILESTONE_EVERY != held.match.version // MILESTONE_EVERY:  # Else the append that came so far has kept it.
                await self.passed(stream, before, held.match)
                before = held.match.version
            if len(stored) < at_once:
                return held
            await asyncio.sleep(0)
