"""Leaving a match of several in play: a bot stands in, the others play on, and who left may come back."""

from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from domain.games import GAMES
from domain.match import lobby, table
from domain.match.events import Clock, Resigned
from domain.match.play import NotNow
from domain.match.state import AnyMatch, Match, fold
from tests.matches.conftest import TERMS
from tests.matches.made import NOON, WORLD

SHEEP = GAMES["black-sheep"]
PLAYERS = ("ann", "bob", "cid", "dot")


def dealt(players: tuple[str, ...] = PLAYERS, bots: tuple[str, ...] = (), **changes: Any) -> AnyMatch:
    """A match of Black Sheep that has just begun."""
    terms = replace(TERMS, game="black-sheep", options=SHEEP.options(), seats=len(players) + len(bots), host=players[0], **changes)
    match = fold(SHEEP, Match("mat_test"), lobby.open_match(SHEEP, "mat_test", terms, True, "", bots, WORLD))
    for player in players[1:]:
        match = fold(SHEEP, match, lobby.take_seat(SHEEP, match, player, None, "", WORLD))
    assert match.status == "playing"
    return match


def resigned(match: AnyMatch, *players: str) -> AnyMatch:
    for player in players:
        match = fold(SHEEP, match, table.resign(SHEEP, match, player))
    return match


def played_on(match: AnyMatch) -> AnyMatch:
    """The match to its end, everybody playing the first of their choices."""
    while match.status == "playing":
        seat = match.owed[0].seat
        command, decision = SHEEP.choices(match.table, seat)[0], str(match.decision(seat))
        chair = match.chairs[seat]
        if chair.manned:
            match = fold(SHEEP, match, table.choose(SHEEP, match, str(chair.player_id), command, decision, WORLD))
        else:
            match = fold(SHEEP, match, table.choose_as_bot(SHEEP, match, seat, command, decision, WORLD))
    return match


def test_a_bot_stands_in_and_the_seat_stays_with_its_player() -> None:
    match = resigned(dealt(), "bob")
    assert match.status == "playing"
    assert match.seat_of("bob") == 1
    assert not match.chairs[1].manned


def test_resigning_changes_nobodys_question_and_nobodys_time() -> None:
    match = dealt()
    after = resigned(match, "dot")
    assert [after.decision(owed.seat) for owed in after.owed] == [match.decision(owed.seat) for owed in match.owed]
    assert after.due == match.due


def test_who_resigned_does_not_play_until_they_are_back() -> None:
    match = dealt()
    seat = match.owed[0].seat
    player, command = PLAYERS[seat], SHEEP.choices(match.table, seat)[0]
    match = resigned(match, player)
    assert match.bots_owing == (seat,)
    with pytest.raises(NotNow, match="resigned"):
        table.choose(SHEEP, match, player, command, None, WORLD)
    with pytest.raises(NotNow, match="resigned"):
        table.resign(SHEEP, match, player)
    match = fold(SHEEP, match, lobby.take_seat(SHEEP, match, player, None, "", WORLD))
    assert match.bots_owing == ()
    assert table.choose(SHEEP, match, player, command, None, WORLD)


def test_nobody_else_gets_the_seat_of_one_who_resigned() -> None:
    with pytest.raises(NotNow, match="match_full"):
        lobby.take_seat(SHEEP, resigned(dealt(), "bob"), "eve", 1, "", WORLD)


def test_who_resigned_and_never_came_back_ranks_after_the_others_the_latest_first() -> None:
    match = played_on(resigned(dealt(), "cid", "ann"))
    assert match.result is not None
    assert [place.seat for place in match.result.ranking][2:] == [0, 2]
    assert [place.rank for place in match.result.ranking][2:] == [3, 4]
    scores = {place.seat: place.score for place in SHEEP.standing(match.table)}
    assert {place.seat: place.score for place in match.result.ranking} == scores


def test_who_came_back_ranks_by_their_score() -> None:
    match = resigned(dealt(), "bob")
    match = played_on(fold(SHEEP, match, table.come_back(match, "bob")))
    assert match.result is not None
    assert match.result.ranking == SHEEP.standing(match.table)


def test_a_match_that_every_person_left_is_abandoned_and_the_latest_to_leave_ranks_first() -> None:
    match = resigned(dealt(), *PLAYERS)
    assert match.result is not None
    assert match.result.reason == "abandoned"
    assert [place.seat for place in match.result.ranking] == [3, 2, 1, 0]


def test_the_last_person_among_bots_ends_the_match_by_leaving() -> None:
    match = resigned(dealt(("ann",), ("easy", "easy", "easy")), "ann")
    assert match.result is not None
    assert match.result.reason == "abandoned"
    assert match.result.ranking[-1].seat == 0


def test_the_clock_that_resigns_a_seat_lets_its_stand_in_choose_and_never_fires_for_it_again() -> None:
    match = dealt(clock=Clock(turn_seconds=60, on_timeout="resign"))
    seat = match.owed[0].seat

    def bot(now: AnyMatch, owing: int) -> Any:
        return SHEEP.choices(now.table, owing)[-1]

    entries = table.time_out(SHEEP, match, bot, replace(WORLD, now=NOON + timedelta(seconds=90)))
    assert isinstance(entries[1].event, Resigned)
    match = fold(SHEEP, match, entries)
    assert match.status == "playing"
    assert not match.chairs[seat].manned
    assert match.due == NOON + timedelta(seconds=150)
