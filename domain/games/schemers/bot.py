"""How a bot plays Schemers: it pays as little as it can, and rehearses the second dice with what the others have shown so far."""

from collections.abc import Sequence

from domain.games.schemers.commands import Command
from domain.games.schemers.options import FACES, Face
from domain.games.schemers.rules import lowest, lowest_alone, total
from domain.games.schemers.views import View
from domain.match.game import Luck

FIRST_DIE = (300, 4, 2, 1, 1, 1)
"""How often each face is the first die. A higher one costs more than it brings in; it is there so that no target is certain."""

REHEARSALS = 150
ROUNDS_TO_TRUST = 20
"""After so many rounds, half of what is expected of a player is what they have shown; the other half is that they think alike."""


def normal(view: View, seat: int, choices: Sequence[Command], luck: Luck) -> Command:
    """Says at once that it is ready; draws its first die from a fixed mixture and its second one from a rehearsed one."""
    match view.phase:
        case "set1":
            return luck.choices(choices, weights=FIRST_DIE)[0]
        case "set2":
            return luck.choices(choices, weights=rehearsed(view, seat, luck))[0]
    return choices[0]


def rehearsed(view: View, seat: int, luck: Luck) -> Sequence[int]:
    """How often to show each face: fictitious play against the others, who show what they have shown so far or think alike.

    Every face is counted once before the first rehearsal, so none is ever ruled out.
    """
    assert view.target is not None, "the second dice are set after the target"
    others = [view.shown[other].second for other in view.still_in if other != seat]
    rounds = view.round - 1
    weights, worth = [1] * len(FACES), [0.0] * len(FACES)
    for _ in range(REHEARSALS):
        trusted = [luck.random() * (rounds + ROUNDS_TO_TRUST) < rounds for _ in others]
        faces = [luck.choices(FACES, weights=shown if trust else weights)[0] for shown, trust in zip(others, trusted, strict=True)]
        for at, face in enumerate(FACES):
            worth[at] += gain((face, *faces), view.target)
        weights[worth.index(max(worth))] += 1
    return weights


def gain(dice: tuple[Face, ...], target: int) -> float:
    """What these second dice bring to the first of them, compared with the mean of the others."""
    others = len(dice) - 1
    if total(dice) < target:
        losers = lowest(dice)
        return target * (len(losers) - 1) / others - target if 0 in losers else target * len(losers) / others
    match lowest_alone(dice):
        case None:
            return 0
        case 0:
            return target
        case _:
            return -target / others
