"""A match in play: choosing, the clock, resigning and coming back, until it ends.

Every function here answers with the entries to append together, or raises: `NotNow` when the match does not admit it at
present, `NotAllowed` when it is not this player's to do, `Unfit` when what was asked does not fit this match, and the
game's own `Refused`.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, TypeAlias

import msgspec
from msgspec.structs import replace

from domain.match import fate
from domain.match.events import ClockMoved, Ended, Resigned, Returned, Seated, Started, TimedOut
from domain.match.game import AnyGame, Luck, Outcome, Place, Request, Result, Waiting
from domain.match.play import Entry, Fate, NotNow, Owed, Played, Sealed, fits, play, start
from domain.match.state import AnyMatch, fold

GRACE = timedelta(seconds=30)
"""Added to the first decision of a match, so that nobody's time runs before they have seen the table."""

SILENCE = timedelta(days=30)
"""A match without a clock that nobody touches for so long is abandoned."""

FateOf: TypeAlias = Callable[[Sequence[str]], Fate]
"""The draws of a match, once the seats' entropy (hex, seat order, "" where none was sent) is known."""

SealOf: TypeAlias = Callable[[Sequence[str], int, int, Any], str]
"""The seal of a secret choice: (the seats' entropy, the version of its event, the seat, the command's JSON)."""

BotChoice: TypeAlias = Callable[[AnyMatch, int], Any]
"""What a bot chooses for a seat that owes a choice."""


class World(msgspec.Struct, frozen=True):
    """What the rules may not fetch for themselves: the time, the match's draws and seals, and the luck of a bot's decision."""

    now: datetime
    fate_of: FateOf
    seal_of: SealOf
    luck: Callable[[str], Luck]


class NotAllowed(Exception):
    """The match is known to this player, but this is not theirs to do. `code` is a stable snake_case word."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Unfit(Exception):
    """What was asked does not fit this match or its game: why as a stable `code`, which `field` of the request, and what would fit.

    The field is null for what a request before this one asked for.
    """

    def __init__(self, code: str, field: str | None, fitting: Iterable[int | str] = ()) -> None:
        super().__init__(f"{code} ({field})")
        self.code, self.field, self.fitting = code, field, tuple(fitting)


def begin(game: AnyGame, match: AnyMatch, world: World) -> tuple[Entry, ...]:
    """Begin play with the seats as they are."""
    seats = tuple(
        Seated(seat, chair.player_id, chair.bot_level, chair.entropy, bool(chair.entropy)) for seat, chair in enumerate(match.chairs)
    )
    started = Entry(Started(seats))
    played = start(game, match.agreed.options, len(match.chairs), _fate(match, world))
    return joined((started,), _close(fold(game, match, [started]), played, world.now + GRACE))


def choose(game: AnyGame, match: AnyMatch, player_id: str, command: Any, decision: str | None, world: World) -> tuple[Entry, ...]:
    """Play a choice of this player's seat. `decision` names the question it answers, if the player says so."""
    seat = _own_seat(match, player_id)
    if match.chairs[seat].resigned:
        raise NotNow("resigned")
    return _play(game, match, seat, command, decision, world)


def choose_as_bot(game: AnyGame, match: AnyMatch, seat: int, command: Any, decision: str, world: World) -> tuple[Entry, ...]:
    """Play a choice of a seat that no person plays."""
    if match.status == "ended" or match.chairs[seat].manned:
        raise NotNow("decision_closed")
    return _play(game, match, seat, command, decision, world)


def time_out(game: AnyGame, match: AnyMatch, bot: BotChoice, world: World) -> tuple[Entry, ...]:
    """What the clock does when it is due: it answers for every silent seat at once, or ends a match that nobody touches."""
    if match.due is None or world.now < match.due:
        raise NotNow("not_due")
    if match.status == "open":
        return (Entry(Ended((), "expired")),)
    clock = match.agreed.clock
    if clock is None:
        return (_end(match, game.standing(match.table), "abandoned"),)
    late = tuple(owed.seat for owed in match.owed)
    entries: tuple[Entry, ...] = (Entry(TimedOut(late), owed=match.owed, due=match.due),)
    for seat in late:
        now = fold(game, match, entries)
        if now.status == "ended":
            break
        if clock.on_timeout == "resign" and now.chairs[seat].manned:
            entries = joined(entries, _resign(game, now, seat))
            now = fold(game, match, entries)
        if now.decision(seat) != match.decision(seat):  # The match is over, or has moved on without this seat.
            continue
        command = game.choices(now.table, seat)[0] if clock.on_timeout == "auto" else bot(now, seat)
        entries = joined(entries, _play(game, now, seat, command, None, world))
    return entries


def stop(match: AnyMatch) -> tuple[Entry, ...]:
    """End a match that cannot go on, or must not, as whoever runs the service. It counts for nobody, and asks the rules nothing."""
    if match.status == "ended":
        raise NotNow("match_over")
    return (Entry(Ended((), "stopped")),)


