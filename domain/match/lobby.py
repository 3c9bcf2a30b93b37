"""The life of a match around its game: open, sit, leave, start, choose, end. A decider of its own, beside the game's.

Every function here answers with the entries to append together, or raises: `NotNow` when the match does not admit it at
present, `NotAllowed` when it is not this player's to do, `Unfit` when what was asked does not fit this match, and the
game's own `Refused`. `evolve` is the only way an entry changes a match, and `veil` says who sees what of an event.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import Annotated, Any, Generic, Literal, TypeAlias, TypeVar, Union

import msgspec
from msgspec.structs import replace

from domain.match.game import AnyGame, Place, Result, Seat, Viewer, put
from domain.match.play import Entry, Fate, NotNow, Owed, Played, play, start

Options = TypeVar("Options")
State = TypeVar("State")

Status: TypeAlias = Literal["open", "playing", "ended"]
Visibility: TypeAlias = Literal["public"]
Spectators: TypeAlias = Literal["none", "public"]
Start: TypeAlias = Literal["when_full", "by_host"]
PlayerId: TypeAlias = Annotated[str, msgspec.Meta(description="The account of a player, an opaque id.")]

FateOf: TypeAlias = Callable[[Sequence[str]], Fate]
"""The draws of a match, once the seats' entropy (hex, seat order, "" where none was sent) is known."""


class NotAllowed(Exception):
    """The match is known to this player, but this is not theirs to do. `code` is a stable snake_case word."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Unfit(Exception):
    """What was asked does not fit this match or its game: `field` of the request, and why as a stable `code`."""

    def __init__(self, code: str, field: str) -> None:
        super().__init__(f"{code} ({field})")
        self.code, self.field = code, field


class Opened(msgspec.Struct, Generic[Options], frozen=True, tag_field="type", tag="match.opened"):
    """The match was opened with these terms, which never change afterwards."""

    game: Annotated[str, msgspec.Meta(description="Key of the game.")]
    ruleset: Annotated[int, msgspec.Meta(description="Version of the game's rules that this match is played by.")]
    options: Options
    seats: Annotated[int, msgspec.Meta(ge=1, description="How many seats the match has.")]
    visibility: Visibility
    spectators: Spectators
    start: Start
    host: PlayerId
    scheme: Annotated[str, msgspec.Meta(description="How dice and shuffles are drawn, so that anyone can check them.")]
    commitment: Annotated[str, msgspec.Meta(description="SHA-256 that binds the server to the seed of this match before anyone sits.")]


class SeatTaken(msgspec.Struct, frozen=True, tag_field="type", tag="match.seat_taken"):
    """A player sat down."""

    seat: Seat
    player_id: PlayerId
    entropy: Annotated[str | None, msgspec.Meta(description="Hidden until the start, when everybody's is published at once.")] = None


class SeatLeft(msgspec.Struct, frozen=True, tag_field="type", tag="match.seat_left"):
    """A player left a seat before the start; the seat is open again."""

    seat: Seat
    player_id: PlayerId
    host: PlayerId


class Seated(msgspec.Struct, frozen=True):
    """Who sits on a seat as play begins, and what they added to the dice."""

    seat: Seat
    player_id: PlayerId
    entropy: Annotated[str, msgspec.Meta(description="Hex that the player sent with `take_seat`; empty where none was sent.")]
    contributed: Annotated[bool, msgspec.Meta(description="Whether the player sent entropy of their own.")]


class Started(msgspec.Struct, frozen=True, tag_field="type", tag="match.started"):
    """Play began with these seats."""

    seats: tuple[Seated, ...]


class Ended(msgspec.Struct, frozen=True, tag_field="type", tag="match.ended"):
    """The match is over; its whole record is open now."""

    ranking: Annotated[tuple[Place, ...], msgspec.Meta(description="Every seat, best first; empty when it was closed before the start.")]
    reason: Annotated[str, msgspec.Meta(description="A stable word: one of the game's reasons, or `closed` before the start.")]


AnyOpened: TypeAlias = Opened[Any]


def log_events(options: Any, *events: Any) -> Any:
    """The union of all events that the log of a match may hold, given the types of a game's options and events."""
    return Union[(Opened[options], SeatTaken, SeatLeft, Started, Ended, *events)]


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


def open_match(game: AnyGame, match_id: str, terms: AnyOpened, sit: bool, entropy: str, fate_of: FateOf) -> tuple[Entry, ...]:
    """Open a match by these terms; the host takes seat 0 unless they do not want to sit."""
    if terms.seats not in game.seats:
        raise Unfit("seats_not_allowed", "seats")
    entries = (Entry(terms),)
    if not sit:
        return entries
    return entries + take_seat(game, fold(game, Match(match_id), entries), terms.host, 0, entropy, fate_of)


