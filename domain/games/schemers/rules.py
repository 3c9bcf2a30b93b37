"""How Schemers is played. Numbers in comments are clauses of RULES.md."""

from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias, assert_never

import msgspec
from msgspec.structs import replace

from domain.games.schemers.commands import Command, CommitDie, Ready
from domain.games.schemers.events import (
    DieCommitted,
    DieRevealed,
    Event,
    ReadyDeclared,
    RoundEnded,
    RoundStarted,
    StakesChosen,
    TalkEnded,
    TargetMet,
    TargetMissed,
    TargetSet,
)
from domain.games.schemers.options import FACES, GOAL, START, Die, Face, Options, Stakes
from domain.match.game import IN_SEAT_ORDER, Advance, Facts, Outcome, Over, Place, Refused, Result, Seat, Waiting, put, ranked

Dice: TypeAlias = tuple[Face | None, ...]
"""The faces of the seats' dice; None where a seat shows none."""

Step: TypeAlias = Literal["start", "talk1", "set1", "talk2", "set2", "settled", "ended"]


class Shown(msgspec.Struct, frozen=True):
    """How often one seat has shown each face in this match, from 1 to 6."""

    first: Annotated[tuple[int, ...], msgspec.Meta(description="As a first die: six counts, of the 1 first.")] = (0,) * len(FACES)
    second: Annotated[tuple[int, ...], msgspec.Meta(description="As a second die: six counts, of the 1 first.")] = (0,) * len(FACES)


class Round(msgspec.Struct, frozen=True):
    """A round that has been settled."""

    round: Annotated[int, msgspec.Meta(description="Its number, from 1.")]
    first: Annotated[Dice, IN_SEAT_ORDER, msgspec.Meta(description="The first dice, in seat order; null for a seat that was out.")]
    target: Annotated[int, msgspec.Meta(description="The sum of the first dice.")]
    second: Annotated[Dice, IN_SEAT_ORDER, msgspec.Meta(description="The second dice, in seat order; null for a seat that was out.")]
    final: Annotated[int, msgspec.Meta(description="The sum of the second dice.")]
    scorer: Annotated[Seat | None, msgspec.Meta(description="The seat that gained the target, if any did.")]
    losers: Annotated[tuple[Seat, ...], msgspec.Meta(description="The seats that lost the target each; none when it was met.")]


class State(msgspec.Struct, frozen=True):
    """A match of Schemers. What belongs to a seat stands in seat order."""

    stakes: Stakes = "100-200"
    goal: int = 0
    rounds_max: int | None = None
    whispers: bool = False
    round: int = 0
    step: Step = "start"
    scores: tuple[int, ...] = ()
    eliminated: tuple[int | None, ...] = ()
    """The round in which each seat went out."""
    ready: tuple[bool, ...] = ()
    committed: Dice = ()
    first: Dice = ()
    target: int | None = None
    second: Dice = ()
    shown: tuple[Shown, ...] = ()
    last_round: Round | None = None


def open(options: Options, seats: int) -> Sequence[Event]:
    start = (START[options.stakes],) * seats  # 1.3
    return [StakesChosen(options.stakes, GOAL[options.stakes], options.rounds_max, options.whispers, start)]


def choices(state: State, seat: int) -> Sequence[Command]:
    match advance(state):
        case Waiting(seats, secret) if seat in seats:
            return [CommitDie(face) for face in FACES] if secret else [Ready()]
    return []


def decide(state: State, seat: int, command: Command) -> Sequence[Event]:
    talking = state.step in ("talk1", "talk2")
    match command:
        case Ready():
            if not talking:
                raise Refused("no_talk_now", "2.7")
            return [ReadyDeclared(seat)]
        case CommitDie(face):
            if talking:
                raise Refused("talk_not_over", "2.6")
            return [DieCommitted(seat, die(state), face)]
        case _:
            assert_never(command)


def advance(state: State) -> Advance[Event]:
    seats = still_in(state)
    match state.step:
        case "start":
            return Facts([RoundStarted(1, seats)])
        case "talk1" | "talk2":
            talking = frozenset(seat for seat in seats if not state.ready[seat])
            return Waiting(talking, secret=False, talk=True) if talking else Facts([TalkEnded(die(state))])  # 2.4
        case "set1" | "set2":
            return dice_advance(state, seats)
        case "settled":
            out = tuple(seat for seat in seats if state.scores[seat] < 0)  # 6.1
            return Facts([RoundEnded(state.round, out, state.scores)])
        case "ended":
            reason = end(state)
            return Over(Result(standing(state), reason)) if reason else Facts([RoundStarted(state.round + 1, seats)])  # 7.7
        case _:
            assert_never(state.step)


def dice_advance(state: State, seats: Sequence[int]) -> Advance[Event]:
    shown = dice(state)
    hidden = [seat for seat in seats if shown[seat] is None]
    setting = frozenset(seat for seat in hidden if state.committed[seat] is None)
    if setting:
        return Waiting(setting, secret=True)  # 3.1, 3.3
    if hidden:
        return Facts([DieRevealed(seat, die(state), face) for seat, face in enumerate(state.committed) if face is not None])  # 3.5
    return Facts([target_set(state) if die(state) == "first" else resolved(state)])


