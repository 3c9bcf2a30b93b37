"""Bots of all levels at one table, at every size: no choice of theirs is ever refused, and every match ends."""

import random
from functools import partial
from itertools import cycle, islice

import pytest

from domain.match.game import AnyGame
from tests.games.test_bots import Move, move
from tests.laws.matches import played, tables
from tests.rooms import every_game
from tests.table import Table

MATCHES = 1_000
"""Of each game, in the long run."""


def bounded(game: AnyGame) -> list[Table]:
    """The tables whose matches end soon also among bots that never take a risk."""
    return [table for table in tables(game) if getattr(table.options, "rounds_max", 0) is not None]


def play(game: AnyGame, matches: int) -> None:
    every_table = bounded(game)
    assert {table.seats for table in every_table} == set(game.seats), "a number of seats is left out"
    for seed, table in enumerate(islice(cycle(every_table), matches)):
        luck = random.Random(seed)
        levels = [luck.choice(list(game.bots)) for _ in range(table.seats)]
        moves: list[Move] = []
        match = played(table, seed, partial(move, levels=levels, moves=moves))
        assert match.result is not None
        assert len(match.result.ranking) == table.seats


@every_game
def test_bots_play_at_every_size_and_with_every_option(game: AnyGame) -> None:
    play(game, len(bounded(game)))


@pytest.mark.soak
@pytest.mark.timeout(3_600)
@every_game
def test_a_thousand_matches_of_bots(game: AnyGame) -> None:
    play(game, MATCHES)
