"""Talk has a clock of its own, where the players agreed on one."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from domain.games import GAMES
from domain.match import lobby, table
from domain.match.events import Clock
from domain.match.state import AnyMatch, Match, fold
from tests.matches.conftest import TERMS
from tests.matches.made import NOON, WORLD

SCHEMERS = GAMES["schemers"]


def begun(clock: Clock) -> AnyMatch:
    terms = replace(TERMS, game="schemers", options=SCHEMERS.options(), seats=3, clock=clock)
    entries = lobby.open_match(SCHEMERS, "mat_test", terms, True, "", ("easy", "easy"), WORLD)
    return fold(SCHEMERS, Match("mat_test"), entries)


@pytest.mark.parametrize(("talk_seconds", "talk"), [(300, 300), (None, 60)])
def test_talk_lasts_as_long_as_agreed_and_a_choice_as_long_as_a_choice(talk_seconds: int | None, talk: int) -> None:
    match = begun(Clock(turn_seconds=60, talk_seconds=talk_seconds))
    assert match.due == NOON + timedelta(seconds=30 + talk)
    match = fold(SCHEMERS, match, table.time_out(SCHEMERS, match, lambda *_: None, replace(WORLD, now=NOON + timedelta(seconds=30 + talk))))
    assert match.due == NOON + timedelta(seconds=30 + talk + 60)


def test_a_seat_that_is_ready_leaves_the_time_of_the_others_as_it_is() -> None:
    match = begun(Clock(turn_seconds=60, talk_seconds=300))
    ready = SCHEMERS.choices(match.table, 0)[0]
    after = fold(
        SCHEMERS, match, table.choose(SCHEMERS, match, "ann", ready, match.decision(0), replace(WORLD, now=NOON + timedelta(seconds=100)))
    )
    assert after.due == match.due
    assert [owed.seat for owed in after.owed] == [1, 2]
