"""A match before the start: open, sit, leave, seat bots, start. A decider of its own, beside the game's.

Every function here answers with the entries to append together, or raises: `NotNow` when the match does not admit it at
present, `NotAllowed` when it is not this player's to do, and `Unfit` when what was asked does not fit this match.
"""

from collections.abc import Collection, Sequence
from datetime import timedelta

from msgspec.structs import replace

from domain.match import table
from domain.match.events import AnyOpened, BotRemoved, BotSeated, DrawsFixed, Ended, SeatDeclined, SeatLeft, SeatTaken
from domain.match.game import AnyGame
from domain.match.play import Entry, NotNow
from domain.match.state import AnyMatch, Chair, Match, fold
from domain.match.table import NotAllowed, Unfit, World, joined

OPEN_FOR = timedelta(days=1)
"""A match that has not begun by then expires."""


def open_match(
    game: AnyGame,
    match_id: str,
    terms: AnyOpened,
    sit: bool,
    entropy: str,
    bots: Sequence[str],
    world: World,
    fixed: DrawsFixed | None = None,
) -> tuple[Entry, ...]:
    """Open a match by these terms; the host takes seat 0 unless they do not want to sit, and the bots the next seats.

    `fixed` is what a test has set of its draws; null for a match that is no test.
    """
    if terms.seats not in game.seats:
        raise Unfit("seats_not_allowed", "seats", game.seats)
    if len(bots) > terms.seats - sit:
        raise Unfit("too_many_bots", "bots")
    if terms.clock is None and terms.visibility == "public":
        raise Unfit("clock_needed", "clock")
    entries: tuple[Entry, ...] = (Entry(terms, due=world.now + OPEN_FOR),)
    if fixed is not None:
        entries += (Entry(fixed),)
    if sit:
        entries += (Entry(SeatTaken(0, terms.host, entropy or None), 0),)
    for seat, level in enumerate(bots, start=int(sit)):
        entries += (Entry(BotSeated(seat, _known(game, level, "bots"))),)
    return _full(game, Match(match_id), entries, world)


def rematch(
    game: AnyGame, match: AnyMatch, match_id: str, host: str, commitment: str, world: World, gone: Collection[str] = ()
) -> tuple[Entry, ...]:
    """Open the match that follows one that was played: the same terms and players, each one seat further on, kept for them.

    No seat is kept for players who are `gone` for good.
    """
    if match.status != "ended" or match.table is None:
        raise NotNow("match_not_over")
    if match.seat_of(host) is None:
        raise NotAllowed("not_seated")
    chairs = (match.chairs[-1], *match.chairs[:-1])
    terms = replace(
        match.agreed,
        ruleset=game.ruleset,
        start="when_full",
        host=host,
        rematch_of=match.match_id,
        kept_for=tuple(None if chair.player_id in gone else chair.player_id for chair in chairs),
        commitment=commitment,
    )
    seat = next(seat for seat, chair in enumerate(chairs) if chair.player_id == host)
    entries: tuple[Entry, ...] = (Entry(terms, due=world.now + OPEN_FOR), Entry(SeatTaken(seat, host), seat))
    for seat, chair in enumerate(chairs):
        if chair.bot_level is not None:
            entries += (Entry(BotSeated(seat, chair.bot_level)),)
    return _full(game, Match(match_id), entries, world)


def take_seat(game: AnyGame, match: AnyMatch, player_id: str, seat: int | None, entropy: str, world: World) -> tuple[Entry, ...]:
    """Sit down, on this seat or the first open one; who resigned comes back to their own.

    A match that starts when full starts with the last seat.
    """
    own = match.seat_of(player_id)
    if match.status == "playing" and own is not None:
        return table.come_back(match, player_id)
    if match.status == "playing" and match.agreed.start == "when_full":
        raise NotNow("match_full")  # That is why it has begun.
    _require_open(match)
    if own is not None:
        raise NotNow("already_seated")
    taken = SeatTaken(_free(match, player_id, seat), player_id, entropy or None)
    return _full(game, match, (Entry(taken, taken.seat),), world)