def settle(state: State, outcome: Outcome) -> Sequence[Event]:
    raise AssertionError("nothing in Schemers is left to chance")  # 3.2


def evolve(state: State, event: Event) -> State:
    nobody: Dice = (None,) * len(state.scores)
    match event:
        case StakesChosen(stakes, goal, rounds_max, whispers, scores):
            return opened(replace(state, stakes=stakes, goal=goal, rounds_max=rounds_max, whispers=whispers, scores=scores))
        case RoundStarted(number):
            return replace(state, round=number, step="talk1", first=nobody, target=None, second=nobody)
        case ReadyDeclared(seat):
            return replace(state, ready=put(state.ready, seat, True))
        case TalkEnded(which):
            return replace(state, step="set1" if which == "first" else "set2", ready=(False,) * len(state.ready))  # 2.5
        case DieCommitted(seat, _, face):
            return replace(state, committed=put(state.committed, seat, face))
        case DieRevealed(seat, which, face):
            return revealed(state, seat, which, face)
        case TargetSet(target, scores):
            return replace(state, step="talk2", target=target, scores=scores)
        case TargetMet(target, final, scorer, scores):
            last_round = Round(state.round, state.first, target, state.second, final, scorer, ())
            return replace(state, step="settled", scores=scores, last_round=last_round)
        case TargetMissed(target, final, losers, scores):
            last_round = Round(state.round, state.first, target, state.second, final, None, losers)
            return replace(state, step="settled", scores=scores, last_round=last_round)
        case RoundEnded(number, eliminated, scores):
            out = tuple(number if seat in eliminated else before for seat, before in enumerate(state.eliminated))
            return replace(state, step="ended", eliminated=out, scores=scores)
        case _:
            assert_never(event)


def opened(state: State) -> State:
    seats = len(state.scores)
    nobody: Dice = (None,) * seats
    return replace(
        state,
        eliminated=nobody,
        ready=(False,) * seats,
        committed=nobody,
        first=nobody,
        second=nobody,
        shown=(Shown(),) * seats,
    )


def revealed(state: State, seat: int, which: Die, face: Face) -> State:
    shown, committed = state.shown[seat], put(state.committed, seat, None)
    if which == "first":
        shown = replace(shown, first=counted(shown.first, face))
        return replace(state, committed=committed, first=put(state.first, seat, face), shown=put(state.shown, seat, shown))
    shown = replace(shown, second=counted(shown.second, face))
    return replace(state, committed=committed, second=put(state.second, seat, face), shown=put(state.shown, seat, shown))


def counted(counts: Sequence[int], face: Face) -> tuple[int, ...]:
    return put(counts, face - 1, counts[face - 1] + 1)


def standing(state: State) -> tuple[Place, ...]:
    worth = [(out is None, out or 0, score) for out, score in zip(state.eliminated, state.scores, strict=True)]
    return ranked(state.scores, worth)  # 7.6


def still_in(state: State) -> tuple[int, ...]:
    """The seats that have not been eliminated."""
    return tuple(seat for seat, out in enumerate(state.eliminated) if out is None)


def end(state: State) -> str | None:
    """Why the match is over at the end of this round; None when it goes on."""
    seats = still_in(state)
    if any(state.scores[seat] > state.goal for seat in seats):
        return "goal"  # 7.1, 7.2
    if not seats:
        return "nobody_left"  # 7.3
    if len(seats) == 1:
        return "last_standing"  # 7.4
    return "rounds_max" if state.round == state.rounds_max else None  # 7.5, 7.7


def die(state: State) -> Die:
    """Which of the two dice is being talked about or set."""
    return "first" if state.step in ("talk1", "set1") else "second"


def dice(state: State) -> Dice:
    """Those of the dice being set that have been shown."""
    return state.first if die(state) == "first" else state.second


def total(dice: Dice) -> int:
    return sum(face for face in dice if face is not None)


def lowest(dice: Dice) -> tuple[int, ...]:
    """The seats that show the lowest face."""
    low = min(face for face in dice if face is not None)
    return tuple(seat for seat, face in enumerate(dice) if face == low)


def lowest_alone(dice: Dice) -> int | None:
    """The seat that shows the lowest of the faces shown just once, if there is one."""
    alone = [face for face in dice if face is not None and dice.count(face) == 1]
    return dice.index(min(alone)) if alone else None  # 5.4, 5.5


def target_set(state: State) -> TargetSet:
    paid = tuple(score - (face or 0) for score, face in zip(state.scores, state.first, strict=True))
    return TargetSet(total(state.first), paid)  # 4.1, 4.2


def resolved(state: State) -> TargetMet | TargetMissed:
    assert state.target is not None, "the second dice are set after the target"
    target, final, scores = state.target, total(state.second), state.scores
    if final >= target:  # 5.2
        scorer = lowest_alone(state.second)
        gained = scores if scorer is None else put(scores, scorer, scores[scorer] + target)
        return TargetMet(target, final, scorer, gained)  # 5.3
    losers = lowest(state.second)
    lost = tuple(score - target if seat in losers else score for seat, score in enumerate(scores))
    return TargetMissed(target, final, losers, lost)  # 5.6
