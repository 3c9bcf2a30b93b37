"""What can happen to a match around its game, and who sees it. Stored for ever: add fields with defaults, never rename one."""

from typing import Annotated, Any, Generic, Literal, TypeAlias, TypeVar, Union

import msgspec
from msgspec.structs import replace

from domain.match.game import IN_SEAT_ORDER, AnyGame, Place, Seat, Viewer

Options = TypeVar("Options")

Visibility: TypeAlias = Annotated[
    Literal["public", "private"],
    msgspec.Meta(description="`public`: everybody finds it; `private`: only those who sit there, its host and whom it invites know of it."),
]
Spectators: TypeAlias = Annotated[
    Literal["none", "public", "delayed"],
    msgspec.Meta(
        description="`none`: only those who sit see the play; `public`: others see what lies open; `delayed`: the same, some events later."
    ),
]
Start: TypeAlias = Annotated[
    Literal["when_full", "by_host"],
    msgspec.Meta(description="When play begins, `when_full`: as soon as every seat is taken; `by_host`: when the host says so."),
]
PlayerId: TypeAlias = Annotated[str, msgspec.Meta(description="The account of a player, an opaque id.")]
Level: TypeAlias = Annotated[str, msgspec.Meta(description="How well a bot plays, one of the game's bot levels.")]

OnTimeout: TypeAlias = Annotated[
    Literal["auto", "bot", "resign"],
    msgspec.Meta(description="`auto` plays the first of the seat's choices, `bot` lets a bot choose, `resign` resigns the seat."),
]


