"""What one viewer sees: the one way from a match to its view, and from its log to a feed. Every route goes through here."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Literal, TypeAlias

import msgspec

from domain.games import GAMES, AnyCommand, AnyEvent, AnyOptions, AnyView
from domain.match.events import Clock, Spectators, Start, Visibility, veil
from domain.match.game import IN_SEAT_ORDER, AnyGame, Result, Seat, Viewer, over
from domain.match.state import AnyMatch, Chair, Status
from domain.match.table import NotAllowed
from service.accounts.players import Player
from service.held import UnknownMatch, deadline
from service.moments import Timestamp, whole_seconds
from service.store.codec import Record

SeatKind: TypeAlias = Annotated[
    Literal["open", "player", "bot"], msgspec.Meta(description="Who sits here: nobody yet, a player, or a bot.")
]


class SeatView(msgspec.Struct, frozen=True):
    """One seat of a match, as everybody sees it."""

    seat: Seat
    kind: SeatKind
    player_id: Annotated[str | None, msgspec.Meta(description="Who sits here; null for an open seat and for a bot.")]
    display_name: Annotated[
        str | None,
        msgspec.Meta(
            description="The name at present of the player who sits here, or for whom the seat is kept; empty when they have erased their"
            " account, null where there is none."
        ),
    ]
    bot_level: Annotated[str | None, msgspec.Meta(description="How well the bot plays; null unless a bot sits here.")]
    stand_in: Annotated[
        bool, msgspec.Meta(description="Whether a bot plays for the player who left, or did to the end; the seat stays theirs.")
    ]
    resigned: Annotated[
        bool,
        msgspec.Meta(description="Whether the player gave up and has not come back. In a ranking they come after those who played on."),
    ]
    kept_for: Annotated[
        str | None, msgspec.Meta(description="The player for whom a rematch keeps this open seat; null for one that anybody may take.")
    ]


class Decision(msgspec.Struct, frozen=True):
    """A choice that your seat owes. Send one of `choices` as `command`, and `decision` with it."""

    decision: Annotated[
        str, msgspec.Meta(description="Id of the question, unique within its match alone. It stays the same while others answer theirs.")
    ]
    seat: Seat
    deadline_at: Annotated[Timestamp | None, msgspec.Meta(description="When the clock answers for you; null without a clock.")]
    choices: Annotated[
        tuple[AnyCommand, ...], msgspec.Meta(description="Everything the rules allow now, ready to send, in a natural order.")
    ]


class MatchView(msgspec.Struct, frozen=True):
    """A match through your eyes: all that a screen needs, and nothing that you may not know."""

    match_id: Annotated[str, msgspec.Meta(description="The match's id.")]
    game: Annotated[str, msgspec.Meta(description="Key of the game.")]
    ruleset: Annotated[int, msgspec.Meta(description="Version of the game's rules that this match began by.")]
    status: Status
    version: Annotated[int, msgspec.Meta(description="How many events the match has; the cursor for `list_events`.")]
    options: Annotated[AnyOptions, msgspec.Meta(description="What the players agreed on, every option with its value.")]
    visibility: Visibility
    spectators: Spectators
    clock: Annotated[Clock | None, msgspec.Meta(description="Null: nobody is hurried.")]
    start: Start
    seats: Annotated[tuple[SeatView, ...], IN_SEAT_ORDER, msgspec.Meta(description="Who sits where, in seat order.")]
    you: Annotated[Seat | None, msgspec.Meta(description="Your seat; null when you only watch.")]
    host: Annotated[str, msgspec.Meta(description="Player id of the host, who may start the match.")]
    waiting_for: Annotated[tuple[Seat, ...], msgspec.Meta(description="Seats that owe a choice now.")]
    deadline_at: Annotated[
        Timestamp | None, msgspec.Meta(description="When the clock answers for those who owe a choice; null when nobody is hurried.")
    ]
    decisions: Annotated[tuple[Decision, ...], msgspec.Meta(description="The choices that your own seat owes.")]
    table: Annotated[
        AnyView | None,
        msgspec.Meta(description="The game itself, null before the start. Its `phase` is `over` once the match has ended, however it did."),
    ]
    result: Annotated[Result | None, msgspec.Meta(description="Null until the match has ended.")]
    rematch: Annotated[str | None, msgspec.Meta(description="Id of the match that follows this one, once there is one you may know of.")]
    invite: Annotated[str | None, msgspec.Meta(description="The invitation code, for the host of a private match; else null.")]
    server_time: Annotated[Timestamp, msgspec.Meta(description="The server's clock as it answers: deadlines are to be counted from it.")]


DELAY_EVENTS = 20
"""How many events behind spectators are where the match shows its play with a delay."""


class EventItem(msgspec.Struct, frozen=True):
    """One event of a match through your eyes. What you may not know yet is null; the event keeps its type and shape."""

    version: Annotated[int, msgspec.Meta(ge=1, description="The event's place in the match, from 1, without gaps.")]
    at: Annotated[Timestamp, msgspec.Meta(description="When it happened.")]
    seat: Annotated[Seat | None, msgspec.Meta(description="The seat whose choice this is; null for what the rules or the house did.")]
    seal: Annotated[
        str | None,
        msgspec.Meta(description="Binds the secret choice that this event is of, from the moment it was made; null where there is none."),
    ]
    draw: Annotated[
        int | None, msgspec.Meta(description="Number of the roll or shuffle that this event is the first to show; null where it is not.")
    ]
    event: Annotated[AnyEvent, msgspec.Meta(description="What happened, as far as you may know it.")]


def viewer_of(match: AnyMatch, caller: Player | None) -> Viewer:
    """Through whose eyes this caller sees the match.

    Raises `UnknownMatch` when it is private and not theirs to know of, and `NotAllowed` when it admits no spectators.
    """
    seat = None if caller is None else match.seat_of(caller.player_id)
    if seat is not None:
        return seat
    require_known(match, caller)
    if match.agreed.spectators == "none" and match.status != "open":
        raise NotAllowed("no_spectators")
    return None


def require_known(match: AnyMatch, caller: Player | None) -> None:
    """Raises `UnknownMatch` when the match is private and this caller is not seated, nor is a seat kept for them, nor are they its host."""
    if match.agreed.visibility == "private" and (caller is None or caller.player_id not in (match.host, *match.seated, *match.invited)):
        raise UnknownMatch


def shown_version(spectators: Spectators, status: Status, began: int, version: int, viewer: Viewer) -> int:
    """The version that this viewer may see now: spectators who are shown the play with a delay see an earlier one, and those who are shown
    nothing only hear that it has begun.

    The table as it is laid is never older news: the first event of a game follows from what was agreed on alone.
    """
    if viewer is not None or status != "playing" or spectators == "public":
        return version
    return max(began + 1, version - DELAY_EVENTS) if spectators == "delayed" else began + 1


def view(
    match: AnyMatch, viewer: Viewer, names: Mapping[str, str], now: datetime, *, rematch: str | None = None, invite: str | None = None
) -> MatchView:
    """The match through this viewer's eyes; `names` are the display names of the players who sit, or for whom a seat is kept."""
    terms = match.agreed
    game, deadline_at = GAMES[terms.game], _deadline(match)
    return MatchView(
        match_id=match.match_id,
        game=terms.game,
        ruleset=terms.ruleset,
        status=match.status,
        version=match.version,
        options=terms.options,
        visibility=terms.visibility,
        spectators=terms.spectators,
        clock=terms.clock,
        start=terms.start,
        seats=seats(match.chairs, names, match.status, match.version),
        you=viewer,
        host=match.host,
        waiting_for=tuple([owed.seat for owed in match.owed]),
        deadline_at=deadline_at,
        decisions=_decisions(game, match, viewer, deadline_at),
        table=_table(game, match, viewer),
        result=match.result,
        rematch=rematch,
        invite=invite,
        server_time=whole_seconds(now),
    )


