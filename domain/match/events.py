"""What can happen to a match around its game, and who sees it. Stored for ever: add fields with defaults, never rename one."""

from typing import Annotated, Any, Generic, Literal, TypeAlias, TypeVar, Union

import msgspec
from msgspec.structs import replace

from domain.match.game import AnyGame, Place, Seat, Viewer

Options = TypeVar("Options")

Visibility: TypeAlias = Literal["public"]
Spectators: TypeAlias = Literal["none", "public"]
Start: TypeAlias = Literal["when_full", "by_host"]
PlayerId: TypeAlias = Annotated[str, msgspec.Meta(description="The account of a player, an opaque id.")]


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


def veil(game: AnyGame, event: Any, viewer: Viewer) -> Any:
    """What a viewer sees of an event of the match or of its game."""
    match event:
        case SeatTaken():
            return replace(event, entropy=None)
        case Opened() | SeatLeft() | Started() | Ended():
            return event
        case _:
            return game.veil(event, viewer)
