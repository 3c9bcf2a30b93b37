"""A match as its log tells it: who sits, what is owed, the table of its game, the result."""

from collections.abc import Iterable
from functools import reduce
from typing import Any, Generic, Literal, TypeAlias, TypeVar

import msgspec
from msgspec.structs import replace

from domain.match.events import Ended, Opened, SeatLeft, SeatTaken, Started
from domain.match.game import AnyGame, Result, put
from domain.match.play import Entry, Owed

Options = TypeVar("Options")
State = TypeVar("State")

Status: TypeAlias = Literal["open", "playing", "ended"]


class Chair(msgspec.Struct, frozen=True):
    """One seat: who sits there (None: open) and the entropy they sent."""

    player_id: str | None = None
    entropy: str = ""


class Match(msgspec.Struct, Generic[Options, State], frozen=True):
    """A match as its log tells it. `version` is the number of its events; `table` is the game's state once started."""

    match_id: str
    version: int = 0
    status: Status = "open"
    terms: Opened[Options] | None = None
    host: str = ""
    chairs: tuple[Chair, ...] = ()
    draws: int = 0
    owed: tuple[Owed, ...] = ()
    table: State | None = None
    result: Result | None = None

    @property
    def agreed(self) -> Opened[Options]:
        """The terms; every stored match has them."""
        assert self.terms is not None, "a match without an opening"
        return self.terms

    @property
    def seated(self) -> tuple[str, ...]:
        """The players who sit, in seat order."""
        return tuple(chair.player_id for chair in self.chairs if chair.player_id is not None)

    def seat_of(self, player_id: str) -> int | None:
        """Where this player sits, if anywhere."""
        return next((seat for seat, chair in enumerate(self.chairs) if chair.player_id == player_id), None)

    def decision(self, seat: int) -> str | None:
        """The id of the decision that this seat owes; it stays the same while others commit theirs."""
        return next((f"dec_{owed.since}_{seat}" for owed in self.owed if owed.seat == seat), None)


AnyMatch: TypeAlias = Match[Any, Any]


def match_type(game: AnyGame) -> Any:
    """The type of a match of this game, for reading one back from JSON."""
    state: Any = type(game.initial)
    return Match[game.options, state]  # type: ignore[name-defined]


def fold(game: AnyGame, match: AnyMatch, entries: Iterable[Entry]) -> AnyMatch:
    """The match that these entries lead to."""
    return reduce(lambda before, entry: evolve(game, before, entry), entries, match)


def evolve(game: AnyGame, match: AnyMatch, entry: Entry) -> AnyMatch:
    """The match after one more entry."""
    match = replace(match, version=match.version + 1, owed=entry.owed, draws=match.draws if entry.draw is None else entry.draw.number)
    match entry.event:
        case Opened() as terms:
            return replace(match, terms=terms, host=terms.host, chairs=(Chair(),) * terms.seats)
        case SeatTaken(seat, player_id, entropy):
            return replace(match, chairs=put(match.chairs, seat, Chair(player_id, entropy or "")))
        case SeatLeft(seat, _, host):
            return replace(match, chairs=put(match.chairs, seat, Chair()), host=host)
        case Started():
            return replace(match, status="playing", table=game.initial)
        case Ended(ranking, reason):
            return replace(match, status="ended", result=Result(ranking, reason))
        case event:
            return replace(match, table=game.evolve(match.table, event))
