"""What the normal bot of Schemers makes of a table: it mixes where it knows nothing, and answers what the others have shown."""

import random
from collections import Counter
from collections.abc import Sequence
from statistics import fmean

import pytest

from domain.games.schemers import GAME
from domain.games.schemers.bot import gain, normal
from domain.games.schemers.commands import CommitDie, Ready
from domain.games.schemers.events import TargetMet, TargetMissed, TargetSet
from domain.games.schemers.options import FACES, Face, Options
from tests.table import Match, Table

Dice = Sequence[Face]

DRAWS = 60


def test_the_first_die_is_nearly_always_a_1() -> None:
    match = begun(seats=3)
    everyone(match, [Ready()] * 3)
    assert drawn(match)[1] > 0.9 * DRAWS


def test_the_second_die_is_mixed_and_low_when_the_target_is() -> None:
    faces = drawn(before_second_dice(begun(seats=4), (1, 1, 1, 1)))
    assert len(faces) > 1
    assert faces[1] + faces[2] > 0.5 * DRAWS


@pytest.mark.parametrize(("first", "best"), [((6, 6, 6), {6}), ((5, 6, 6), {5}), ((4, 6, 6), {4, 5})])
def test_against_players_who_always_show_a_6_it_shows_enough_and_gains_if_it_can(first: Dice, best: set[Face]) -> None:
    match = begun(seats=3)
    for _ in range(60):
        before_second_dice(match, (1, 1, 1))
        everyone(match, [CommitDie(6)] * 3)
    faces = drawn(before_second_dice(match, first))
    assert sum(faces[face] for face in best) > 0.5 * DRAWS


@pytest.mark.parametrize("seats", [*GAME.seats])
def test_what_it_takes_dice_to_bring_is_what_the_rules_make_of_them(seats: int) -> None:
    luck = random.Random(seats)
    for _ in range(20):
        first, second = ([luck.choice(FACES) for _ in range(seats)] for _ in range(2))
        match = before_second_dice(begun(seats), first)
        everyone(match, [CommitDie(face) for face in second])
        [paid] = [event for event in match.events if isinstance(event, TargetSet)]
        [settled] = [event for event in match.events if isinstance(event, TargetMet | TargetMissed)]
        own, *others = (after - before for before, after in zip(paid.scores, settled.scores, strict=True))
        assert gain(tuple(second), paid.target) == pytest.approx(own - fmean(others))


def begun(seats: int) -> Match:
    return Match(Table(GAME, Options(), seats), lambda number, request: ()).begin()


def before_second_dice(match: Match, first: Dice) -> Match:
    """The match when these first dice and the second talk are over."""
    everyone(match, [Ready() for _ in first])
    everyone(match, [CommitDie(face) for face in first])
    everyone(match, [Ready() for _ in first])
    return match


def everyone(match: Match, commands: Sequence[Ready | CommitDie]) -> None:
    for seat, command in enumerate(commands):
        match.choose(seat, command)


def drawn(match: Match) -> Counter[Face]:
    """How often the bot on seat 0 shows each face now."""
    view, choices = GAME.view(match.now.state, 0), GAME.choices(match.now.state, 0)
    chosen = [normal(view, 0, choices, random.Random(seed)) for seed in range(DRAWS)]
    return Counter(choice.face for choice in chosen if isinstance(choice, CommitDie))
