"""Who waits for a match hears of it: at once in the same process, soon from another, and never hangs on a stop."""

import asyncio
import time
from collections.abc import Awaitable

from service.held import stream_of
from service.live.watch import POLL_SECONDS
from tests.matches.conftest import Process, StartProcess, hand


async def rung(process: Process, match_id: str, within: float, act: Awaitable[object]) -> float:
    """How long it takes until a listener of this process hears that the match moved."""
    async with process.watch.on(stream_of(match_id)) as bell:
        began = time.monotonic()
        await act
        await asyncio.wait_for(bell.wait(), within)
        return time.monotonic() - began


async def test_a_listener_hears_of_a_move_in_its_own_process_at_once(process: Process) -> None:
    match = await process.begun()
    await rung(process, match.match_id, 0.2, process.choose(match.match_id, "ann", hand(match, "ann")[0]))


async def test_a_listener_hears_of_a_move_in_another_process_soon(start_process: StartProcess) -> None:
    here, there = await start_process(), await start_process()
    match = await here.begun()
    await rung(there, match.match_id, 4 * POLL_SECONDS, here.choose(match.match_id, "ann", hand(match, "ann")[0]))


async def test_nothing_is_kept_for_those_who_stopped_listening(process: Process) -> None:
    match = await process.begun()
    await rung(process, match.match_id, 0.2, process.choose(match.match_id, "ann", hand(match, "ann")[0]))
    assert process.watch.listeners == 0


async def test_every_listener_is_let_go_when_the_process_stops(process: Process) -> None:
    match = await process.begun()
    async with process.watch.on(stream_of(match.match_id)) as bell:
        process.watch.close()
        await asyncio.wait_for(bell.wait(), 0.2)
    async with process.watch.on(stream_of(match.match_id)) as late:
        assert late.is_set()
