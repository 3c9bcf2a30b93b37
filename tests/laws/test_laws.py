"""Every law holds for every game, with every number of seats and every value of every option."""

from collections.abc import Callable, Sequence
from functools import cache
from itertools import combinations

import pytest

from domain.games import GAMES
from domain.match.game import AnyGame
from tests.laws import of_play, of_records, of_secrets, samples
from tests.laws.matches import sample, tables
from tests.rooms import every_game
from tests.table import Match

Law = Callable[[Sequence[Match]], None]
LAWS: Sequence[Law] = (*of_play.LAWS, *of_records.LAWS, *of_secrets.LAWS)


@cache
def matches_of(key: str) -> Sequence[Match]:
    return sample(GAMES[key])


@every_game
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(game: AnyGame, law: Law) -> None:
    law(matches_of(game.key))


@every_game
def test_every_value_of_an_option_meets_every_number_of_seats_and_every_other_value(game: AnyGame) -> None:
    every, chosen = samples.options(game), tables(game)
    assert {table.seats for table in chosen} == set(game.seats)
    for field in game.options.__struct_fields__:
        met = {(getattr(table.options, field), table.seats) for table in chosen}
        assert met == {(getattr(options, field), seats) for options in every for seats in game.seats}
    for one, other in combinations(game.options.__struct_fields__, 2):
        pairs = {(getattr(table.options, one), getattr(table.options, other)) for table in chosen}
        assert pairs == {(getattr(options, one), getattr(options, other)) for options in every}
