"""A match as its log tells it: who sits, what is owed and until when, the table of its game, the result."""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any, Generic, Literal, TypeAlias, TypeVar

import msgspec
from msgspec.structs import replace

from domain.match.events import (
    OF_EVERY_GAME,
    BotRemoved,
    BotSeated,
    ClockMoved,
    DrawsFixed,
    Ended,
    Opened,
    Resigned,
    Returned,
    SeatDeclined,
    SeatLeft,
    SeatTaken,
    Started,
    TimedOut,
)
from domain.match.game import AnyGame, Result, put
from domain.match.play import Entry, Owed

Options = TypeVar("Options")
State = TypeVar("State")

Status: TypeAlias = Annotated[
    Literal["open", "playing", "ended"], msgspec.Meta(description="`open` until play begins, then `playing`, at last `ended`.")
]


class Chair(msgspec.Struct, frozen=True, gc=False):
    """One seat: the player or the bot's level (neither: open), and the entropy that the player sent.

    `resigned` is the version at which the player resigned and a bot began to stand in; 0 while they play themselves.
    `kept_for` is the player for whom a rematch keeps this seat, until they sit down or do not want to.
    """

    player_id: str | None = None
    bot_level: str | None = None
    entropy: str = ""
    resigned: int = 0
    kept_for: str | None = None

    @property
    def open(self) -> bool:
        """Whether nobody sits here."""
        return self.player_id is None and self.bot_level is None

    @property
    def free(self) -> bool:
        """Whether anybody may sit here."""
        return self.open and self.kept_for is None

    @property
    def manned(self) -> bool:
        """Whether a person plays this seat."""
        return self.player_id is not None and not self.resigned


class Match(msgspec.Struct, Generic[Options, State], frozen=True, gc=False):
    """A match as its log tells it. `version` is the number of its events; `began` is the version at which play
    began; `table` is the game's state from its first event on.

    `removed` are the players of the match before whom the host has removed from this one, which is a rematch, until they sit down.
    `owed` is what the seats owe, and `due` when the clock acts if nothing happens before. `fixed` are the outcomes of the
    first draws in a match made for a test, and `test_seed` is what its other draws and its bots' luck come from, in hex.
    """

    match_id: str
    version: int = 0
    status: Status = "open"
    terms: Opened[Options] | None = None
    host: str = ""
    chairs: tuple[Chair, ...] = ()
    removed: tuple[str, ...] = ()
    began: int = 0
    draws: int = 0
    fixed: tuple[tuple[int | str, ...], ...] = ()
    test_seed: str | None = None
    owed: tuple[Owed, ...] = ()
    due: datetime | None = None
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
        return tuple([chair.player_id for chair in self.chairs if chair.player_id is not None])

    @property
    def invited(self) -> tuple[str, ...]:
        """The players for whom a seat is kept, in seat order."""
        return tuple([chair.kept_for for chair in self.chairs if chair.kept_for is not None])

    @property
    def bots_owing(self) -> tuple[int, ...]:
        """The seats that owe a choice and that no person plays."""
        return tuple([owed.seat for owed in self.owed if not self.chairs[owed.seat].manned])

    @property
    def players_owing(self) -> tuple[str, ...]:
        """The players who owe a choice, but for those who have resigned."""
        chairs = [self.chairs[owed.seat] for owed in self.owed]
        return tuple([chair.player_id for chair in chairs if chair.player_id is not None and not chair.resigned])

    def seat_of(self, player_id: str) -> int | None:
        """Where this player sits, if anywhere."""
        for seat, chair in enumerate(self.chairs):
            if chair.player_id == player_id:
                return seat
        return None

    def seat_kept_for(self, player_id: str) -> int | None:
        """Which seat is kept for this player, if any."""
        return next((seat for seat, chair in enumerate(self.chairs) if chair.kept_for == player_id), None)

    def decision(self, seat: int) -> str | None:
        """The id of the decision that this seat owes; it stays the same while others commit theirs."""
        for owed in self.owed:
            if owed.seat == seat:
                return decision_id(owed)
        return None


AnyMatch: TypeAlias = Match[Any, Any]


def decision_id(owed: Owed) -> str:
    """The id of the decision that is owed."""
    return f"dec_{owed.since}_{owed.seat}"


def match_type(game: AnyGame) -> Any:
    """The type of a match of this game, for reading one back from JSON."""
    state: Any = type(game.initial)
    return Match[game.options, state]  # type: ignore[name-defined]


def fold(game: AnyGame, match: AnyMatch, entries: Iterable[Entry]) -> AnyMatch:
    """The match that these entries lead to."""
    for entry in entries:
        match = evolve(game, match, entry)
    return match


def evolve(game: AnyGame, match: AnyMatch, entry: Entry) -> AnyMatch:
    """The match after one more entry."""
    event, draws, table = entry.event, match.draws if entry.draw is None else entry.draw.number, match.table
    if not isinstance(event, OF_EVERY_GAME):
        table = game.evolve(game.initial if table is None else table, event)
        return replace(match, version=match.version + 1, owed=entry.owed, due=entry.due, draws=draws, table=table)
    match = replace(match, version=match.version + 1, owed=entry.owed, due=entry.due, draws=draws)
    match event:
        case Opened() as terms:
            kept_for = terms.kept_for or (None,) * terms.seats
            return replace(match, terms=terms, host=terms.host, chairs=tuple(Chair(kept_for=player_id) for player_id in kept_for))
        case DrawsFixed(outcomes, seed):
            return replace(match, fixed=outcomes or (), test_seed=seed)
        case SeatTaken(seat, player_id, entropy):
            kept = match.seat_kept_for(player_id)
            freed = match if kept is None else _with(match, kept, Chair())
            removed = tuple(each for each in match.removed if each != player_id)
            return replace(_with(freed, seat, Chair(player_id=player_id, entropy=entropy or "")), removed=removed)
        case SeatLeft(seat, player_id, host, removed=by_host):
            barred = (player_id,) if by_host and player_id in match.agreed.kept_for else ()
            return replace(_with(match, seat, Chair()), host=host, removed=(*match.removed, *barred))
        case BotSeated(seat, level):
            return _with(match, seat, Chair(bot_level=level))
        case BotRemoved(seat) | SeatDeclined(seat):
            return _with(match, seat, Chair())
        case Started():
            return replace(match, status="playing", began=match.version)
        case Resigned(seat):
            return _with(match, seat, replace(match.chairs[seat], resigned=match.version))
        case Returned(seat):
            return _with(match, seat, replace(match.chairs[seat], resigned=0))
        case Ended(ranking, reason):
            chairs = tuple(Chair() if chair.kept_for is not None else chair for chair in match.chairs)
            return replace(match, status="ended", result=Result(ranking, reason), chairs=chairs)
        case TimedOut() | ClockMoved():
            return match
    raise TypeError(f"nothing is known of {event}")


def _with(match: AnyMatch, seat: int, chair: Chair) -> AnyMatch:
    return replace(match, chairs=put(match.chairs, seat, chair))