def seats(chairs: Sequence[Chair], names: Mapping[str, str], status: Status, version: int) -> tuple[SeatView, ...]:
    """Who sits where in a match that stands so; `names` are the display names of the players who sit, or for whom a seat is kept."""
    # Whose giving up ended the match left nothing to play: that was the event before its last.
    ended_by = version - 1 if status == "ended" else None
    return tuple([_seat(seat, chair, names, bool(chair.resigned) and chair.resigned != ended_by) for seat, chair in enumerate(chairs)])


def feed(match: AnyMatch, records: Iterable[Record], viewer: Viewer) -> tuple[EventItem, ...]:
    """These records of the match through this viewer's eyes."""
    game = GAMES[match.agreed.game]
    return tuple([_item(record, veil(game, record.entry.event, viewer)) for record in records])


def unveiled(records: Iterable[Record]) -> tuple[EventItem, ...]:
    """These records as they are: for a match that has ended, whose whole record is open."""
    return tuple(_item(record, record.entry.event) for record in records)


def _item(record: Record, event: AnyEvent) -> EventItem:
    entry = record.entry
    return EventItem(
        version=record.version,
        at=whole_seconds(record.at),
        seat=entry.seat,
        seal=None if entry.sealed is None else entry.sealed.seal,
        draw=None if entry.draw is None else entry.draw.number,
        event=event,
    )


def _table(game: AnyGame, match: AnyMatch, viewer: Viewer) -> AnyView | None:
    if match.table is None:
        return None
    seen: AnyView = game.view(match.table, viewer)
    return over(seen) if match.status == "ended" else seen


def _seat(seat: int, chair: Chair, names: Mapping[str, str], stand_in: bool) -> SeatView:
    player_id = chair.player_id or chair.kept_for
    return SeatView(
        seat=seat,
        kind="open" if chair.open else "player" if chair.bot_level is None else "bot",
        player_id=chair.player_id,
        display_name=None if player_id is None else names.get(player_id, ""),
        bot_level=chair.bot_level,
        stand_in=stand_in,
        resigned=bool(chair.resigned),
        kept_for=chair.kept_for,
    )


def _decisions(game: AnyGame, match: AnyMatch, viewer: Viewer, deadline_at: datetime | None) -> tuple[Decision, ...]:
    if viewer is None or not match.chairs[viewer].manned:  # A stand-in chooses for who resigned.
        return ()
    decision = match.decision(viewer)
    if decision is None:
        return ()
    return (Decision(decision, viewer, deadline_at, tuple(game.choices(match.table, viewer))),)


def _deadline(match: AnyMatch) -> datetime | None:
    due = deadline(match)
    return None if due is None else whole_seconds(due)
