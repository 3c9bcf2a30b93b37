"""Questions of the same time are asked once or together, and no answer is older than its question."""

import asyncio
from collections.abc import Collection, Mapping

import pytest

from service import together
from service.store import StoreAway
from service.together import Asked, Together


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


async def test_an_answer_that_is_shared_is_never_older_than_the_question() -> None:
    number, gates = 0, [asyncio.Event() for _ in range(3)]
    begun: list[int] = []

    async def ask(_: str) -> int:
        begun.append(seen := number)
        await gates[len(begun) - 1].wait()
        return seen

    asked = Asked(ask)
    first = asyncio.create_task(asked("a"))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    number = 1
    later = [asyncio.create_task(asked("a")) for _ in range(10)]
    await asyncio.sleep(0)
    later[0].cancel()
    for gate in gates:
        gate.set()
    assert await first == 0
    assert await asyncio.gather(*later[1:]) == [1] * 9
    assert begun == [0, 1]
    number = 2
    assert await asked("a") == 2


async def test_what_is_asked_together_fails_together_and_can_be_asked_again() -> None:
    fails = True

    async def ask(_: str) -> int:
        await asyncio.sleep(0)
        if fails:
            raise StoreAway("away")
        return 1

    asked = Asked(ask)
    answers = await asyncio.gather(*(asked("a") for _ in range(3)), return_exceptions=True)
    assert [type(answer) for answer in answers] == [StoreAway] * 3
    fails = False
    assert await asked("a") == 1