def leave_seat(match: AnyMatch, player_id: str) -> tuple[Entry, ...]:
    """Free one's seat before the start, or the seat that a rematch keeps for one.

    The host's leaving passes the host on; when no person is left the match closes. A rematch closes without its host, and is void
    when there is nobody any more whom the host could play again.
    """
    _require_open(match)
    seat = match.seat_of(player_id)
    if seat is None:
        seat = match.seat_kept_for(player_id)
    if seat is None:
        raise NotAllowed("not_seated")
    is_rematch = match.agreed.rematch_of is not None
    others = [other for other in (*match.seated, *match.invited) if other != player_id]
    host = match.host
    if host == player_id:
        host = "" if is_rematch or not others else others[0]
    declines = match.chairs[seat].kept_for == player_id
    left = Entry(SeatDeclined(seat, player_id) if declines else SeatLeft(seat, player_id, host or player_id), seat, due=match.due)
    if not host:
        return joined((left,), (Entry(Ended((), "closed")),))
    if is_rematch and others == [host]:
        return joined((left,), (Entry(Ended((), "declined")),))
    return (left,)


def remove_player(match: AnyMatch, host: str, seat: int) -> tuple[Entry, ...]:
    """Free another player's seat before the start, or one that is kept for them, as the host."""
    chair = _for_host(match, host, seat)
    player_id = chair.player_id or chair.kept_for
    if player_id is None:
        raise NotNow("seat_open")
    if player_id == host:
        raise NotNow("own_seat")
    return (Entry(SeatLeft(seat, player_id, host, removed=True), due=match.due),)


def seat_bot(game: AnyGame, match: AnyMatch, host: str, seat: int, level: str, world: World) -> tuple[Entry, ...]:
    """Give an open seat to a bot, as the host; a match that starts when full starts with the last seat."""
    if not _for_host(match, host, seat).open:
        raise NotNow("seat_taken")
    return _full(game, match, (Entry(BotSeated(seat, _known(game, level, "level"))),), world)


def remove_bot(match: AnyMatch, host: str, seat: int) -> tuple[Entry, ...]:
    """Take a bot away before the start, as the host."""
    if _for_host(match, host, seat).bot_level is None:
        raise NotNow("no_bot_there")
    return (Entry(BotRemoved(seat), due=match.due),)


def start_match(game: AnyGame, match: AnyMatch, host: str, fill_with_bots: str | None, world: World) -> tuple[Entry, ...]:
    """Begin play at the host's word, with every seat filled; bots of one level may fill the open ones."""
    _require_host(match, host)
    open_seats = [seat for seat, chair in enumerate(match.chairs) if chair.open]
    if open_seats and fill_with_bots is None:
        raise NotNow("seats_open")
    filled = tuple(Entry(BotSeated(seat, _known(game, str(fill_with_bots), "fill_with_bots"))) for seat in open_seats)
    return joined(filled, table.begin(game, fold(game, match, filled), world))


def close_match(match: AnyMatch, host: str) -> tuple[Entry, ...]:
    """Close a match before the start, as the host."""
    _require_host(match, host)
    return (Entry(Ended((), "closed")),)


def _full(game: AnyGame, match: AnyMatch, entries: tuple[Entry, ...], world: World) -> tuple[Entry, ...]:
    """These entries, and the start if they fill a match that starts when full."""
    after = fold(game, match, entries)
    if after.agreed.start == "when_full" and not any(chair.open for chair in after.chairs):
        return joined(entries, table.begin(game, after, world))
    due = match.due or entries[0].due
    return joined(entries[:-1], (replace(entries[-1], due=due),))


def _free(match: AnyMatch, player_id: str, seat: int | None) -> int:
    if seat is not None and not 0 <= seat < len(match.chairs):
        raise Unfit("no_such_seat", "seat")
    open_seats = [number for number, chair in enumerate(match.chairs) if chair.open]
    if not open_seats:
        raise NotNow("match_full")
    if seat is not None and seat not in open_seats:
        raise NotNow("seat_taken")
    own = match.seat_kept_for(player_id)
    free = [number for number in open_seats if number == own or match.chairs[number].free]
    if not free or (seat is not None and seat not in free):
        raise NotNow("seat_kept")
    if seat is not None:
        return seat
    return free[0] if own is None else own


def _known(game: AnyGame, level: str, field: str) -> str:
    if level not in game.bots:
        raise Unfit("no_such_level", field, game.bots)
    return level


def _for_host(match: AnyMatch, host: str, seat: int) -> Chair:
    _require_host(match, host)
    if not 0 <= seat < len(match.chairs):
        raise Unfit("no_such_seat", "seat")
    return match.chairs[seat]


def _require_host(match: AnyMatch, player_id: str) -> None:
    _require_open(match)
    if match.host != player_id:
        raise NotAllowed("not_host")


def _require_open(match: AnyMatch) -> None:
    if match.status == "ended":
        raise NotNow("match_over")
    if match.status == "playing":
        raise NotNow("match_started")
