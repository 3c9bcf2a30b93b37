"""Many at once: what may both succeed does, what may succeed once does once, and nobody is told wrong."""

import asyncio

import pytest

from domain.games.pico.events import CardCommitted
from domain.match.play import NotNow
from domain.match.table import NotAllowed
from service.held import UnknownMatch, stream_of
from service.matches import Changed
from service.store import Append, Appended, KeyReused
from service.store.writer import Then
from tests.matches.conftest import PICO, Process, StartProcess, hand, new_call


def told(changed: Changed) -> tuple[object, ...]:
    """What whoever called is told, the first time and again."""
    return changed.match, changed.records


async def test_two_players_who_commit_in_the_same_instant_both_succeed(start_process: StartProcess) -> None:
    here, there = await start_process(), await start_process()
    match = await here.begun()
    for _ in range(4):
        match = await here.matches.get(match.match_id)
        await asyncio.gather(
            here.choose(match.match_id, "ann", hand(match, "ann")[0]),
            there.choose(match.match_id, "bob", hand(match, "bob")[0]),
        )
    match = await here.matches.get(match.match_id)
    records = await here.matches.records(match, 0, 500)
    assert [record.version for record in records] == list(range(1, match.version + 1))
    assert sum(record.entry.seat is not None for record in records if isinstance(record.entry.event, CardCommitted)) == 8


async def test_the_last_seat_is_taken_once_however_many_want_it(start_process: StartProcess) -> None:
    processes = [await start_process() for _ in range(2)]
    match = (await processes[0].open("ann")).match
    joins = (processes[n % 2].sit(match.match_id, f"player {n}") for n in range(32))
    answers = await asyncio.gather(*joins, return_exceptions=True)
    assert sum(isinstance(answer, Changed) for answer in answers) == 1
    assert [str(answer) for answer in answers if not isinstance(answer, Changed)] == ["match_full"] * 31


async def test_a_player_who_joins_ten_times_at_once_has_one_seat(start_process: StartProcess) -> None:
    processes = [await start_process() for _ in range(2)]
    match = (await processes[0].open("ann", seats=2, start="by_host")).match
    answers = await asyncio.gather(*(processes[n % 2].sit(match.match_id, "bob") for n in range(10)), return_exceptions=True)
    assert sum(isinstance(answer, Changed) for answer in answers) == 1
    assert (await processes[0].matches.get(match.match_id)).seated == ("ann", "bob")


async def test_the_same_call_sent_twice_at_once_plays_once_and_is_answered_twice(start_process: StartProcess) -> None:
    here, there = await start_process(), await start_process()
    match = await here.begun()
    call, card = new_call("ann", keyed=True), hand(match, "ann")[0]
    first, second = await asyncio.gather(here.choose(match.match_id, "ann", card, call), there.choose(match.match_id, "ann", card, call))
    assert told(first) == told(second)
    assert first.repeated != second.repeated
    assert (await here.matches.get(match.match_id)).version == match.version + 1


async def test_a_call_sent_again_much_later_is_answered_as_it_was_the_first_time(process: Process) -> None:
    match = await process.begun()
    call, card = new_call("ann", keyed=True), hand(match, "ann")[0]
    first = await process.choose(match.match_id, "ann", card, call)
    await process.choose(match.match_id, "bob", hand(match, "bob")[0])
    await process.choose(match.match_id, "bob", hand(await process.matches.get(match.match_id), "bob")[0])
    again = await process.choose(match.match_id, "ann", card, call)
    assert told(again) == told(first)
    assert again.repeated


async def test_a_match_that_is_opened_twice_with_one_key_is_one_match(start_process: StartProcess) -> None:
    here, there = await start_process(), await start_process()
    call = new_call("ann", keyed=True)
    first, second = await asyncio.gather(here.open("ann", call), there.open("ann", call))
    assert told(first) == told(second)
    assert len(first.records) == 2


async def test_a_key_that_comes_with_another_body_is_refused(process: Process) -> None:
    match = await process.begun()
    call = new_call("ann", keyed=True, asked=b"the first card")
    await process.choose(match.match_id, "ann", hand(match, "ann")[0], call)
    other = new_call("ann", keyed=True, asked=b"the last card")
    with pytest.raises(KeyReused):
        await process.choose(match.match_id, "ann", hand(match, "ann")[-1], type(other)(call.id, other.fingerprint, True, "ann"))


async def test_a_double_click_is_not_taken_for_the_answer_to_the_next_question(process: Process) -> None:
    match = await process.begun()
    asked = match.decision(0)
    await process.choose(match.match_id, "ann", hand(match, "ann")[0], decision=asked)
    await process.choose(match.match_id, "bob", hand(match, "bob")[0])
    later = await process.matches.get(match.match_id)
    with pytest.raises(NotNow, match="decision_closed"):
        await process.choose(match.match_id, "ann", hand(later, "ann")[0], decision=asked)
    assert (await process.matches.get(match.match_id)).version == later.version


async def test_a_refusal_never_rests_on_a_state_that_has_moved_on_elsewhere(start_process: StartProcess) -> None:
    here, there = await start_process(), await start_process()
    match = await here.begun()
    await here.choose(match.match_id, "ann", hand(match, "ann")[0])
    await there.choose(match.match_id, "bob", hand(match, "bob")[0])
    # By what `here` last saw, ann still waits for bob; the store knows that a new trick has begun.
    again = await here.choose(match.match_id, "ann", hand(await there.matches.get(match.match_id), "ann")[0])
    assert again.match.version > match.version + 2


async def test_nothing_is_stored_for_a_refusal(process: Process) -> None:
    match = await process.begun()
    with pytest.raises(NotAllowed):
        await process.choose(match.match_id, "eve", 4)
    assert await process.store.version(stream_of(match.match_id)) == match.version


async def test_a_caller_who_goes_away_loses_nothing(process: Process, monkeypatch: pytest.MonkeyPatch) -> None:
    match = await process.begun()
    decided, begin = asyncio.Event(), process.store.begin

    def beginning(append: Append, then: Then | None = None) -> asyncio.Future[Appended]:
        decided.set()
        return begin(append, then)

    monkeypatch.setattr(process.store, "begin", beginning)
    task = asyncio.create_task(process.choose(match.match_id, "ann", hand(match, "ann")[0]))
    await decided.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    after = await process.choose(match.match_id, "bob", hand(match, "bob")[0])
    assert after.match.version > match.version + 2
    assert PICO.view(after.match.table, None).last_trick is not None


@pytest.mark.parametrize(
    "match_id", ["", "mat_", "mat_x", "ply_" + "0" * 32, "mat_" + "0" * 32, "mat_" + "A" * 32, "mat_" + "0" * 31 + "\n"]
)
async def test_what_is_no_match_is_unknown(process: Process, match_id: str) -> None:
    with pytest.raises(UnknownMatch):
        await process.matches.get(match_id)
