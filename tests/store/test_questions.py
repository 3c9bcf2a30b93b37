"""Questions of the same time are asked of the database together, and every answer is newer than its question."""

import asyncio
from collections.abc import Collection, Mapping

import pytest

from service import together
from service.together import Together


class Database:
    """Answers when it is let, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []
        self.answers: list[asyncio.Future[Mapping[str, int]]] = []
        self.together = Together(self._ask)

    async def _ask(self, keys: Collection[str]) -> Mapping[str, int]:
        self.asked.append(sorted(keys))
        self.answers.append(asyncio.get_running_loop().create_future())
        return await self.answers[-1]

    def ask(self, *keys: str) -> list["asyncio.Task[int | None]"]:
        async def question(key: str) -> int | None:
            return await self.together(key)

        return [asyncio.create_task(question(key)) for key in keys]


async def turned() -> None:
    """Let everybody do what they can do now."""
    for _ in range(10):
        await asyncio.sleep(0)


async def test_who_comes_while_a_question_is_on_its_way_goes_with_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(together, "MOMENT_SECONDS", 60)
    database = Database()
    first = database.ask("a", "b", "a")
    await turned()
    later = database.ask("a", "c", "d")
    await turned()
    assert database.asked == [["a", "b"]], "whoever comes later must not be answered by what was asked before"
    database.answers[0].set_result({"a": 1, "b": 2})
    assert await asyncio.gather(*first) == [1, 2, 1]
    await turned()
    assert database.asked == [["a", "b"], ["a", "c", "d"]]
    database.answers[1].set_result({"a": 5, "c": 3})
    assert await asyncio.gather(*later) == [5, 3, None]


async def test_a_failure_concerns_those_who_asked_and_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(together, "MOMENT_SECONDS", 60)
    database = Database()
    failing = database.ask("a", "b")
    await turned()
    later = database.ask("a")
    database.answers[0].set_exception(ConnectionError())
    assert [type(answer) for answer in await asyncio.gather(*failing, return_exceptions=True)] == [ConnectionError] * 2
    await turned()
    database.answers[1].set_result({"a": 1})
    assert await asyncio.gather(*later) == [1]


async def test_a_question_that_is_held_up_does_not_hold_up_the_others() -> None:
    database = Database()
    stuck = database.ask("a")
    await turned()
    quick = database.ask("b")
    while len(database.answers) < 2:  # noqa: ASYNC110 - the very moment is wanted.
        await asyncio.sleep(together.MOMENT_SECONDS)
    database.answers[1].set_result({"b": 2})
    assert await asyncio.gather(*quick) == [2]
    database.answers[0].set_result({"a": 1})
    assert await asyncio.gather(*stuck) == [1]


async def test_who_leaves_takes_nothing_from_the_others() -> None:
    database = Database()
    gone, stays = database.ask("a", "a")
    await turned()
    gone.cancel()
    await turned()
    database.answers[0].set_result({"a": 1})
    assert await stays == 1
    assert gone.cancelled()
