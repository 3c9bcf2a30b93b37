"""What was asked a moment ago is not asked again, and what many ask in the same moment is asked once, together."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from typing import Generic, TypeVar

FRESH_SECONDS = 0.75
"""So old may an answer be. With the time that asking takes it is less than a second: what ends in one process ends so soon in all."""

KEPT_MAX = 50_000

K = TypeVar("K")
V = TypeVar("V")


class Lately(Generic[K, V]):
    """Answers by their keys, which `ask` finds; it leaves out the keys of which there is nothing, and these are always asked again."""

    def __init__(self, ask: Callable[[Collection[K]], Awaitable[Mapping[K, V]]]) -> None:
        self._ask = ask
        self._kept: dict[K, tuple[float, V]] = {}
        self._wanted: set[K] = set()
        self._asking: asyncio.Task[Mapping[K, V]] | None = None
        self._changes = 0

    def known(self, key: K) -> V | None:
        """The answer if there is a fresh one at hand."""
        kept = self._kept.get(key)
        return kept[1] if kept is not None and time.monotonic() - kept[0] < FRESH_SECONDS else None

    async def get(self, keys: Iterable[K]) -> dict[K, V]:
        """The answers for these keys. Raises what `ask` raises."""
        found: dict[K, V] = {}
        missing: list[K] = []
        for key in keys:
            if (known := self.known(key)) is None:
                missing.append(key)
            else:
                found[key] = known
        if missing:
            answers = await self._asked(missing)
            found.update((key, answers[key]) for key in missing if key in answers)
        return found

    def forget(self, about: Callable[[K, V], bool]) -> None:
        """Ask again for everything that this says is about what has just changed. What is being asked at the moment is not kept."""
        self._changes += 1
        for key in [key for key, (_, answer) in self._kept.items() if about(key, answer)]:
            del self._kept[key]

    async def _asked(self, keys: Iterable[K]) -> Mapping[K, V]:
        """Ask together with all others who come before the loop turns."""
        self._wanted.update(keys)
        if self._asking is None:
            self._asking = asyncio.create_task(self._ask_now())
        return await asyncio.shield(self._asking)

    async def _ask_now(self) -> Mapping[K, V]:
        wanted, self._wanted, self._asking = self._wanted, set(), None
        asked_at, changes = time.monotonic(), self._changes
        answers = await self._ask(wanted)
        if changes != self._changes:
            return answers
        if len(self._kept) + len(answers) > KEPT_MAX:
            self._kept = {key: kept for key, kept in self._kept.items() if asked_at - kept[0] < FRESH_SECONDS}
        if len(self._kept) + len(answers) <= KEPT_MAX:
            self._kept.update((key, (asked_at, answer)) for key, answer in answers.items())
        return answers