def take_seat(game: AnyGame, match: AnyMatch, player_id: str, seat: int | None, entropy: str, fate_of: FateOf) -> tuple[Entry, ...]:
    """Sit down, on this seat or the first open one; a match that starts when full starts with the last seat."""
    _require_open(match)
    if match.seat_of(player_id) is not None:
        raise NotNow("already_seated")
    free = [number for number, chair in enumerate(match.chairs) if chair.player_id is None]
    if seat is not None and seat >= len(match.chairs):
        raise Unfit("no_such_seat", "seat")
    if not free:
        raise NotNow("match_full")
    if seat is not None and seat not in free:
        raise NotNow("seat_taken")
    taken = SeatTaken(free[0] if seat is None else seat, player_id, entropy or None)
    entries = (Entry(taken, taken.seat),)
    if len(free) > 1 or match.agreed.start == "by_host":
        return entries
    return entries + _begin(game, fold(game, match, entries), fate_of)


def leave_seat(match: AnyMatch, player_id: str) -> tuple[Entry, ...]:
    """Free a seat before the start. The host's leaving passes the host on; when nobody is left the match closes."""
    _require_open(match)
    seat = match.seat_of(player_id)
    if seat is None:
        raise NotAllowed("not_seated")
    others = (other for other in match.seated if other != player_id)
    host = match.host if match.host != player_id else next(others, "")
    left = Entry(SeatLeft(seat, player_id, host or player_id), seat)
    return (left,) if host else (left, Entry(Ended((), "closed")))


def start_match(game: AnyGame, match: AnyMatch, player_id: str, fate_of: FateOf) -> tuple[Entry, ...]:
    """Begin play, at the host's word."""
    _require_open(match)
    if match.host != player_id:
        raise NotAllowed("not_host")
    if len(match.seated) < len(match.chairs):
        raise NotNow("seats_open")
    return _begin(game, match, fate_of)


def choose(game: AnyGame, match: AnyMatch, player_id: str, command: Any, decision: str | None, fate_of: FateOf) -> tuple[Entry, ...]:
    """Play a choice of this player's seat. `decision` names the question it answers, if the player says so."""
    if match.status == "ended":
        raise NotNow("match_over")
    seat = match.seat_of(player_id)
    if seat is None:
        raise NotAllowed("not_seated")
    if match.status == "open":
        raise NotNow("match_not_started")
    if not isinstance(command, game.command):
        raise Unfit("command_of_another_game", "command")
    if decision is not None and decision != match.decision(seat):
        raise NotNow("decision_closed")
    fate = fate_of([chair.entropy for chair in match.chairs])
    return _close(match, play(game, match.table, seat, command, match.draws, fate))


def _require_open(match: AnyMatch) -> None:
    if match.status == "ended":
        raise NotNow("match_over")
    if match.status == "playing":
        raise NotNow("match_started")


def _begin(game: AnyGame, match: AnyMatch, fate_of: FateOf) -> tuple[Entry, ...]:
    entropy = [chair.entropy for chair in match.chairs]
    started = Started(
        tuple(Seated(seat, chair.player_id or "", chair.entropy, bool(chair.entropy)) for seat, chair in enumerate(match.chairs))
    )
    played = start(game, match.agreed.options, len(match.chairs), fate_of(entropy))
    return (Entry(started), *_close(replace(match, version=match.version + 1), played))


def _close(match: AnyMatch, played: Played) -> tuple[Entry, ...]:
    """The entries of one go, with the match's end if the game is over, and with what the seats owe at the last of them."""
    if played.result is not None:
        return (*played.entries, Entry(Ended(played.result.ranking, played.result.reason)))
    version = match.version + len(played.entries)
    before = {owed.seat: owed.since for owed in match.owed}
    # While one simultaneous choice goes on, each commit only takes its own seat out of it: the others' questions are the
    # same as before. Anything else that happened puts a new question.
    same = played.waiting < before.keys() and all(entry.seat in before for entry in played.entries)
    owed = tuple(Owed(seat, before[seat] if same else version) for seat in sorted(played.waiting))
    return (*played.entries[:-1], replace(played.entries[-1], owed=owed))


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


def veil(game: AnyGame, event: Any, viewer: Viewer) -> Any:
    """What a viewer sees of an event of the match or of its game."""
    match event:
        case SeatTaken():
            return replace(event, entropy=None)
        case Opened() | SeatLeft() | Started() | Ended():
            return event
        case _:
            return game.veil(event, viewer)
