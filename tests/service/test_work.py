"""The places of one caller: who comes when all are taken waits, too many are told to come back, and each is freed once."""

import asyncio
import random
import time

import pytest

from service.http import work
from service.http.limits import Limits
from service.http.problems import Trouble
from service.http.work import AtWork, Work

SOON = 20.0
"""Seconds, on a machine that is busy."""


def of(callers: AtWork, name: str = "ada", long_polls_max: int = 3) -> Work:
    return callers.work(name, long_polls_max)


async def settled() -> None:
    """Everything has gone on that could."""
    for _ in range(10):
        await asyncio.sleep(0)


async def test_who_comes_when_all_places_are_taken_waits_for_the_first_that_is_free() -> None:
    callers = AtWork(2)
    first, second, third, fourth = (of(callers) for _ in range(4))
    await first.begin()
    await second.begin()
    waiting = [asyncio.create_task(each.begin()) for each in (third, fourth)]
    other = of(callers, "bob")
    await asyncio.wait_for(other.begin(), SOON)
    await settled()
    assert [each.done() for each in waiting] == [False, False], "the places of one caller are no others'"
    second.end()
    await settled()
    assert [each.done() for each in waiting] == [True, False], "who came first is first"
    third.end()
    await asyncio.wait_for(waiting[1], SOON)
    for each in (first, fourth, other):
        each.end()
    await settled()
    assert not callers._callers, "of those who have nothing here nothing is kept"


async def test_who_waits_too_long_or_behind_too_many_is_told_when_to_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    callers = AtWork(1)
    first = of(callers)
    await first.begin()
    monkeypatch.setattr(work, "WAIT_SECONDS", 0.01)
    with pytest.raises(Trouble, match="too_many_at_once") as late:
        await of(callers).begin()
    assert (late.value.kind.status, late.value.headers) == (429, {"Retry-After": "2"})
    monkeypatch.setattr(work, "WAIT_SECONDS", 60)
    monkeypatch.setattr(work, "WAITING_MAX", 3)
    waiting = [asyncio.create_task(of(callers).begin()) for _ in range(3)]
    await settled()
    with pytest.raises(Trouble, match="too_many_at_once"):
        await of(callers).begin()
    for each in waiting:
        each.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    first.end()
    await asyncio.wait_for(of(callers).begin(), SOON)


async def test_a_page_that_asks_everything_at_once_gets_it_all() -> None:
    """As many as come over one connection of HTTP/2, from a few devices."""
    limits, answered = Limits(), 0

    async def ask() -> None:
        nonlocal answered
        asked = limits.work({"client": ("192.0.2.1", 1)}, None)  # type: ignore[arg-type]
        await asked.begin()
        await asyncio.sleep(0)
        answered += 1
        asked.end()

    await asyncio.gather(*(ask() for _ in range(500)))
    assert answered == 500


async def test_a_place_is_freed_once_whatever_becomes_of_its_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is done, it fails, its client goes away while it waits, works or listens, or it waits for too long: for any of a thousand."""
    monkeypatch.setattr(work, "WAIT_SECONDS", 0.02)
    callers, chance = AtWork(4), random.Random(7)
    at_work = most = 0

    async def ask(bell: asyncio.Event) -> None:
        nonlocal at_work, most
        asked = of(callers, chance.choice(("ada", "bob")), 5)
        try:
            await asked.begin()
            if chance.random() < 0.3:
                await asked.rings(bell, chance.random() / 200)
            if chance.random() < 0.2:
                asked.pause()
                await asyncio.sleep(chance.random() / 200)
                await asked.begin()
            at_work += 1
            most = max(most, at_work)
            try:
                await asyncio.sleep(chance.random() / 500)
            finally:
                at_work -= 1
            if chance.random() < 0.2:
                raise ValueError
        finally:
            asked.end()

    bell = asyncio.Event()
    asking: list[asyncio.Task[None]] = []
    for number in range(1000):
        asking.append(asyncio.create_task(ask(bell)))
        if chance.random() < 0.3:
            chance.choice(asking).cancel()
        if number % 20 == 0:
            bell.set()
            await asyncio.sleep(0.002)
            bell.clear()
    found = await asyncio.gather(*asking, return_exceptions=True)
    ends = {type(each) for each in found}
    assert ends == {type(None), ValueError, Trouble, asyncio.CancelledError}
    assert 4 < most <= 8
    await settled()
    assert not callers._callers
    again = [of(callers) for _ in range(4)]
    for each in again:
        await asyncio.wait_for(each.begin(), SOON)


async def test_a_long_poll_takes_no_place_while_it_waits_and_there_are_so_many_of_them() -> None:
    callers, bell = AtWork(1), asyncio.Event()

    async def poll() -> bool:
        asked = of(callers)
        try:
            await asked.begin()
            return await asked.rings(bell, SOON)
        finally:
            asked.end()

    polling = [asyncio.create_task(poll()) for _ in range(3)]
    await settled()
    with pytest.raises(Trouble, match="too_many_long_polls") as one_more:
        await poll()
    assert (one_more.value.kind.status, one_more.value.headers) == (429, {"Retry-After": "5"})
    bell.set()
    assert await asyncio.wait_for(asyncio.gather(*polling), SOON) == [True] * 3
    await settled()
    assert not callers._callers


async def test_it_costs_next_to_nothing() -> None:
    """Measured at two microseconds; the bound is for machines that have other things to do."""
    limits, scope = Limits(), {"client": ("192.0.2.7", 1)}

    async def seconds() -> float:
        began = time.perf_counter()
        for _ in range(10):
            asked = limits.work(scope, None)  # type: ignore[arg-type]
            await asked.begin()
            asked.end()
        return (time.perf_counter() - began) / 10

    best = 1.0
    for _ in range(50):
        best = min(best, await seconds())
        await settled()
    assert best < 50e-6


async def test_requests_that_take_one_step_each_leave_turns_of_the_loop_to_others() -> None:
    """However many have come: so many of one caller are worked on in one turn."""
    callers, turns = AtWork(4), 0
    over, served = asyncio.Event(), list[int]()

    async def turn() -> None:
        nonlocal turns
        while not over.is_set():
            turns += 1
            await asyncio.sleep(0)

    async def ask() -> None:
        asked = of(callers)
        try:
            await asked.begin()
            served.append(turns)
        finally:
            asked.end()

    turning = asyncio.create_task(turn())
    await asyncio.gather(*(ask() for _ in range(100)))
    over.set()
    await turning
    assert max(served.count(each) for each in served) == 4