class Clock(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How long a seat may take, and what happens then."""

    turn_seconds: Annotated[
        int, msgspec.Meta(ge=5, le=604_800, description="Time for a choice. The first choice of a match has 30 seconds more.")
    ] = 259_200
    talk_seconds: Annotated[
        Annotated[int, msgspec.Meta(ge=5, le=604_800)] | None,
        msgspec.Meta(description="Time for a phase of talk; null: the same as for a choice."),
    ] = None
    on_timeout: OnTimeout = "auto"


class Opened(msgspec.Struct, Generic[Options], frozen=True, tag_field="type", tag="match.opened"):
    """The match was opened with these terms, which never change afterwards."""

    game: Annotated[str, msgspec.Meta(description="Key of the game.")]
    ruleset: Annotated[int, msgspec.Meta(description="Version of the game's rules that this match began by.")]
    options: Annotated[Options, msgspec.Meta(description="What the players agreed on, every option with its value.")]
    seats: Annotated[int, msgspec.Meta(ge=1, description="How many seats the match has.")]
    visibility: Visibility
    spectators: Spectators
    clock: Annotated[Clock | None, msgspec.Meta(description="Null: nobody is hurried.")]
    start: Start
    host: PlayerId
    rematch_of: Annotated[str | None, msgspec.Meta(description="Id of the match that this one follows, if it is a rematch.")]
    kept_for: Annotated[
        tuple[PlayerId | None, ...],
        IN_SEAT_ORDER,
        msgspec.Meta(description="The player each seat is kept for, in seat order, null where for nobody; empty but in a rematch."),
    ]
    scheme: Annotated[str, msgspec.Meta(description="How dice and shuffles are drawn, so that anyone can check them.")]
    commitment: Annotated[str, msgspec.Meta(description="SHA-256 that binds the server to the seed of this match before anyone sits.")]


class DrawsFixed(msgspec.Struct, frozen=True, tag_field="type", tag="match.draws_fixed"):
    """What the draws bring was set beforehand, so none is fair. Only a server in test mode does this."""

    outcomes: Annotated[
        tuple[tuple[int | str, ...], ...] | None,
        msgspec.Meta(description="Those of the first draws that were set, in the order of the draws; hidden from everybody until the end."),
    ]
    seed: Annotated[
        str | None,
        msgspec.Meta(description="What all other draws come from, in hex, where that was set; hidden from everybody until the end."),
    ] = None


class SeatTaken(msgspec.Struct, frozen=True, tag_field="type", tag="match.seat_taken"):
    """A player sat down."""

    seat: Seat
    player_id: PlayerId
    entropy: Annotated[str | None, msgspec.Meta(description="Hidden until the start, when everybody's is published at once.")] = None


class SeatLeft(msgspec.Struct, frozen=True, tag_field="type", tag="match.seat_left"):
    """A seat is open to anybody again before the start: its player left it, or the host removed them, or whom it was kept for."""

    seat: Seat
    player_id: PlayerId
    host: Annotated[PlayerId, msgspec.Meta(description="Player id of the host from now on.")]
    removed: Annotated[bool, msgspec.Meta(description="Whether the host removed the player; else they left.")] = False


class SeatDeclined(msgspec.Struct, frozen=True, tag_field="type", tag="match.seat_declined"):
    """A player does not want the seat that a rematch kept for them: anybody may have it now."""

    seat: Seat
    player_id: PlayerId


class BotSeated(msgspec.Struct, frozen=True, tag_field="type", tag="match.bot_seated"):
    """The host gave a seat to a bot."""

    seat: Seat
    level: Level


class BotRemoved(msgspec.Struct, frozen=True, tag_field="type", tag="match.bot_removed"):
    """The host took a bot away before the start; its seat is open again."""

    seat: Seat


class Seated(msgspec.Struct, frozen=True):
    """Who sits on a seat as play begins, and what they added to the dice."""

    seat: Seat
    player_id: Annotated[str | None, msgspec.Meta(description="The player; null where a bot sits.")]
    bot_level: Annotated[str | None, msgspec.Meta(description="The bot's level; null where a player sits.")]
    entropy: Annotated[str, msgspec.Meta(description="Hex that the player sent with `take_seat`; empty where none was sent.")]
    contributed: Annotated[bool, msgspec.Meta(description="Whether the player sent entropy of their own.")]


class Started(msgspec.Struct, frozen=True, tag_field="type", tag="match.started"):
    """Play began with these seats."""

    seats: Annotated[tuple[Seated, ...], IN_SEAT_ORDER, msgspec.Meta(description="Who sits where, in seat order.")]


class TimedOut(msgspec.Struct, frozen=True, tag_field="type", tag="match.timed_out"):
    """These seats let their time pass. What the clock does for them follows, as was agreed."""

    seats: Annotated[tuple[Seat, ...], msgspec.Meta(description="The seats that owed a choice and made none.")]


class ClockMoved(msgspec.Struct, frozen=True, tag_field="type", tag="match.clock_moved"):
    """The match's clock was put forward. Only a server in test mode does this."""

    seconds: Annotated[int, msgspec.Meta(description="By how many seconds every deadline came nearer.")]


class Resigned(msgspec.Struct, frozen=True, tag_field="type", tag="match.resigned"):
    """A player gave up. With others still playing, a bot stands in and the seat stays theirs."""

    seat: Seat


class Returned(msgspec.Struct, frozen=True, tag_field="type", tag="match.returned"):
    """A player who had resigned is back on their seat."""

    seat: Seat


class Ended(msgspec.Struct, frozen=True, tag_field="type", tag="match.ended"):
    """The match is over; its whole record is open now."""

    ranking: Annotated[
        tuple[Place, ...], msgspec.Meta(description="Every seat, best first; empty when it ended before the start or was stopped.")
    ]
    reason: Annotated[
        str,
        msgspec.Meta(
            description="One of the game's reasons; `resigned` or `abandoned`; `closed`, `declined` (a rematch) or `expired` before the"
            " start; `stopped` by those who run the service."
        ),
    ]


AnyOpened: TypeAlias = Opened[Any]

_OWN = (DrawsFixed, SeatTaken, SeatLeft, SeatDeclined, BotSeated, BotRemoved, Started, TimedOut, ClockMoved, Resigned, Returned, Ended)

OF_EVERY_GAME = (Opened, *_OWN)
"""The types of the events of matches; all others are events of their games."""


def log_events(options: Any, *events: Any) -> Any:
    """The union of all events that the log of a match may hold, given the types of a game's options and events."""
    return Union[(Opened[options], *_OWN, *events)]


def veil(game: AnyGame, event: Any, viewer: Viewer) -> Any:
    """What a viewer sees of an event of the match or of its game."""
    if not isinstance(event, OF_EVERY_GAME):
        return game.veil(event, viewer)
    match event:
        case SeatTaken():
            return replace(event, entropy=None)
        case DrawsFixed():
            return replace(event, outcomes=None, seed=None)
        case Opened() | SeatLeft() | SeatDeclined() | BotSeated() | BotRemoved() | Started() | Ended():
            return event
        case TimedOut() | ClockMoved() | Resigned() | Returned():
            return event
    raise TypeError(f"it is not known who may see {event}")
