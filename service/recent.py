"""The latest records of matches, shared by all who follow them, and questions that many ask at once, asked once."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar
from uuid import UUID

from cachetools import LRUCache

from service.store.codec import Record

MATCHES_KEPT = 1_000
RECORDS_KEPT = 64
"""Of one match. Who lags farther behind reads the log."""

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


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


class Asked(Generic[K, V]):
    """Asks one question for all who ask it at the same time.

    Whoever asks while an answer is on its way shares the next one, so that no answer is older than the question.
    """

    def __init__(self, ask: Callable[[K], Awaitable[V]]) -> None:
        self._ask = ask
        self._begun: dict[K, asyncio.Task[V]] = {}
        self._to_begin: dict[K, asyncio.Task[V]] = {}

    async def __call__(self, key: K) -> V:
        task = self._to_begin.get(key)
        if task is None:
            task = self._to_begin[key] = asyncio.create_task(self._answer(key, self._begun.get(key)))
            task.add_done_callback(_looked_at)
        return await asyncio.shield(task)

    async def _answer(self, key: K, before: "asyncio.Task[V] | None") -> V:
        if before is not None:
            await asyncio.wait({before})
        self._begun[key] = self._to_begin.pop(key)
        try:
            return await self._ask(key)
        finally:
            del self._begun[key]


def _looked_at(task: "asyncio.Task[V]") -> None:
    """An error concerns those who wait for the answer; when all of them have left it concerns nobody."""
    if not task.cancelled():
        task.exception()
