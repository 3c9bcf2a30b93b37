"""Questions that many ask at the same time: the same one is asked once for all of them, and different ones are asked together."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Hashable, Mapping
from typing import Generic, TypeVar

MOMENT_SECONDS = 0.02
"""How long the next question waits for the one before it, which takes longer only where something holds it up."""

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Together(Generic[K, V]):
    """Asks one question for all who come while the one before is on its way. No answer is older than who gets it."""

    def __init__(self, ask: Callable[[Collection[K]], Awaitable[Mapping[K, V]]]) -> None:
        self._ask = ask
        self._waiting: list[tuple[K, asyncio.Future[V | None]]] = []
        self._taking: asyncio.Task[None] | None = None
        self._under_way: set[asyncio.Task[None]] = set()

    async def __call__(self, key: K) -> V | None:
        """What there is of this key. Raises what asking raises."""
        answered: asyncio.Future[V | None] = asyncio.get_running_loop().create_future()
        self._waiting.append((key, answered))
        if self._taking is None:
            self._go_on()
        return await answered

    def _go_on(self) -> None:
        """Let a task of its own ask what waits, from the next turn of the loop on."""
        self._taking = asyncio.create_task(self._take()) if self._waiting else None
        if self._taking is not None:
            self._under_way.add(self._taking)
            self._taking.add_done_callback(self._under_way.discard)

    async def _take(self) -> None:
        """Ask question after question until nobody waits. Where one is held up, another task goes on meanwhile."""
        this, loop = asyncio.current_task(), asyncio.get_running_loop()
        while self._taking is this and self._waiting:
            batch, self._waiting = self._waiting, []
            held_up = loop.call_later(MOMENT_SECONDS, self._go_on)
            await self._answer(batch)
            held_up.cancel()
        if self._taking is this:
            self._taking = None

    async def _answer(self, batch: Collection[tuple[K, "asyncio.Future[V | None]"]]) -> None:
        try:
            answers = await self._ask({key for key, _ in batch})
        except Exception as error:  # It concerns all who wait for it, and nobody else.
            for _, answered in batch:
                if not answered.done():
                    answered.set_exception(error)
        else:
            for key, answered in batch:
                if not answered.done():
                    answered.set_result(answers.get(key))


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