def move_clock(match: AnyMatch, seconds: int) -> tuple[Entry, ...]:
    """Put the match's clock forward, for a test that cannot wait."""
    if match.due is None:
        raise NotNow("match_over")
    return (Entry(ClockMoved(seconds), owed=match.owed, due=match.due - timedelta(seconds=seconds)),)


def resign(game: AnyGame, match: AnyMatch, player_id: str) -> tuple[Entry, ...]:
    """Give up. A match of two ends, and the other one has won; with more seats a bot stands in, unless no person is left to play on."""
    seat = _own_seat(match, player_id)
    if match.chairs[seat].resigned:
        raise NotNow("resigned")
    return _resign(game, match, seat)


def come_back(match: AnyMatch, player_id: str) -> tuple[Entry, ...]:
    """Take one's own seat again after resigning."""
    seat = _own_seat(match, player_id)
    if not match.chairs[seat].resigned:
        raise NotNow("already_seated")
    return (Entry(Returned(seat), seat, owed=match.owed, due=match.due),)


def joined(*parts: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """Several steps as one go: only its last entry says what is owed."""
    *before, last = (entry for part in parts for entry in part)
    return (*(replace(entry, owed=(), due=None) for entry in before), last)


def _own_seat(match: AnyMatch, player_id: str) -> int:
    if match.status == "ended":
        raise NotNow("match_over")
    seat = match.seat_of(player_id)
    if seat is None:
        raise NotAllowed("not_seated")
    if match.status == "open":
        raise NotNow("match_not_started")
    return seat


def _play(game: AnyGame, match: AnyMatch, seat: int, command: Any, decision: str | None, world: World) -> tuple[Entry, ...]:
    if not isinstance(command, game.command):
        raise Unfit("command_of_another_game", "command")
    if decision is not None and decision != match.decision(seat):
        raise NotNow("decision_closed")
    played = play(game, match.table, seat, command, match.draws, _fate(match, world))
    first, *rest = _close(match, played, world.now)
    if played.secret:
        written = msgspec.to_builtins(command)
        first = replace(first, sealed=Sealed(world.seal_of(_entropy(match), match.version + 1, seat, written), written))
    return (first, *rest)


def _entropy(match: AnyMatch) -> list[str]:
    return [chair.entropy for chair in match.chairs]


def _fate(match: AnyMatch, world: World) -> Fate:
    drawn = world.fate_of(_entropy(match)) if match.test_seed is None else fate.fate(fate.key_of_a_test(bytes.fromhex(match.test_seed)))
    return partial(_fixed, match.fixed, drawn) if match.fixed else drawn


def _fixed(outcomes: Sequence[Outcome], drawn: Fate, number: int, request: Request) -> Outcome:
    if number > len(outcomes):
        return drawn(number, request)
    if not fits(request, outcomes[number - 1]):
        raise Unfit("outcome_does_not_fit", None)
    return outcomes[number - 1]


def _close(match: AnyMatch, played: Played, now: datetime) -> tuple[Entry, ...]:
    """The entries of one go, with the match's end if the game is over, and with what the seats owe at the last of them."""
    if isinstance(played.left, Result):
        return (*played.entries, _end(match, played.left.ranking, played.left.reason))
    version = match.version + len(played.entries)
    before = {owed.seat: owed.since for owed in match.owed}
    # While one simultaneous choice goes on, each commit only takes its own seat out of it: the others' questions are the
    # same as before. Anything else that happened puts a new question.
    same = played.left.seats < before.keys() and all(entry.seat in before for entry in played.entries)
    owed = tuple([Owed(seat, before[seat] if same else version) for seat in sorted(played.left.seats)])
    due = match.due if same else now + _time(match, played.left)
    return (*played.entries[:-1], replace(played.entries[-1], owed=owed, due=due))


def _time(match: AnyMatch, waiting: Waiting) -> timedelta:
    clock = match.agreed.clock
    if clock is None:
        return SILENCE
    return timedelta(seconds=clock.talk_seconds if waiting.talk and clock.talk_seconds is not None else clock.turn_seconds)


def _resign(game: AnyGame, match: AnyMatch, seat: int) -> tuple[Entry, ...]:
    resigned = Entry(Resigned(seat), seat, owed=match.owed, due=match.due)
    after = fold(game, match, [resigned])
    if len(match.chairs) == 2:
        return joined((resigned,), (_end(after, game.standing(match.table), "resigned"),))
    if not any(chair.manned for chair in after.chairs):
        return joined((resigned,), (_end(after, game.standing(match.table), "abandoned"),))
    return (resigned,)


def _end(match: AnyMatch, ranking: tuple[Place, ...], reason: str) -> Entry:
    """The end of the match. Seats that resigned and never came back rank after the others, the latest first."""
    there = [place for place in ranking if not match.chairs[place.seat].resigned]
    gone = sorted((place for place in ranking if match.chairs[place.seat].resigned), key=lambda place: -match.chairs[place.seat].resigned)
    places = [replace(place, rank=1 + sum(other.rank < place.rank for other in there)) for place in there]
    places += [replace(place, rank=len(there) + n) for n, place in enumerate(gone, start=1)]
    return Entry(Ended(tuple(places), reason))
