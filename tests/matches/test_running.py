"""Clocks and bots as the processes run them: on time, once, and whoever dies in between."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from functools import partial
from typing import Any, Protocol
from uuid import UUID, uuid4

import pytest
from msgspec.structs import replace

from domain.match import table
from domain.match.events import Clock, TimedOut
from domain.match.state import AnyMatch
from service import bots, clocks
from service.bots import WORKERS, Bots
from service.held import stream_of
from service.store import StoreAway
from service.sweep import Sweep
from tests.matches.conftest import PICO, Process, StartProcess, hand, new_call

HOUR = Clock(turn_seconds=3_600)
"""However slow the machine is, no deadline passes by itself."""

PAST_IT = 3_630
"""The first choice of a match has half a minute more."""

DEADLINES = 5
"""So many are tried to find one that is kept in time."""

PATIENCE_SECONDS = 30
"""For what takes moments on a machine that has nothing else to do."""


class StartRunning(Protocol):
    """Starts a process with its bots and its sweeps, or with some of them."""

    async def __call__(self, *, bots: bool = True, sweeps: bool = True) -> Process: ...


async def until(process: Process, match_id: str, reached: Callable[[AnyMatch], bool]) -> AnyMatch:
    """The match as soon as it has got so far."""
    async with process.watch.on(stream_of(match_id)) as bell, asyncio.timeout(PATIENCE_SECONDS):
        while not reached(match := await process.matches.get(match_id)):
            await bell.wait()
            bell.clear()
    return match


@pytest.fixture
async def running(start_process: StartProcess) -> AsyncIterator[StartRunning]:
    async with AsyncExitStack() as held:

        async def start(*, bots: bool = True, sweeps: bool = True) -> Process:
            process = await start_process()
            playing = Bots(process.matches, 0)
            if bots:
                await held.enter_async_context(playing)
            if sweeps:
                await held.enter_async_context(Sweep(process.store, "bots_at", playing.take))
                await held.enter_async_context(Sweep(process.store, "due_at", partial(clocks.time_out, process.matches)))
            return process

        yield start


async def test_bots_among_themselves_play_to_the_end_with_nobody_watching(running: StartRunning) -> None:
    process = await running()
    match = (await process.open("ann", sit=False, bots=["easy", "normal"])).match
    match = await until(process, match.match_id, lambda now: now.status == "ended")
    assert match.result is not None
    assert match.result.reason == "rounds_played"


async def test_a_bot_answers_every_move_of_a_person_and_is_never_refused(running: StartRunning, capsys: pytest.CaptureFixture[str]) -> None:
    process = await running()
    match = (await process.open("ann", bots=["normal"])).match
    while match.status == "playing":
        match = await until(process, match.match_id, lambda now: not now.bots_owing)
        if match.status == "playing":
            match = (await process.choose(match.match_id, "ann", hand(match, "ann")[0])).match
    assert "bot_" not in capsys.readouterr().out


async def test_a_bot_commits_its_secret_choice_before_people_make_theirs(running: StartRunning) -> None:
    process = await running()
    match = (await process.open("ann", bots=["normal"])).match
    match = await until(process, match.match_id, lambda now: not now.bots_owing)
    assert [owed.seat for owed in match.owed] == [0]


async def test_bots_think_one_at_a_time_and_never_in_the_way_of_those_who_are_served(
    running: StartRunning, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither those at a table nor those who choose for somebody who is late."""
    threads, thinking, most, think = set[threading.Thread](), 0, 0, bots.bot_choice

    def thought(*asked: Any) -> Any:
        nonlocal thinking, most
        thinking += 1
        most = max(most, thinking)
        threads.add(threading.current_thread())
        time.sleep(0.005)
        thinking -= 1
        return think(*asked)

    for module in (bots, clocks):
        monkeypatch.setattr(module, "bot_choice", thought)
    process = await running()
    late = (await process.open("ann", clock=replace(HOUR, on_timeout="bot"))).match
    late = (await process.sit(late.match_id, "bob")).match
    of_bots = [(await process.open("ann", sit=False, bots=["easy", "normal"])).match for _ in range(WORKERS)]
    await process.matches.change(late.match_id, new_call("ann"), lambda game, now, world: table.move_clock(now, PAST_IT))
    late = await until(process, late.match_id, lambda now: now.version > late.version + 1)
    for match in of_bots:
        await until(process, match.match_id, lambda now: now.status == "ended")
    assert (len(threads), most) == (1, 1)
    assert threading.current_thread() not in threads


async def test_bots_of_a_process_that_died_are_played_by_another(running: StartRunning) -> None:
    dead = await running(bots=False, sweeps=False)
    alive = await running()
    match = (await dead.open("ann", bots=["easy"])).match
    await until(alive, match.match_id, lambda now: not now.bots_owing)


async def test_bots_stop_in_the_midst_of_play_also_where_a_cancellation_gets_lost(
    process: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost = 0

    async def deaf(*_: object) -> object:
        nonlocal lost
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            lost += 1
            if lost > 2 * WORKERS:
                raise
        return None

    monkeypatch.setattr(bots, "thought", deaf)
    async with Bots(process.matches, 0):
        for _ in range(3 * WORKERS):
            await process.open("ann", sit=False, bots=["easy", "easy"])
        await asyncio.sleep(0.1)
        began = time.monotonic()
    assert lost >= WORKERS
    assert time.monotonic() - began < 30, "somebody has slept on"


async def test_a_deadline_fires_once_and_within_a_second_though_nobody_is_connected(running: StartRunning) -> None:
    """A machine that is busy is late with most of them, and not with all."""
    processes, late = [await running() for _ in range(3)], list[float]()
    while not late or min(late) > 1:
        assert len(late) < DEADLINES, late
        match = (await processes[0].open("ann", clock=HOUR)).match
        await processes[1].sit(match.match_id, "bob")
        moved = await processes[1].matches.change(match.match_id, new_call("ann"), lambda game, now, world: table.move_clock(now, PAST_IT))
        later = await until(processes[2], match.match_id, lambda now, version=moved.match.version: now.version > version)  # type: ignore[misc]
        records = await processes[0].matches.records(await processes[0].matches.get(match.match_id), 0, 500)
        late.append((records[moved.match.version].at - moved.records[-1].at).total_seconds())
        assert PICO.view(later.table, None).last_trick is not None
    await asyncio.sleep(0.5)
    records = await processes[0].matches.records(await processes[0].matches.get(match.match_id), 0, 500)
    assert [isinstance(record.entry.event, TimedOut) for record in records].count(True) == 1
    assert isinstance(records[moved.match.version].entry.event, TimedOut)


@pytest.mark.parametrize("fault", [StoreAway("away"), ValueError("a bug")])
async def test_a_sweep_that_fails_is_followed_by_another(fault: Exception) -> None:
    done = asyncio.Event()

    class Store:
        takes = 0

        async def take_due(self, *_: object) -> list[UUID]:
            self.takes += 1
            if self.takes < 3:
                raise fault
            return [] if done.is_set() else [uuid4()]

    async def see_to(stream: UUID) -> None:
        done.set()

    async with Sweep(Store(), "due_at", see_to):  # type: ignore[arg-type]
        await asyncio.wait_for(done.wait(), PATIENCE_SECONDS)
