"""How a bot plays Pico: it looks a few tricks ahead, solves each trick as a small game of its own, and draws its card from the mixture."""

from collections.abc import Sequence
from functools import lru_cache

from domain.games.pico.commands import Command
from domain.games.pico.options import RED_POINTS, Cards, Edition
from domain.games.pico.rules import taker
from domain.games.pico.views import View
from domain.match.game import Luck

TRICKS_AHEAD = 3
ITERATIONS = 60


def normal(view: View, seat: int, choices: Sequence[Command], luck: Luck) -> Command:
    """Both hands are known, so a fixed card could be foreseen: the card is drawn from the mixed strategy that solves the trick."""
    _, weights = solved(view.edition, view.hands[seat], view.hands[1 - seat], TRICKS_AHEAD)
    weight = dict(zip(view.hands[seat], weights, strict=True))
    return luck.choices(choices, weights=[weight[choice.card] for choice in choices])[0]


@lru_cache(maxsize=10_000)
def solved(edition: Edition, mine: Cards, theirs: Cards, tricks: int) -> tuple[float, tuple[int, ...]]:
    """The lead in red points that `mine` can expect to win over `theirs` in so many tricks, and how often to play each card."""
    if tricks == 0 or min(len(mine), len(theirs)) == 1:
        return 0.0, ()
    gains = [[gain(edition, mine, theirs, (card, other), tricks) for other in theirs] for card in mine]
    return mixed(gains)


def gain(edition: Edition, mine: Cards, theirs: Cards, cards: Cards, tricks: int) -> float:
    """What this trick and the ones after it are worth: the winner scores his card, and only the loser keeps his own."""
    card, other = cards
    points = RED_POINTS[edition]
    if taker(cards) == 0:
        return points[card] + solved(edition, tuple(held for held in mine if held != card), theirs, tricks - 1)[0]
    return -points[other] + solved(edition, mine, tuple(held for held in theirs if held != other), tricks - 1)[0]


def mixed(gains: Sequence[Sequence[float]]) -> tuple[float, tuple[int, ...]]:
    """Fictitious play: each side keeps answering what the other one has played so far; the counts tend to an equilibrium.

    Every card is counted once before the first answer, so none is ever ruled out.
    """
    mine, theirs = [1] * len(gains), [1] * len(gains[0])
    rows = [float(sum(row)) for row in gains]
    columns = [float(sum(column)) for column in zip(*gains, strict=True)]
    for _ in range(ITERATIONS):
        row, column = rows.index(max(rows)), columns.index(min(columns))
        mine[row] += 1
        theirs[column] += 1
        rows = [total + gain[column] for total, gain in zip(rows, gains, strict=True)]
        columns = [total + gain for total, gain in zip(columns, gains[row], strict=True)]
    return (max(rows) / sum(theirs) + min(columns) / sum(mine)) / 2, tuple(mine)
