"""What is seen of a match that has ended, whatever ended it: nothing asks for anything, and a bot stands in where one has played."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from domain.games import GAMES
from domain.match import table
from domain.match.events import Clock
from domain.match.game import AnyGame
from domain.match.state import AnyMatch, fold
from service.projector import MatchView, view
from tests.matches.made import NOON, WORLD
from tests.matches.test_leaving import PLAYERS, SHEEP, dealt, played_on, resigned
from tests.matches.test_leaving_anywhere import begun
from tests.rooms import every_game


def seen(match: AnyMatch) -> MatchView:
    return view(match, 0, {}, NOON)


def stand_ins(match: AnyMatch) -> list[int]:
    return [seat.seat for seat in seen(match).seats if seat.stand_in]


def gave_up(match: AnyMatch) -> list[int]:
    return [seat.seat for seat in seen(match).seats if seat.resigned]


def all_give_up(game: AnyGame, match: AnyMatch) -> AnyMatch:
    for player in match.seated:
        if match.status == "playing":
            match = fold(game, match, table.resign(game, match, player))
    return match


def it_is_stopped(game: AnyGame, match: AnyMatch) -> AnyMatch:
    return fold(game, match, table.stop(match))


def nobody_touches_it(game: AnyGame, match: AnyMatch) -> AnyMatch:
    assert match.terms is not None
    timeless = replace(match, terms=replace(match.terms, clock=None))
    choices = table.time_out(game, timeless, lambda now, seat: None, replace(WORLD, now=NOON + timedelta(days=31)))
    return fold(game, timeless, choices)


@every_game
@pytest.mark.parametrize("end", [all_give_up, it_is_stopped, nobody_touches_it], ids=lambda end: end.__name__)
def test_the_table_of_a_match_that_has_ended_is_over(game: AnyGame, end: Callable[[AnyGame, AnyMatch], AnyMatch]) -> None:
    match = begun(game, max(2, min(game.seats)), seed=1)
    before, after = seen(match).table, seen(end(game, match))
    assert before is not None
    assert before.phase != "over"
    assert after.status == "ended"
    assert after.table is not None
    assert after.table.phase == "over"
    assert (after.waiting_for, after.decisions, after.deadline_at) == ((), (), None)


def test_a_turn_is_nobodys_any_more() -> None:
    train, match = GAMES["little-train"], begun(GAMES["little-train"], 2, seed=1)
    before: Any = seen(match).table
    assert (before.turn, before.train is None) == (0, False)
    assert seen(all_give_up(train, match)).table == replace(before, phase="over", turn=None, train=None)


def test_nobody_stands_in_for_whose_giving_up_ended_the_match() -> None:
    match = begun(GAMES["pico"], 2, seed=1)
    assert stand_ins(all_give_up(GAMES["pico"], match)) == []


def test_who_gave_up_is_told_also_of_whose_giving_up_ended_the_match() -> None:
    match = begun(GAMES["pico"], 2, seed=1)
    assert gave_up(match) == []
    assert gave_up(all_give_up(GAMES["pico"], match)) == [0]
    left = resigned(dealt(), "cid")
    assert gave_up(left) == gave_up(played_on(left)) == [2]
    assert gave_up(fold(SHEEP, left, table.come_back(left, "cid"))) == []


def test_of_those_who_all_gave_up_the_last_had_no_stand_in() -> None:
    assert stand_ins(resigned(dealt(), *PLAYERS[:3])) == [0, 1, 2]
    assert stand_ins(resigned(dealt(), *PLAYERS)) == [0, 1, 2]


def test_who_was_stood_in_for_to_the_end_is_told_afterwards() -> None:
    assert stand_ins(played_on(resigned(dealt(), "cid"))) == [2]


def test_the_clock_that_resigns_the_last_person_leaves_no_stand_in() -> None:
    match = dealt(("ann",), ("easy", "easy"), clock=Clock(turn_seconds=60, on_timeout="resign"))
    while not any(match.chairs[owed.seat].manned for owed in match.owed):
        seat = match.owed[0].seat
        command = SHEEP.choices(match.table, seat)[0]
        match = fold(SHEEP, match, table.choose_as_bot(SHEEP, match, seat, command, str(match.decision(seat)), WORLD))
    late = replace(WORLD, now=NOON + timedelta(seconds=90))
    match = fold(SHEEP, match, table.time_out(SHEEP, match, lambda now, seat: SHEEP.choices(now.table, seat)[0], late))
    assert match.result is not None
    assert match.result.reason == "abandoned"
    assert stand_ins(match) == []
