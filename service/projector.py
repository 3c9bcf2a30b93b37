"""What one viewer sees: the one way from a match to its view, and from its log to a feed. Every route goes through here."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Annotated, Literal

import msgspec

from domain.games import GAMES, AnyCommand, AnyEvent, AnyOptions, AnyView
from domain.match.events import Spectators, Visibility, veil
from domain.match.game import Result, Seat, Viewer
from domain.match.lobby import NotAllowed
from domain.match.state import AnyMatch, Status
from service.players import Player, Timestamp
from service.store.codec import Record


class SeatView(msgspec.Struct, frozen=True):
    """One seat of a match, as everybody sees it."""

    seat: Seat
    kind: Literal["open", "player", "bot"]
    player_id: Annotated[str | None, msgspec.Meta(description="Who sits here; null for an open seat and for a bot.")]
    display_name: Annotated[str | None, msgspec.Meta(description="The player's name at present; null for an open seat.")]
    bot_level: Annotated[str | None, msgspec.Meta(description="How well the bot plays; null unless a bot sits here.")]
    stand_in: Annotated[bool, msgspec.Meta(description="Whether a bot plays for the player who left; the seat stays theirs.")]


class Decision(msgspec.Struct, frozen=True):
    """A choice that your seat owes. Send one of `choices` as `command`, and `decision` with it."""

    decision: Annotated[str, msgspec.Meta(description="Id of the question. It stays the same while others answer theirs.")]
    seat: Seat
    deadline_at: Annotated[Timestamp | None, msgspec.Meta(description="When the clock answers for you; null without a clock.")]
    choices: Annotated[
        tuple[AnyCommand, ...], msgspec.Meta(description="Everything the rules allow now, ready to send, in a natural order.")
    ]


class Clock(msgspec.Struct, frozen=True):
    """How long a seat may think, and what happens then."""

    turn_seconds: Annotated[int, msgspec.Meta(ge=5, le=604_800)]
    talk_seconds: Annotated[int, msgspec.Meta(ge=5, le=604_800)] | None
    on_timeout: Literal["auto", "bot", "resign"]


class MatchView(msgspec.Struct, frozen=True):
    """A match through your eyes: all that a screen needs, and nothing that you may not know."""

    match_id: str
    game: Annotated[str, msgspec.Meta(description="Key of the game.")]
    ruleset: Annotated[int, msgspec.Meta(description="Version of the game's rules that this match is played by.")]
    status: Status
    version: Annotated[int, msgspec.Meta(description="How many events the match has; the cursor for `list_events`.")]
    options: AnyOptions
    visibility: Visibility
    spectators: Spectators
    clock: Annotated[Clock | None, msgspec.Meta(description="Null: nobody is hurried.")]
    seats: tuple[SeatView, ...]
    you: Annotated[Seat | None, msgspec.Meta(description="Your seat; null when you only watch.")]
    host: Annotated[str, msgspec.Meta(description="Player id of the host, who may start the match.")]
    waiting_for: Annotated[tuple[Seat, ...], msgspec.Meta(description="Seats that owe a choice now.")]
    decisions: Annotated[tuple[Decision, ...], msgspec.Meta(description="The choices that your own seat owes.")]
    table: Annotated[AnyView | None, msgspec.Meta(description="The game itself; null before the start.")]
    result: Annotated[Result | None, msgspec.Meta(description="Null until the match has ended.")]
    rematch: Annotated[str | None, msgspec.Meta(description="Id of the match that follows this one, once there is one.")]
    invite: Annotated[str | None, msgspec.Meta(description="The invitation code, for the host of a private match; else null.")]
    server_time: Timestamp


class Item(msgspec.Struct, frozen=True):
    """One event of a match through your eyes. What you may not know yet is null; the event keeps its type and shape."""

    version: Annotated[int, msgspec.Meta(ge=1, description="The event's place in the match, from 1, without gaps.")]
    at: Timestamp
    seat: Annotated[Seat | None, msgspec.Meta(description="The seat whose choice this is; null for what the rules or the house did.")]
    seal: Annotated[str | None, msgspec.Meta(description="Binds a secret choice when it is made; null where there is none.")]
    event: AnyEvent


def viewer_of(match: AnyMatch, caller: Player | None) -> Viewer:
    """Through whose eyes this caller sees the match. Raises `NotAllowed` when it admits no spectators."""
    seat = None if caller is None else match.seat_of(caller.player_id)
    if seat is None and match.status != "open" and match.agreed.spectators == "none":
        raise NotAllowed("no_spectators")
    return seat


def view(match: AnyMatch, viewer: Viewer, names: Mapping[str, str], now: datetime) -> MatchView:
    """The match through this viewer's eyes; `names` are the display names of the players who sit."""
    game, terms = GAMES[match.agreed.game], match.agreed
    return MatchView(
        match_id=match.match_id,
        game=terms.game,
        ruleset=terms.ruleset,
        status=match.status,
        version=match.version,
        options=terms.options,
        visibility=terms.visibility,
        spectators=terms.spectators,
        clock=None,
        seats=seats(match, names),
        you=viewer,
        host=match.host,
        waiting_for=tuple(owed.seat for owed in match.owed),
        decisions=_decisions(match, viewer),
        table=None if match.table is None else game.view(match.table, viewer),
        result=match.result,
        rematch=None,
        invite=None,
        server_time=whole_seconds(now),
    )


def seats(match: AnyMatch, names: Mapping[str, str]) -> tuple[SeatView, ...]:
    """Who sits where; `names` are the display names of the players who sit."""
    return tuple(_seat(seat, chair.player_id, names) for seat, chair in enumerate(match.chairs))


def feed(match: AnyMatch, records: Iterable[Record], viewer: Viewer) -> tuple[Item, ...]:
    """These records of the match through this viewer's eyes."""
    game = GAMES[match.agreed.game]
    return tuple(_item(record, veil(game, record.entry.event, viewer)) for record in records)


def unveiled(records: Iterable[Record]) -> tuple[Item, ...]:
    """These records as they are: for a match that has ended, whose whole record is open."""
    return tuple(_item(record, record.entry.event) for record in records)


def whole_seconds(moment: datetime) -> datetime:
    """The moment as the API writes it: UTC without fractions, which some clients cannot read."""
    return moment.astimezone(UTC).replace(microsecond=0)


def _item(record: Record, event: AnyEvent) -> Item:
    return Item(record.version, whole_seconds(record.at), record.entry.seat, None, event)


def _seat(seat: int, player_id: str | None, names: Mapping[str, str]) -> SeatView:
    return SeatView(
        seat=seat,
        kind="open" if player_id is None else "player",
        player_id=player_id,
        display_name=None if player_id is None else names.get(player_id, ""),
        bot_level=None,
        stand_in=False,
    )


def _decisions(match: AnyMatch, viewer: Viewer) -> tuple[Decision, ...]:
    decision = None if viewer is None else match.decision(viewer)
    if viewer is None or decision is None:
        return ()
    choices = GAMES[match.agreed.game].choices(match.table, viewer)
    return (Decision(decision, viewer, None, tuple(choices)),)
