"""Bots of every game: they choose what they may, at once, and better ones win more."""

import random
import time
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from statistics import fmean
from typing import Any, NamedTuple

import pytest

from domain.match.game import AnyGame
from tests.laws.matches import played, tables
from tests.rooms import every_game
from tests.table import Match, Table

MATCHES = 40
SECONDS_A_MOVE = 0.030


class Move(NamedTuple):
    level: str
    seconds: float


@every_game
def test_a_better_level_wins_more_and_no_level_is_slow(game: AnyGame, capsys: pytest.CaptureFixture[str]) -> None:
    assert list(game.bots) == ["easy", "normal", "hard"][: len(game.bots)]
    for weaker, stronger in pairwise(game.bots):
        moves: list[Move] = []
        places = list(contests(game, stronger, weaker, moves))
        stronger_rank, weaker_rank = (fmean(column) for column in zip(*places, strict=True))
        seconds = [move.seconds for move in moves if move.level == stronger]
        with capsys.disabled():
            report = f"mean rank {stronger_rank:.2f} against {weaker_rank:.2f}, {1000 * fmean(seconds):.1f} ms a move"
            print(f"\n{game.key}: {stronger} against {weaker}: {report}")
        assert fmean(seconds) < SECONDS_A_MOVE
        assert stronger_rank < weaker_rank


def contests(game: AnyGame, stronger: str, weaker: str, moves: list[Move]) -> Iterator[tuple[float, float]]:
    """The rank of one stronger bot and the mean rank of the weaker ones around it, seat after seat and match after match."""
    table = shortest(game)
    for seed in range(MATCHES):
        levels = [stronger if seat == seed % table.seats else weaker for seat in range(table.seats)]
        match = played(table, seed, partial(move, levels=levels, moves=moves))
        assert match.result is not None
        ranks = {place.seat: place.rank for place in match.result.ranking}
        yield ranks.pop(seed % table.seats), fmean(ranks.values())


def shortest(game: AnyGame) -> Table:
    """The table with the options that make for the shortest matches, and few seats."""
    seats = max(2, game.seats[0])
    return min((played(table, 0) for table in tables(game) if table.seats == seats), key=lambda match: len(match.moments)).table


def move(match: Match, luck: random.Random, levels: Sequence[str], moves: list[Move]) -> tuple[int, Any]:
    seat = min(match.now.waiting)
    view, choices = match.game.view(match.now.state, seat), match.game.choices(match.now.state, seat)
    began = time.thread_time()
    choice = match.game.bots[levels[seat]](view, seat, choices, luck)
    moves.append(Move(levels[seat], time.thread_time() - began))
    assert choice in choices
    return seat, choice


@every_game
def test_the_same_view_and_the_same_luck_give_the_same_choice(game: AnyGame) -> None:
    match = played(shortest(game), seed=0)
    for moment in match.moments[:-1]:
        seat = min(moment.waiting)
        for bot in game.bots.values():
            view, choices = match.game.view(moment.state, seat), match.game.choices(moment.state, seat)
            assert bot(view, seat, choices, random.Random(7)) == bot(view, seat, choices, random.Random(7))
