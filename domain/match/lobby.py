"""The life of a match around its game: open, sit, leave, start, choose, end. A decider of its own, beside the game's.

Every function here answers with the entries to append together, or raises: `NotNow` when the match does not admit it at
present, `NotAllowed` when it is not this player's to do, `Unfit` when what was asked does not fit this match, and the
game's own `Refused`.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from msgspec.structs import replace

from domain.match.events import AnyOpened, Ended, Seated, SeatLeft, SeatTaken, Started
from domain.match.game import AnyGame
from domain.match.play import Entry, Fate, NotNow, Owed, Played, play, start
from domain.match.state import AnyMatch, Match, fold

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
