"""Every law holds for every game, at every table it can have."""

from collections.abc import Callable, Sequence
from functools import cache

import pytest

from domain.games import GAMES
from domain.match.game import AnyGame
from tests.laws import of_play, of_records, of_secrets
from tests.laws.matches import sample
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
