"""What the bot of Little Train knows of the rules, and how well it plays."""

from collections import Counter
from itertools import product
from random import Random
from statistics import fmean

import pytest

from domain.games.little_train import GAME, bot
from domain.games.little_train.commands import Command, Mark, Roll, Stop
from domain.games.little_train.options import EMPTY, FACES, Options, Sheet
from domain.games.little_train.rules import State, marked, settle, train
from domain.match.game import Seat
from domain.match.play import fold
from tests.laws.matches import chance
from tests.table import Match, Table

TRAINS = 100


@pytest.mark.parametrize("dice", range(1, 6))
def test_the_rolls_it_expects_are_those_of_the_rules(dice: int) -> None:
    """All rolls of so many dice, thrown one by one, leave a player the choices and the dice that the bot reckons with."""
    thrown: Counter[tuple[tuple[Mark, ...], int]] = Counter()
    state = State(points=((None,),), sheets=(EMPTY,), turn=0, dice=dice, rolling=True)
    for outcome in product(range(1, len(FACES) + 1), repeat=dice):
        after: State = fold(GAME, state, settle(state, outcome))
        thrown[tuple(choice for choice in GAME.choices(after, 0) if isinstance(choice, Mark)), after.dice] += 1
    expected: Counter[tuple[tuple[Mark, ...], int]] = Counter()
    for likely, ways, left in bot.rolls(dice):
        expected[tuple(ways), left] += round(likely * len(FACES) ** dice)
    assert expected == thrown


@pytest.mark.parametrize("sheet", [EMPTY, Sheet(1, 0, 0), Sheet(0, 3, 2), Sheet(2, 1, 3), Sheet(1, 1, 5), Sheet(4, 2, 7)])
@pytest.mark.parametrize("strokes", range(5))
def test_its_hope_for_a_sheet_is_the_best_that_so_many_strokes_can_make_of_it(sheet: Sheet, strokes: int) -> None:
    sheets = {sheet}
    for _ in range(strokes):
        sheets |= {marked(one, Mark(column, 1)) for one in sheets for column in ("loco", "tender", "wagon")}
    assert bot.at_best(sheet, strokes) == max(train(one).points for one in sheets)


def test_normal_builds_far_better_trains_than_easy(capsys: pytest.CaptureFixture[str]) -> None:
    easy, normal = (fmean(trains(level)) for level in ("easy", "normal"))
    with capsys.disabled():
        print(f"\nlittle-train: a train of normal scores {normal:.1f}, a train of easy {easy:.1f}")
    assert normal > 40 > 0 > easy


def trains(level: str) -> list[int]:
    """What the trains score that a bot of this level builds when it plays alone."""
    scores: list[int] = []
    for seed in range(TRAINS // 10):
        luck, match = Random(seed), Match(Table(GAME, Options(games=10), 1), chance(seed)).begin()
        while match.result is None:
            match.choose(0, chosen(match, 0, level, luck))
        scores += [points for (points,) in match.now.state.points]
    return scores


def test_the_last_player_stops_when_that_wins_the_match() -> None:
    won = State(points=((7, None),), sheets=(EMPTY, Sheet(2, 2, 4)), turn=1, dice=5, roll=None)
    assert best(won, 1) == Stop()
    assert best(State(points=((12, None),), sheets=won.sheets, turn=1, dice=5, roll=None), 1) == Roll()


def best(state: State, seat: Seat) -> Command:
    return bot.normal(GAME.view(state, seat), seat, [Stop(), Roll()], Random(0))


def chosen(match: Match, seat: Seat, level: str, luck: Random) -> Command:
    state = match.now.state
    choice: Command = GAME.bots[level](GAME.view(state, seat), seat, GAME.choices(state, seat), luck)
    return choice
