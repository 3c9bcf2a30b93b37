"""How a bot plays Little Train: it weighs every roll that may come next by what the train could still become."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations_with_replacement
from math import factorial, inf, prod

from domain.games.little_train import commands
from domain.games.little_train.commands import Command, Mark
from domain.games.little_train.options import FACES, Face, Faces, Sheet
from domain.games.little_train.rules import COUPLE_HAULS, dice_left, marked, marks, train
from domain.games.little_train.views import View
from domain.match.game import Luck

STROKES_PER_DIE = 2
"""For each die left, a turn brings about so many more strokes to the column where they are wanted."""
ENDS_NOW = 0.3
"""How much of a train's worth is what it scores as it stands, since its turn may end before the strokes come."""


def normal(view: View, seat: int, choices: Sequence[Command], luck: Luck) -> Command:
    """The choice worth most. Nothing is hidden, so there is nobody to mislead and nothing to mix."""
    return max(choices, key=lambda choice: worth(view, seat, choice))


def worth(view: View, seat: int, choice: Command) -> float:
    """The points that the train may be expected to score after this choice."""
    sheet = view.sheets[seat]
    match choice:
        case commands.Mark():
            return kept_going(marked(sheet, choice), view.dice)
        case commands.Roll():
            return rolled(sheet, view.dice)
        case commands.Stop():
            return inf if wins(view, seat) else train(sheet).points


def wins(view: View, seat: int) -> bool:
    """Whether this seat builds the last train of the match, and stopping now puts it ahead of everyone else."""
    others = [total for other, total in enumerate(view.totals) if other != seat]
    last = view.game_number == view.games and view.points.count(None) == 1
    return last and bool(others) and view.totals[seat] + train(view.sheets[seat]).points > max(others)


def kept_going(sheet: Sheet, dice: int) -> float:
    """What a sheet is worth to a player who may stop or roll this many dice."""
    return max(train(sheet).points, rolled(sheet, dice))


def rolled(sheet: Sheet, dice: int) -> float:
    """What a sheet is worth when this many dice are rolled: every roll, marked in its best way, weighed by its chance."""
    return sum(
        chance * (max(promise(marked(sheet, choice), left) for choice in choices) if choices else train(sheet).points)
        for chance, choices, left in rolls(dice)
    )


@lru_cache
def rolls(dice: int) -> Sequence[tuple[float, Sequence[Mark], int]]:
    """Every roll of so many dice, whatever the order of its faces: its chance, the choices of how to mark it, and the dice left then."""
    kinds: Faces = tuple(dict.fromkeys(FACES))
    return [(chance(faces), marks(faces), dice_left(faces)) for faces in combinations_with_replacement(kinds, dice)]


def chance(faces: Faces) -> float:
    """How likely these faces are to be rolled, in any order."""
    counts: dict[Face, int] = {face: faces.count(face) for face in faces}
    orders = factorial(len(faces)) // prod(map(factorial, counts.values()))
    return orders * prod((FACES.count(face) / len(FACES)) ** count for face, count in counts.items())


@lru_cache(maxsize=50_000)
def promise(sheet: Sheet, dice: int) -> float:
    """A guess at what a turn will score that has come to this sheet and has this many dice left."""
    return ENDS_NOW * train(sheet).points + (1 - ENDS_NOW) * at_best(sheet, STROKES_PER_DIE * dice)


def at_best(sheet: Sheet, strokes: int) -> int:
    """The most points that a sheet could come to if up to so many strokes were placed freely."""
    best = train(sheet).points
    for couples in range(min(sheet.loco, sheet.tender), max(sheet.loco, sheet.tender) + strokes + 1):
        loco, tender = max(sheet.loco, couples), max(sheet.tender, couples)
        spare = strokes - (loco - sheet.loco) - (tender - sheet.tender)
        if spare < 0:
            break
        wagon = max(sheet.wagon, min(sheet.wagon + spare, COUPLE_HAULS * couples))
        best = max(best, train(Sheet(loco, tender, wagon)).points)
    return best
