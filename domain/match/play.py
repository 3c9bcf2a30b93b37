"""The one loop that plays every game: a choice, then everything the rulebook forces, as one list to append together."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, TypeAlias

import msgspec

from domain.match.game import AnyGame, Chance, Facts, Outcome, Over, Request, Result, Roll, Waiting

STEPS_MAX = 1_000
"""A rulebook that forces more steps than this in one go has a bug."""

Fate: TypeAlias = Callable[[int, Request], Outcome]
"""What comes of a draw: (the draw's number in the match, from 1; what is asked for) -> its outcome."""


class NotNow(Exception):
    """The match does not admit this at present, whatever the rules of its game say. `code` is a stable snake_case word."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Draw(msgspec.Struct, frozen=True, gc=False):
    """One random act of a match, as anyone can check it later: `number` counts the match's draws from 1."""

    number: int
    request: Request
    outcome: Outcome


class Sealed(msgspec.Struct, frozen=True, gc=False):
    """A secret choice as anyone can check it later: the `seal` that was published when it was made, and the command's JSON."""

    seal: str
    command: Any


class Owed(msgspec.Struct, frozen=True, gc=False):
    """A choice that a seat owes; `since` is the version of the match at which it came up."""

    seat: int
    since: int


class Entry(msgspec.Struct, frozen=True, gc=False):
    """One event as it enters the log.

    `seat` is the seat that chose it (None: the rules or the house), `draw` the random act it is the first to show, and
    `sealed` the secret choice it is of. The last event of each go also says what the seats owe after it, and when the clock
    acts if nothing happens (`due`).
    """

    event: Any
    seat: int | None = None
    draw: Draw | None = None
    sealed: Sealed | None = None
    owed: tuple[Owed, ...] = ()
    due: datetime | None = None


class Played(msgspec.Struct, frozen=True):
    """What happened in one go, and where it left the match: who owes a choice now, or the result. `secret`: it began with a choice that
    others may not see yet.
    """

    entries: tuple[Entry, ...]
    left: Waiting | Result
    secret: bool = False

    @property
    def waiting(self) -> frozenset[int]:
        """The seats that owe a choice now."""
        return self.left.seats if isinstance(self.left, Waiting) else frozenset()

    @property
    def result(self) -> Result | None:
        """How the game ended, if it has."""
        return self.left if isinstance(self.left, Result) else None


def fold(game: AnyGame, state: Any, events: Iterable[Any]) -> Any:
    """The state that these events lead to."""
    for event in events:
        state = game.evolve(state, event)
    return state


def start(game: AnyGame, options: Any, seats: int, fate: Fate) -> Played:
    """Begin a match of `game` and play on until somebody must choose."""
    events = game.open(options, seats)
    entries = [Entry(event) for event in events]
    return _forced(game, fold(game, game.initial, events), entries, 0, fate)


def play(game: AnyGame, state: Any, seat: int, command: Any, draws: int, fate: Fate) -> Played:
    """Play one choice of a seat that owes one, and everything it forces.

    `draws` is how many draws the match has made so far. Raises `Refused` when the rules say no, and `NotNow` when this
    seat owes no choice.
    """
    match game.advance(state):
        case Waiting(seats, secret) if seat in seats:
            events = game.decide(state, seat, command)
        case Over():
            raise NotNow("match_over")
        case _:
            raise NotNow("not_your_turn")
    entries = [Entry(event, seat) for event in events]
    return _forced(game, fold(game, state, events), entries, draws, fate, secret)


def _forced(game: AnyGame, state: Any, entries: list[Entry], draws: int, fate: Fate, secret: bool = False) -> Played:
    for _ in range(STEPS_MAX):
        step: Sequence[Any]
        draw: Draw | None = None
        match game.advance(state):
            case Facts(events):
                step = events
            case Chance(request):
                draws += 1
                draw = Draw(draws, request, fate(draws, request))
                assert fits(request, draw.outcome), f"{draw.outcome} is no outcome of {request}"
                step = game.settle(state, draw.outcome)
            case Waiting() as waiting:
                return Played(tuple(entries), waiting, secret)
            case Over(result):
                return Played(tuple(entries), result, secret)
        assert step, "an empty step would loop for ever"
        entries += [Entry(event, draw=draw if n == 0 else None) for n, event in enumerate(step)]
        state = fold(game, state, step)
    raise AssertionError(f"{game.key} forces more than {STEPS_MAX} steps in one go")


def fits(request: Request, outcome: Outcome) -> bool:
    """Whether this outcome can come of this request."""
    match request:
        case Roll(dice, sides):
            return len(outcome) == dice and all(isinstance(face, int) and 1 <= face <= sides for face in outcome)
        case _:
            return Counter(outcome) == Counter(request.items)
