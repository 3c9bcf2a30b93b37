"""How the rules of Schemers answer the cases of tests/vectors/schemers.json."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from domain.games.schemers import GAME
from domain.games.schemers.commands import CommitDie, Ready
from domain.games.schemers.events import Event, RoundEnded, RoundStarted, StakesChosen, TargetMet, TargetMissed, TargetSet
from domain.games.schemers.options import GOAL, Stakes
from domain.games.schemers.rules import Dice, State
from domain.match.game import Result
from domain.match.play import fold, play


class Round(NamedTuple):
    """What happened in one round, and where it left the match."""

    events: Sequence[Event]
    table: State
    result: Result | None


def round_(scores: Sequence[int | None], first: Dice, second: Dice, goal: int) -> Any:
    played = round_played(begun(scores, goal), first, second)
    [paid] = [event for event in played.events if isinstance(event, TargetSet)]
    [settled] = [event for event in played.events if isinstance(event, TargetMet | TargetMissed)]
    [ended] = [event for event in played.events if isinstance(event, RoundEnded)]

    def of_those_in(values: Sequence[int]) -> list[int | None]:
        return [None if before is None else value for before, value in zip(scores, values, strict=True)]

    return {
        "target": paid.target,
        "paid": of_those_in(paid.scores),
        "final": settled.final,
        "success": isinstance(settled, TargetMet),
        "scorer": getattr(settled, "scorer", None),
        "losers": list(getattr(settled, "losers", ())),
        "scores": of_those_in(ended.scores),
        "eliminated": list(ended.eliminated),
        **outcome(played.result),
    }


def game(players: int, start: int, goal: int, rounds: Sequence[Mapping[str, Dice]]) -> Any:
    table, scores_after, result = begun([start] * players, goal), [], None
    for dice in rounds:
        was_in = [out is None for out in table.eliminated]
        _, table, result = round_played(table, dice["first"], dice["second"])
        scores_after.append([score if playing else None for playing, score in zip(was_in, table.scores, strict=True)])
    return {"scores_after": scores_after, **outcome(result)}


def outcome(result: Result | None) -> Any:
    reason = result and result.reason
    return {"winner": result.ranking[0].seat if result and reason in ("goal", "last_standing") else None, "end": reason}


def begun(scores: Sequence[int | None], goal: int) -> State:
    """A table at the beginning of a round, with these scores; None for a seat that is out."""
    stakes: Stakes = next(stakes for stakes in GOAL if GOAL[stakes] == goal)
    written = tuple(-1 if score is None else score for score in scores)
    out = tuple(seat for seat, score in enumerate(scores) if score is None)
    left = tuple(seat for seat, score in enumerate(scores) if score is not None)
    events = [StakesChosen(stakes, goal, None, False, written), RoundEnded(1, out, written), RoundStarted(2, left)]
    table: State = fold(GAME, GAME.initial, events)
    return table


def round_played(table: State, first: Dice, second: Dice) -> Round:
    events: list[Event] = []
    result = None
    for dice in (first, second):
        for command in (lambda face: Ready(), CommitDie):
            for seat, face in enumerate(dice):
                if face is not None:
                    played = play(GAME, table, seat, command(face), 0, lambda number, request: ())
                    happened = [entry.event for entry in played.entries]
                    events, table, result = [*events, *happened], fold(GAME, table, happened), played.result
    return Round(events, table, result)


ANSWERS = {"round": round_, "game": game}
