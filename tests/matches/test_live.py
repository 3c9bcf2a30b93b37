"""Who waits for a match hears of it: at once in the same process, soon from another, and never hangs on a stop."""

import asyncio
import time
from collections.abc import Awaitable, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest

from domain.match.play import Entry
from domain.match.state import AnyMatch
from service.held import stream_of
from service.live import watch as watching
from service.live.watch import Watch
from service.matches import Matches
from service.recent import Recent
from service.store import StoreAway, event_store
from service.store.codec import Record
from service.store.connections import Connections
from tests.matches.conftest import Process, StartProcess, hand, new_call

PATIENCE_SECONDS = 30
"""For what takes moments on a machine that has nothing else to do."""


async def rung(process: Process, match_id: str, act: Awaitable[object]) -> float:
    """How long it takes until a listener of this process hears that the match moved."""
    async with process.watch.on(stream_of(match_id)) as bell:
        began = time.monotonic()
        await act
        await asyncio.wait_for(bell.wait(), PATIENCE_SECONDS)
        return time.monotonic() - began


@pytest.fixture
def _without_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody hears of anything by the shared look at the latest."""
    monkeypatch.setattr(watching, "POLL_SECONDS", 2 * PATIENCE_SECONDS)


@pytest.mark.usefixtures("_without_looks")
async def test_a_listener_hears_of_a_move_in_its_own_process_at_once(process: Process) -> None:
    """When the move is answered, the bell has rung."""
    match = await process.begun()
    async with process.watch.on(stream_of(match.match_id)) as bell:
        await process.choose(match.match_id, "ann", hand(match, "ann")[0])
        assert bell.is_set()


@pytest.mark.usefixtures("_without_looks")
async def test_a_listener_hears_of_a_move_that_was_stored_and_not_told_of_when_it_is_sent_again(
    process: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process that stored it may have died, or heard nothing from the database any more."""
    match = await process.begun()
    call = new_call("ann", keyed=True)

    async def chosen() -> None:
        await process.choose(match.match_id, "ann", hand(match, "ann")[0], call)

    with monkeypatch.context() as silent:
        silent.setattr(Matches, "_appended", lambda *_: None)
        await chosen()
    await rung(process, match.match_id, chosen())


async def test_a_listener_hears_of_a_move_in_another_process_soon(start_process: StartProcess) -> None:
    here, there = await start_process(), await start_process()
    match = await here.begun()
    await rung(there, match.match_id, here.choose(match.match_id, "ann", hand(match, "ann")[0]))


async def test_a_move_in_another_process_is_read_once_for_all_who_follow(
    start_process: StartProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = await start_process(), await start_process()
    match = await here.begun()
    reads: list[str] = []
    rows = Connections.rows

    async def counted(self: Connections, statement: str, *arguments: Any) -> Any:
        reads.append(statement)
        return await rows(self, statement, *arguments)

    monkeypatch.setattr(Connections, "rows", counted)

    async def follow() -> AnyMatch:
        async with there.watch.on(stream_of(match.match_id)) as bell:
            while (seen := await there.matches.news(match.match_id)).version <= match.version:
                waiting.release()
                await bell.wait()
                bell.clear()
            assert [record.version for record in await there.matches.records(seen, match.version, 10)] == [seen.version]
            return seen

    waiting = asyncio.Semaphore(0)
    followers = [asyncio.create_task(follow()) for _ in range(30)]
    for _ in followers:
        await waiting.acquire()
    reads.clear()
    await here.choose(match.match_id, "ann", hand(match, "ann")[0])
    seen = await asyncio.wait_for(asyncio.gather(*followers), PATIENCE_SECONDS)
    assert {each.version for each in seen} == {match.version + 1}
    assert reads.count(event_store.FOLLOWING) == 1
    assert event_store.LOAD not in reads


def record(version: int) -> Record:
    return Record(version, datetime.now(UTC), Entry(None))


def test_recent_records_have_no_gap() -> None:
    recent, stream = Recent(), uuid4()
    assert recent.between(stream, 0, 1) is None
    recent.add(stream, (record(5), record(6)))
    recent.add(stream, (record(6), record(7)))
    assert [each.version for each in recent.between(stream, 4, 7) or ()] == [5, 6, 7]
    assert [each.version for each in recent.between(stream, 5, 6) or ()] == [6]
    assert recent.between(stream, 3, 7) is None
    assert recent.between(stream, 4, 8) is None
    recent.add(stream, (record(10),))
    assert recent.between(stream, 6, 10) is None
    assert [each.version for each in recent.between(stream, 9, 10) or ()] == [10]
    for version in range(11, 200):
        recent.add(stream, (record(version),))
    assert [each.version for each in recent.between(stream, 198, 199) or ()] == [199]
    assert recent.between(stream, 100, 199) is None


@pytest.mark.parametrize("fault", [StoreAway("away"), ValueError("a bug")])
async def test_a_look_that_fails_is_followed_by_another(fault: Exception) -> None:
    looks = 0

    async def look(keys: Sequence[Any]) -> dict[Any, int]:
        nonlocal looks
        looks += 1
        if looks < 3:
            raise fault
        return dict.fromkeys(keys, 1)

    async with Watch(look) as watch, watch.on("a") as bell:
        await asyncio.wait_for(bell.wait(), PATIENCE_SECONDS)


async def test_nothing_is_kept_for_those_who_stopped_listening(process: Process) -> None:
    match = await process.begun()
    await rung(process, match.match_id, process.choose(match.match_id, "ann", hand(match, "ann")[0]))
    assert process.watch.waiting == 0


@pytest.mark.usefixtures("_without_looks")
async def test_every_listener_is_let_go_when_the_process_stops(process: Process) -> None:
    match = await process.begun()
    async with process.watch.on(stream_of(match.match_id)) as bell:
        process.watch.close()
        assert bell.is_set()
    async with process.watch.on(stream_of(match.match_id)) as late:
        assert late.is_set()
