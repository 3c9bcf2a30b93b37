"""A match of two in play: the clock, resigning, and bots that owe a choice."""

from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from domain.games.pico.events import CardCommitted, CardsRevealed
from domain.match import table
from domain.match.events import Clock, Ended, Resigned, TimedOut
from domain.match.play import NotNow
from domain.match.state import AnyMatch
from domain.match.table import World
from tests.matches.made import NOON, PICO, WORLD, after, choose, finished, opened, playing, sit

MINUTE = Clock(turn_seconds=60)


def timed(**clock: Any) -> AnyMatch:
    return sit(opened(clock=replace(MINUTE, **clock)), "bob")


def at(seconds: int) -> World:
    return replace(WORLD, now=NOON + timedelta(seconds=seconds))


def last_choice(match: AnyMatch, seat: int) -> Any:
    """A bot that always takes its last choice."""
    return PICO.choices(match.table, seat)[-1]


def test_the_first_decision_has_a_grace() -> None:
    assert timed().due == NOON + timedelta(seconds=90)


def test_every_later_decision_has_the_time_agreed_on_from_when_it_comes_up() -> None:
    match = choose(choose(timed(), "ann"), "bob")
    assert match.due == NOON + timedelta(seconds=60)


def test_a_commit_does_not_move_the_deadline_of_the_others() -> None:
    match = timed()
    assert choose(match, "ann").due == match.due


def test_the_clock_does_nothing_before_its_time_or_after_the_end() -> None:
    with pytest.raises(NotNow, match="not_due"):
        table.time_out(PICO, timed(), last_choice, at(89))
    with pytest.raises(NotNow, match="not_due"):
        table.time_out(PICO, finished(), last_choice, at(10**9))


def test_the_clock_plays_the_first_choice_of_all_silent_seats_in_one_go() -> None:
    match = timed()
    entries = table.time_out(PICO, match, last_choice, at(90))
    assert [type(entry.event) for entry in entries[:4]] == [TimedOut, CardCommitted, CardCommitted, CardsRevealed]
    assert entries[0].event.seats == (0, 1)
    assert [entry.event.card for entry in entries[1:3]] == [PICO.choices(match.table, seat)[0].card for seat in (0, 1)]
    assert [bool(entry.owed) for entry in entries] == [False] * (len(entries) - 1) + [True]
    later = after(match, entries)
    assert later.due == NOON + timedelta(seconds=150)


def test_the_clock_leaves_alone_what_has_been_chosen() -> None:
    match = choose(timed(), "bob", choice=-1)
    entries = table.time_out(PICO, match, last_choice, at(90))
    assert entries[0].event.seats == (0,)
    seen = PICO.view(after(match, entries).table, None)
    assert seen.last_trick.cards == (PICO.choices(match.table, 0)[0].card, PICO.choices(timed().table, 1)[-1].card)


def test_the_clock_may_let_a_bot_choose() -> None:
    match = timed(on_timeout="bot")
    entries = table.time_out(PICO, match, last_choice, at(90))
    assert [entry.event.card for entry in entries[1:3]] == [PICO.choices(match.table, seat)[-1].card for seat in (0, 1)]


def test_the_clock_may_resign_a_seat_and_a_match_of_two_ends_then() -> None:
    match = choose(timed(on_timeout="resign"), "bob")
    match = after(match, table.time_out(PICO, match, last_choice, at(90)))
    assert match.result is not None
    assert match.result.reason == "resigned"
    assert [(place.seat, place.rank) for place in match.result.ranking] == [(1, 1), (0, 2)]


def test_a_match_of_two_ends_once_though_both_were_silent() -> None:
    match = timed(on_timeout="resign")
    entries = table.time_out(PICO, match, last_choice, at(90))
    assert [type(entry.event) for entry in entries] == [TimedOut, Resigned, Ended]


def test_a_match_that_the_clock_plays_alone_ends() -> None:
    match = timed()
    while match.status == "playing":
        assert match.due is not None
        match = after(match, table.time_out(PICO, match, last_choice, replace(WORLD, now=match.due)))
    assert match.result is not None
    assert match.result.reason == "rounds_played"


def test_a_match_without_a_clock_is_abandoned_after_thirty_days_of_silence() -> None:
    match = sit(opened(clock=None, visibility="private"), "bob")
    with pytest.raises(NotNow, match="not_due"):
        table.time_out(PICO, match, last_choice, replace(WORLD, now=NOON + timedelta(days=29)))
    match = after(match, table.time_out(PICO, match, last_choice, replace(WORLD, now=NOON + timedelta(days=31))))
    assert match.result is not None
    assert match.result.reason == "abandoned"
    assert match.result.ranking == PICO.standing(match.table)


def test_who_resigns_a_match_of_two_loses_it_whatever_the_score() -> None:
    match = playing()
    while PICO.standing(match.table)[0].score == 0:
        match = choose(match, str(match.chairs[match.owed[0].seat].player_id))
    leader = PICO.standing(match.table)[0]
    entries = table.resign(PICO, match, str(match.chairs[leader.seat].player_id))
    assert isinstance(entries[0].event, Resigned)
    result = after(match, entries).result
    assert result is not None
    assert [(place.seat, place.rank) for place in result.ranking] == [(1 - leader.seat, 1), (leader.seat, 2)]
    assert result.ranking[1].score == leader.score


def test_nobody_resigns_before_the_start_or_after_the_end() -> None:
    for match, code in ((opened(), "match_not_started"), (finished(), "match_over")):
        with pytest.raises(NotNow, match=code):
            table.resign(PICO, match, "ann")


def test_only_the_house_plays_for_a_bot() -> None:
    match = opened(bots=["easy"])
    decision = match.decision(1)
    assert decision is not None
    assert after(match, table.choose_as_bot(PICO, match, 1, last_choice(match, 1), decision, WORLD)).bots_owing == ()
    with pytest.raises(NotNow, match="decision_closed"):
        table.choose_as_bot(PICO, match, 0, last_choice(match, 0), str(match.decision(0)), WORLD)
