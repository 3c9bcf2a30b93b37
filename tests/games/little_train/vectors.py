"""How the rules of Little Train answer the cases of tests/vectors/little-train.json."""

from collections.abc import Mapping, Sequence
from typing import Any

from domain.games.little_train import GAME
from domain.games.little_train.commands import Mark, Roll, Stop
from domain.games.little_train.options import DICE, FACES, Faces, Options, Sheet
from domain.games.little_train.rules import State, totals, train
from domain.match.game import Over
from tests.table import Match, Table

CROSS_AND_LOCOS: Faces = ("cross", "loco", "loco", "loco", "loco")


def options(roll: Faces) -> Any:
    losing = [CROSS_AND_LOCOS[:dice] for dice in range(DICE, len(roll), -1)]
    match = with_rolls([*losing, roll])
    for faces in losing:
        match.choose(0, Roll())
        match.choose(0, Mark("loco", len(faces) - 1))
    match.choose(0, Roll())
    marks = [[choice.column, choice.count] for choice in GAME.choices(match.now.state, 0) if isinstance(choice, Mark)]
    return {"must_stop": match.result is not None, "dice_next": match.now.state.dice, "marks": sorted(marks)}


def score(loco: int, tender: int, wagon: int) -> Any:
    built = train(Sheet(loco, tender, wagon))
    return {"points": built.points, "wagons_left": built.wagons, "couples": built.couples}


def turn(throws: Sequence[Mapping[str, Any]]) -> Any:
    match = with_rolls([throw["roll"] for throw in throws])
    for throw in throws:
        match.choose(0, Roll())
        if throw["mark"] is not None:
            match.choose(0, Mark(*throw["mark"]))
    if match.result is None:
        match.choose(0, Stop())
    state: State = match.now.state
    assert state.last_turn is not None
    sheet = state.last_turn.sheet
    return {
        "sheet": [sheet.loco, sheet.tender, sheet.wagon],
        "forced_stop": state.last_turn.forced,
        "dice_left": state.dice,
        "points": state.last_turn.train.points,
    }


def totals_(rounds: Sequence[Sequence[int]]) -> Any:
    state = State(games=len(rounds), points=tuple(map(tuple, rounds)), games_ended=len(rounds))
    end = GAME.advance(state)
    assert isinstance(end, Over)
    return {"totals": list(totals(state)), "winners": [place.seat for place in end.result.ranking if place.rank == 1]}


def with_rolls(rolls: Sequence[Faces]) -> Match:
    """A match of a player alone, who builds one train and rolls this."""
    match = Match(Table(GAME, Options(games=1), 1), lambda number, request: tuple(1 + FACES.index(face) for face in rolls[number - 1]))
    return match.begin()


ANSWERS = {"options": options, "score": score, "turn": turn, "totals": totals_}
