"""The latest records of matches, shared by all who follow them."""

from uuid import UUID

from cachetools import LRUCache

from service.store.codec import Record

MATCHES_KEPT = 1_000
RECORDS_KEPT = 64
"""Of one match. Who lags farther behind reads the log."""


class Recent:
    """For each of so many matches, its latest records as far as this process knows them, without gaps."""

    def __init__(self) -> None:
        self._kept: LRUCache[UUID, tuple[Record, ...]] = LRUCache(MATCHES_KEPT)

    def add(self, stream: UUID, records: tuple[Record, ...]) -> None:
        """These records of a match, one after the other, have become known."""
        kept = self._kept.get(stream, ())
        known = kept[-1].version if kept else 0
        if records and records[0].version <= known:
            records = tuple(record for record in records if record.version > known)
        if records:
            follows = kept and records[0].version == known + 1
            self._kept[stream] = ((*kept, *records) if follows else records)[-RECORDS_KEPT:]

    def between(self, stream: UUID, after: int, upto: int) -> tuple[Record, ...] | None:
        """The records from version `after` + 1 to `upto`; None unless all of them are kept."""
        kept = self._kept.get(stream, ())
        if not kept or after + 1 < kept[0].version or upto > kept[-1].version:
            return None
        first = kept[0].version
        return kept[after + 1 - first : upto + 1 - first]
