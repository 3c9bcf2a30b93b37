"""What the host does before the start, and what becomes of a match that never begins."""

from datetime import timedelta
from functools import partial

import pytest
from msgspec.structs import replace

from domain.match import lobby, table
from domain.match.events import BotSeated, SeatTaken, Started
from domain.match.play import NotNow
from domain.match.state import Match, fold
from domain.match.table import NotAllowed, Unfit
from tests.matches.conftest import TERMS
from tests.matches.made import NOON, PICO, WORLD, after, finished, opened, playing, sit


def test_bots_take_the_seats_after_the_host() -> None:
    match = opened(bots=["easy"])
    assert match.status == "playing"
    assert [(chair.player_id, chair.bot_level) for chair in match.chairs] == [("ann", None), (None, "easy")]


def test_bots_may_play_among_themselves() -> None:
    match = opened(sit=False, bots=["easy", "normal"])
    assert match.status == "playing"
    assert match.bots_owing == (0, 1)


@pytest.mark.parametrize(("bots", "code"), [(["easy", "easy"], "too_many_bots"), (["godlike"], "no_such_level")])
def test_bots_must_fit_the_match(bots: list[str], code: str) -> None:
    with pytest.raises(Unfit, match=code):
        opened(bots=bots)


def test_a_public_match_has_a_clock() -> None:
    with pytest.raises(Unfit, match="clock_needed"):
        opened(clock=None)
    assert opened(clock=None, visibility="private").status == "open"


def test_the_host_fills_open_seats_with_bots_when_starting() -> None:
    match = opened(start="by_host")
    entries = lobby.start_match(PICO, match, "ann", "normal", WORLD)
    assert [type(entry.event) for entry in entries[:2]] == [BotSeated, Started]
    assert after(match, entries).chairs[1].bot_level == "normal"


def test_the_host_seats_a_bot_and_takes_it_away_again() -> None:
    match = opened(start="by_host")
    match = after(match, lobby.seat_bot(PICO, match, "ann", 1, "easy", WORLD))
    with pytest.raises(NotNow, match="match_full"):
        sit(match, "bob")
    with pytest.raises(NotNow, match="seat_taken"):
        lobby.seat_bot(PICO, match, "ann", 1, "easy", WORLD)
    match = after(match, lobby.remove_bot(match, "ann", 1))
    with pytest.raises(NotNow, match="no_bot_there"):
        lobby.remove_bot(match, "ann", 1)
    assert sit(match, "bob").seat_of("bob") == 1


def test_the_host_removes_a_player_but_not_themselves() -> None:
    match = sit(opened(start="by_host"), "bob")
    with pytest.raises(NotNow, match="own_seat"):
        lobby.remove_player(match, "ann", 0)
    match = after(match, lobby.remove_player(match, "ann", 1))
    assert match.seat_of("bob") is None
    with pytest.raises(NotNow, match="seat_open"):
        lobby.remove_player(match, "ann", 1)


def test_only_the_host_does_what_a_host_does() -> None:
    match = sit(opened(start="by_host"), "bob")
    for act in (
        partial(lobby.seat_bot, PICO, match, "bob", 1, "easy", WORLD),
        partial(lobby.remove_bot, match, "bob", 1),
        partial(lobby.remove_player, match, "bob", 0),
        partial(lobby.close_match, match, "bob"),
        partial(lobby.start_match, PICO, match, "bob", None, WORLD),
    ):
        with pytest.raises(NotAllowed, match="not_host"):
            act()


def test_the_host_closes_a_match_that_has_not_begun() -> None:
    match = after(opened(), lobby.close_match(opened(), "ann"))
    assert match.result is not None
    assert match.result.reason == "closed"
    with pytest.raises(NotNow, match="match_started"):
        lobby.close_match(playing(), "ann")


def test_a_match_that_bots_alone_are_left_at_closes() -> None:
    match = opened(start="by_host", bots=["easy"])
    assert after(match, lobby.leave_seat(match, "ann")).status == "ended"


def test_a_match_that_nobody_starts_expires_after_a_day() -> None:
    match = sit(opened(start="by_host"), "bob")
    assert match.due == NOON + timedelta(days=1)
    with pytest.raises(NotNow, match="not_due"):
        table.time_out(PICO, match, lambda *_: None, replace(WORLD, now=NOON + timedelta(hours=23)))
    match = after(match, table.time_out(PICO, match, lambda *_: None, replace(WORLD, now=NOON + timedelta(days=1))))
    assert match.result is not None
    assert match.result.reason == "expired"


def test_a_rematch_keeps_the_terms_and_moves_everybody_one_seat_on() -> None:
    old = finished()
    entries = lobby.rematch(PICO, old, "mat_next", "bob", "seed of its own", WORLD)
    match = fold(PICO, Match("mat_next"), entries)
    assert match.agreed == replace(
        TERMS, host="bob", rematch_of="mat_test", kept_for=("bob", "ann"), commitment="seed of its own", clock=old.agreed.clock
    )
    assert match.seat_of("bob") == 0
    assert match.status == "open"


def test_a_rematch_against_a_bot_begins_at_once() -> None:
    old = opened(bots=["easy"])
    old = after(old, table.resign(PICO, old, "ann"))
    entries = lobby.rematch(PICO, old, "mat_next", "ann", "", WORLD)
    assert [type(entry.event) for entry in entries[1:4]] == [SeatTaken, BotSeated, Started]
    assert fold(PICO, Match("mat_next"), entries).chairs[0].bot_level == "easy"


def test_there_is_no_rematch_of_a_match_that_was_not_played_nor_for_others() -> None:
    closed = after(opened(), lobby.close_match(opened(), "ann"))
    for match in (playing(), opened(), closed):
        with pytest.raises(NotNow, match="match_not_over"):
            lobby.rematch(PICO, match, "mat_next", "ann", "", WORLD)
    with pytest.raises(NotAllowed, match="not_seated"):
        lobby.rematch(PICO, finished(), "mat_next", "eve", "", WORLD)
