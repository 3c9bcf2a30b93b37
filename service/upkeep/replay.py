"""A match played again from its own log: the recorded choices and draws through today's rules, event by event.

Draws are not drawn again but taken as recorded; that they are the ones of the match's seed is checked by `service.upkeep.audit`.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import msgspec
from msgspec.structs import replace

from domain.match import lobby, table
from domain.match.events import (
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
from domain.match.game import AnyGame, Outcome, Refused, Request
from domain.match.play import Entry, NotNow, fits
from domain.match.state import AnyMatch, fold
from domain.match.table import NotAllowed, Unfit, World, joined
from service import chance
from service.store.codec import Record

CLOCK_TOLERANCE = timedelta(minutes=1)
"""The clock of a match is set by the process and its events are stamped by the database, a moment later."""


class Departed(Exception):
    """The log departs from the rules at the event `version`."""

    def __init__(self, version: int, what: str) -> None:
        super().__init__(f"event {version} {what}")
        self.version = version


def replay(game: AnyGame, blank: AnyMatch, appends: Sequence[Sequence[Record]]) -> None:
    """Play a match again, one append after the other, from a match without events. Raises `Departed` where its log says otherwise."""
    match = blank
    for append in appends:
        for record, again in zip(append, _again(game, match, append), strict=True):
            if not _same(record.entry, again):
                raise Departed(record.version, "is not what the rules make of the events before it")
        match = fold(game, match, [record.entry for record in append])


def _again(game: AnyGame, match: AnyMatch, append: Sequence[Record]) -> tuple[Entry, ...]:
    """The entries of one append, made by the domain itself."""
    world = _recorded_world(append)
    made: tuple[Entry, ...] = ()
    while len(made) < len(append):
        left = append[len(made) :]
        try:
            step = _step(game, match, [record.entry for record in left], world)
        except (Refused, NotNow, NotAllowed, Unfit) as refusal:
            raise Departed(left[0].version, f"was not possible then: {refusal}") from refusal
        if step is None or len(step) > len(left):
            raise Departed(left[0].version, "is not what the rules make of the events before it")
        made, match = made + step, fold(game, match, step)
    return joined(made)


def _recorded_world(append: Sequence[Record]) -> World:
    """The moment of an append, its draws and its seals, as they were recorded."""
    draws = {record.entry.draw.number: (record.version, record.entry.draw) for record in append if record.entry.draw is not None}
    seals = {record.version: record.entry.sealed.seal for record in append if record.entry.sealed is not None}

    def fate(number: int, request: Request) -> Outcome:
        version, draw = draws.get(number, (append[0].version, None))
        if draw is None or draw.request != request or not fits(request, draw.outcome):
            raise Departed(version, f"does not record draw {number} as the rules ask for it")
        return draw.outcome

    return World(append[0].at, lambda _: fate, lambda _, version, seat, command: seals.get(version, ""), lambda _: chance.luck(b""))


def _step(game: AnyGame, match: AnyMatch, left: Sequence[Entry], world: World) -> tuple[Entry, ...] | None:
    """What the domain answers to whatever caused the first of the entries that are left; None if nothing could cause it."""
    entry = left[0]
    match entry.event:
        case Opened() if match.version == 0:
            return (replace(entry, due=left[-1].due or world.now),)
        case DrawsFixed() if match.version == 1:
            return (replace(entry, due=match.due),)
        case Opened() | DrawsFixed():
            return None
        case SeatTaken(seat, player_id, entropy):
            return lobby.take_seat(game, match, player_id, seat, entropy or "", world)
        case SeatLeft(seat, player_id, _, removed):
            return lobby.remove_player(match, match.host, seat) if removed else lobby.leave_seat(match, player_id)
        case SeatDeclined(_, player_id):
            return lobby.leave_seat(match, player_id)
        case BotSeated(seat, level):
            return lobby.seat_bot(game, match, match.host, seat, level, world)
        case BotRemoved(seat):
            return lobby.remove_bot(match, match.host, seat)
        case Started():
            return table.begin(game, match, world) if match.status == "open" and not any(chair.open for chair in match.chairs) else None
        case TimedOut():
            return (Entry(TimedOut(tuple(owed.seat for owed in match.owed)), owed=match.owed, due=match.due),)
        case ClockMoved(seconds):
            return table.move_clock(match, seconds)
        case Resigned(seat):
            return table.resign(game, match, _player(match, seat))
        case Returned(seat):
            return table.come_back(match, _player(match, seat))
        case Ended(_, reason):
            return _ended(game, match, reason, world)
        case _:
            return _chosen(game, match, left, world)


def _player(match: AnyMatch, seat: int) -> str:
    player_id = match.chairs[seat].player_id if seat < len(match.chairs) else None
    if player_id is None:
        raise NotAllowed("not_seated")
    return player_id


def _ended(game: AnyGame, match: AnyMatch, reason: str, world: World) -> tuple[Entry, ...] | None:
    """The end of a match that no choice and no resignation brought about."""
    if reason == "closed":
        return lobby.close_match(match, match.host)
    if reason == "stopped":
        return table.stop(match)
    if match.due is None or (match.status == "playing" and match.agreed.clock is not None):
        return None
    return table.time_out(game, match, lambda now, seat: game.choices(now.table, seat)[0], replace(world, now=match.due))


def _chosen(game: AnyGame, match: AnyMatch, left: Sequence[Entry], world: World) -> tuple[Entry, ...] | None:
    """What follows from the choice that these entries begin with. Of an open choice only its events are recorded, so it is looked for."""
    seat = left[0].seat
    if seat is None or match.status != "playing" or seat >= len(match.chairs):
        return None
    if (sealed := left[0].sealed) is not None:
        candidates: Sequence[Any] = [msgspec.convert(sealed.command, game.command)]
    else:
        candidates = game.choices(match.table, seat)
    for command in candidates:
        decided = tuple(game.decide(match.table, seat, command))
        if decided == tuple(entry.event for entry in left[: len(decided)]):
            return _choose(game, match, seat, command, world)
    return None


def _choose(game: AnyGame, match: AnyMatch, seat: int, command: Any, world: World) -> tuple[Entry, ...]:
    if match.chairs[seat].manned:
        return table.choose(game, match, _player(match, seat), command, None, world)
    return table.choose_as_bot(game, match, seat, command, str(match.decision(seat)), world)


def _same(recorded: Entry, made: Entry) -> bool:
    if recorded.due is None or made.due is None:
        return _written(recorded) == _written(made)
    return abs(recorded.due - made.due) <= CLOCK_TOLERANCE and _written(replace(recorded, due=None)) == _written(replace(made, due=None))


def _written(entry: Entry) -> bytes:
    return msgspec.json.encode(entry, order="sorted")
