"""Whole matches of any game, played at random but the same every time, for the laws to look at."""

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

import msgspec
from msgspec import structs

from domain.match.game import AnyGame, Outcome, Refused, Request, Roll, Viewer, Waiting
from domain.match.play import Fate
from tests.laws import samples
from tests.table import Match, Moment, Table

MATCHES = 40
CHOICES_MAX = 10_000
"""A match that takes more choices counts as one that never ends."""
MOMENTS = 12
"""How many moments of a match a law looks at when looking costs time."""


Pick = Callable[[Match, random.Random], tuple[int, Any]]


def tables(game: AnyGame) -> list[Table]:
    """Few tables, at which every value of an option meets every value of each other one, and every number of seats."""
    every = [Table(game, options, seats) for options in samples.options(game) for seats in game.seats]
    unmet = set().union(*map(meetings, every))
    chosen: list[Table] = []
    while unmet:
        chosen.append(max(every, key=lambda table: len(meetings(table) & unmet)))
        unmet -= meetings(chosen[-1])
    return chosen


def meetings(table: Table) -> set[Any]:
    """Any two values of this table's options and seats, or the one there is, each with its place among them."""
    values = [table.seats, *structs.astuple(table.options)]
    return set(combinations(enumerate(values), min(2, len(values))))


def random_choice(match: Match, luck: random.Random) -> tuple[int, Any]:
    seat = luck.choice(sorted(match.now.waiting))
    return seat, luck.choice(match.game.choices(match.now.state, seat))


def first_choice(match: Match, luck: random.Random) -> tuple[int, Any]:
    seat = min(match.now.waiting)
    return seat, match.game.choices(match.now.state, seat)[0]


def played(table: Table, seed: int, pick: Pick = random_choice) -> Match:
    """A match played to its end, or given up without a result after `CHOICES_MAX` choices."""
    luck = random.Random(seed)
    match = Match(table, chance(seed)).begin()
    while match.result is None and len(match.moments) <= CHOICES_MAX:
        match.choose(*pick(match, luck))
    return match


def sample(game: AnyGame, matches: int = MATCHES) -> list[Match]:
    """At least so many matches, and as many at each of the game's `tables`."""
    every = tables(game)
    return [played(table, seed) for seed in range(-(-matches // len(every))) for table in every]


def chance(seed: int) -> Fate:
    """Outcomes that depend on nothing but the seed, the draw's number and what is asked for."""

    def outcome(number: int, request: Request) -> Outcome:
        luck = random.Random(f"{seed} {number}")
        if isinstance(request, Roll):
            return tuple(luck.randint(1, request.sides) for _ in range(request.dice))
        return tuple(luck.sample(request.items, len(request.items)))

    return outcome


def some(match: Match) -> Iterator[Moment]:
    """The first moment of a match, its end, and others spread evenly between them."""
    last = len(match.moments) - 1
    yield from (match.moments[at] for at in sorted({last * n // MOMENTS for n in range(MOMENTS + 1)}))


def refusal(game: AnyGame, state: Any, seat: int, command: Any) -> tuple[str, str] | None:
    """The code and the clause by which the rules refuse this command, or None."""
    try:
        game.decide(state, seat, command)
    except Refused as no:
        return no.code, no.clause
    return None


def secret(game: AnyGame, moment: Moment) -> bool:
    owed = game.advance(moment.state)
    return isinstance(owed, Waiting) and owed.secret


def feed(game: AnyGame, events: Sequence[Any], viewer: Viewer) -> bytes:
    """What a viewer is told of these events, as it goes out."""
    return msgspec.json.encode([game.veil(event, viewer) for event in events])


def seen(game: AnyGame, state: Any, viewer: Viewer) -> bytes:
    """What a viewer sees of the table, as it goes out."""
    return msgspec.json.encode(game.view(state, viewer))
