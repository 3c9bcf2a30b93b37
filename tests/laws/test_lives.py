"""Laws about the life of a match around its game, whatever people, bots and clocks do and in whatever order."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any
from uuid import UUID

import msgspec
import pytest

from domain.games import GAMES
from domain.match import lobby, table
from domain.match.events import (
    BotRemoved,
    BotSeated,
    ClockMoved,
    Ended,
    Resigned,
    Returned,
    SeatDeclined,
    SeatLeft,
    SeatTaken,
    Started,
    TimedOut,
)
from domain.match.game import AnyGame, Place
from domain.match.play import Entry, NotNow
from domain.match.state import AnyMatch, Match
from domain.match.table import World
from service.store import Stored
from service.store.codec import Origin, decode, encode
from tests.laws.lives import Go, lives
from tests.matches.made import NOON
from tests.rooms import every_game

Life = Sequence[Go]
ORIGIN = Origin("ply_somebody", UUID(int=7))


def what_is_written_is_read_again_and_is_the_same(game: AnyGame, life: Life) -> None:
    for version, entry in enumerate((entry for go in life for entry in go.entries), start=1):
        written = encode(entry, ORIGIN)
        stored = Stored(version, NOON, written.type, written.schema_version, written.data, written.meta)
        assert decode(game, stored).entry == entry


def nothing_follows_the_end(game: AnyGame, life: Life) -> None:
    events = [entry.event for go in life for entry in go.entries]
    ends = [at for at, event in enumerate(events, start=1) if isinstance(event, Ended)]
    assert ends in ([], [len(events)]), f"ended at {ends} of {len(events)}"
    assert (life[-1].after.status == "ended") == bool(ends)


def who_owes_has_a_choice_and_somebody_sees_to_every_match(game: AnyGame, life: Life) -> None:
    """A match that has not ended has a deadline; in play some seat owes a choice that the rules offer."""
    for go in life:
        match = go.after
        if match.status == "ended":
            assert (match.owed, match.due) == ((), None)
            continue
        assert match.due is not None, "nobody will ever look after it"
        assert bool(match.owed) == (match.status == "playing")
        for owed in match.owed:
            assert game.choices(match.table, owed.seat), f"seat {owed.seat} owes a choice and has none"


def nobody_has_two_seats_and_no_seat_two_players(game: AnyGame, life: Life) -> None:
    for go in life:
        assert len(go.after.chairs) == go.after.agreed.seats
        assert max(Counter(go.after.seated).values(), default=1) == 1
        assert all(chair.player_id is None or chair.bot_level is None for chair in go.after.chairs)


def a_match_that_waits_is_never_left_by_its_host(game: AnyGame, life: Life) -> None:
    """The host sits, or has opened it without ever sitting down."""
    sat: set[str] = set()
    for go in life:
        sat |= {entry.event.player_id for entry in go.entries if isinstance(entry.event, SeatTaken)}
        if go.after.status == "open":
            assert go.after.host in go.after.seated or go.after.host not in sat


def a_seat_is_kept_for_one_player_until_they_sit_or_do_not_want_it(game: AnyGame, life: Life) -> None:
    """Nobody else sits down there; and who sits already, or has left or been removed, is not waited for."""
    gone = set[str]()
    for go in life:
        kept = {chair.kept_for for chair in go.before.chairs if chair.open and chair.kept_for is not None}
        for event in (entry.event for entry in go.entries):
            if isinstance(event, SeatTaken) and go.before.chairs:
                assert go.before.chairs[event.seat].kept_for in (None, event.player_id)
            if isinstance(event, SeatLeft | SeatDeclined):
                gone.add(event.player_id)
        assert go.after.status == "open" or not go.after.invited
        assert kept == set(go.before.invited), "a seat is kept at which somebody sits"
        assert not {*go.after.seated, *gone} & {*go.after.invited}
        assert max(Counter(go.after.invited).values(), default=1) == 1


def a_rematch_waits_while_its_host_has_somebody_to_wait_with(game: AnyGame, life: Life) -> None:
    """It ends with its host's leaving, and with that of the last other person who sat there or was waited for."""
    for go in life:
        if go.before.terms is None or go.before.agreed.rematch_of is None or go.before.status != "open":
            continue
        events = [entry.event for entry in go.entries]
        left = next((each for each in events if isinstance(each, SeatDeclined) or (isinstance(each, SeatLeft) and not each.removed)), None)
        if left is not None:
            people = {*go.before.seated, *go.before.invited} - {left.player_id}
            reason = "closed" if left.player_id == go.before.host else "declined" if people == {go.before.host} else None
            assert reason == (None if go.after.result is None else go.after.result.reason)


def nobody_sits_or_leaves_in_play(game: AnyGame, life: Life) -> None:
    """Once play has begun the seats are those of the beginning; a player who resigned keeps theirs."""
    playing = [go.after for go in life if go.after.began]
    assert len({tuple((chair.player_id, chair.bot_level) for chair in match.chairs) for match in playing}) <= 1


def the_clock_answers_once_for_those_who_owe(game: AnyGame, life: Life) -> None:
    for go in life:
        for entry in go.entries:
            if isinstance(entry.event, TimedOut):
                assert entry.event.seats == tuple(owed.seat for owed in go.before.owed)
                assert not set(go.before.owed) & set(go.after.owed), "it would answer for the same choice again"


def the_end_ranks_every_seat_of_a_match_that_was_played_and_nobody_else(game: AnyGame, life: Life) -> None:
    match = life[-1].after
    if match.result is not None:
        ranked = sorted(place.seat for place in match.result.ranking)
        assert ranked == (list(range(len(match.chairs))) if match.began else [])
        assert all(1 <= place.rank <= len(match.chairs) for place in match.result.ranking)


Law = Callable[[AnyGame, Life], None]
LAWS: tuple[Law, ...] = (
    what_is_written_is_read_again_and_is_the_same,
    nothing_follows_the_end,
    who_owes_has_a_choice_and_somebody_sees_to_every_match,
    nobody_has_two_seats_and_no_seat_two_players,
    a_match_that_waits_is_never_left_by_its_host,
    a_seat_is_kept_for_one_player_until_they_sit_or_do_not_want_it,
    a_rematch_waits_while_its_host_has_somebody_to_wait_with,
    nobody_sits_or_leaves_in_play,
    the_clock_answers_once_for_those_who_owe,
    the_end_ranks_every_seat_of_a_match_that_was_played_and_nobody_else,
)


@cache
def lives_of(key: str) -> Sequence[Life]:
    return lives(GAMES[key])


@every_game
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(game: AnyGame, law: Law) -> None:
    for life in lives_of(game.key):
        law(game, life)


def test_the_lives_go_through_everything_that_happens_to_matches() -> None:
    every = [life for key in GAMES for life in lives_of(key)]
    happened = {type(entry.event) for life in every for go in life for entry in go.entries}
    assert happened >= {SeatTaken, SeatLeft, SeatDeclined, BotSeated, BotRemoved, Started, TimedOut, ClockMoved, Resigned, Returned, Ended}
    assert any(chair.kept_for is not None for life in every for go in life for chair in go.after.chairs)
    reasons = {match.result.reason for life in every if (match := life[-1].after).result}
    assert reasons >= {"closed", "declined", "expired", "abandoned", "resigned"}
    assert reasons - {"closed", "declined", "expired", "abandoned", "resigned"}, "none of them was played out"


SHEEP = GAMES["black-sheep"]


def any_seat(match: AnyMatch, player_id: str, seat: int | None) -> int:
    return seat or 0


def the_first_open_seat(match: AnyMatch, player_id: str, seat: int | None) -> int:
    for number, chair in enumerate(match.chairs):
        if chair.open:
            return number
    raise NotNow("match_full")


def a_seat_is_left_and_nothing_else(match: AnyMatch, player_id: str) -> tuple[Entry, ...]:
    seat = match.seat_kept_for(player_id) if match.seat_of(player_id) is None else match.seat_of(player_id)
    if match.status != "open" or seat is None:
        raise NotNow("no")
    return (Entry(SeatLeft(seat, player_id, match.host), seat, due=match.due),)


def a_seat_for_everybody(match: AnyMatch, player_id: str) -> int | None:
    return None if match.status == "open" or player_id not in match.seated else 0


def back_and_nothing_owed(match: AnyMatch, player_id: str) -> tuple[Entry, ...]:
    seat = match.seat_of(player_id)
    return () if seat is None or not match.chairs[seat].resigned else (Entry(Returned(seat), seat),)


def resigned_twice(game: AnyGame, match: AnyMatch, seat: int) -> tuple[Entry, ...]:
    end = Entry(Ended(game.standing(match.table), "resigned"))
    return Entry(Resigned(seat), seat), end, end


def half_a_ranking(match: AnyMatch, ranking: Sequence[Place], reason: str) -> Entry:
    return Entry(Ended(tuple(ranking[1:]), reason))


def the_host_stays_the_host(match: AnyMatch, player_id: str) -> tuple[Entry, ...]:
    seat = match.seat_of(player_id)
    if match.status != "open" or seat is None:
        raise NotNow("no")
    return (Entry(SeatLeft(seat, player_id, match.host), seat, due=match.due),)


def the_clock_only_tells(game: AnyGame, match: AnyMatch, bot: Any, world: World) -> tuple[Entry, ...]:
    if not match.owed:
        raise NotNow("not_due")
    return (Entry(TimedOut(tuple(owed.seat for owed in match.owed)), owed=match.owed, due=match.due),)


def a_seat_is_freed_in_play(match: AnyMatch, player_id: str) -> tuple[Entry, ...]:
    seat = match.seat_of(player_id)
    if match.status != "playing" or seat is None:
        raise NotNow("no")
    return (Entry(SeatLeft(seat, player_id, match.host), seat, owed=match.owed, due=match.due),)


FAULTS: tuple[tuple[Law, Any, str, Any], ...] = (
    (what_is_written_is_read_again_and_is_the_same, lobby, "_free", any_seat),
    (nothing_follows_the_end, table, "_resign", resigned_twice),
    (who_owes_has_a_choice_and_somebody_sees_to_every_match, table, "come_back", back_and_nothing_owed),
    (nobody_has_two_seats_and_no_seat_two_players, Match, "seat_of", a_seat_for_everybody),
    (a_match_that_waits_is_never_left_by_its_host, lobby, "leave_seat", the_host_stays_the_host),
    (a_seat_is_kept_for_one_player_until_they_sit_or_do_not_want_it, lobby, "_free", the_first_open_seat),
    (a_rematch_waits_while_its_host_has_somebody_to_wait_with, lobby, "leave_seat", a_seat_is_left_and_nothing_else),
    (nobody_sits_or_leaves_in_play, lobby, "leave_seat", a_seat_is_freed_in_play),
    (the_clock_answers_once_for_those_who_owe, table, "time_out", the_clock_only_tells),
    (the_end_ranks_every_seat_of_a_match_that_was_played_and_nobody_else, table, "_end", half_a_ranking),
)


def judge(game: AnyGame, law: Law, many: int) -> None:
    for life in lives(game, many):
        law(game, life)


@pytest.mark.parametrize(("law", "place", "name", "fault"), FAULTS, ids=[law.__name__ for law, *_ in FAULTS])
def test_a_planted_fault_is_found(monkeypatch: pytest.MonkeyPatch, law: Law, place: Any, name: str, fault: Any) -> None:
    monkeypatch.setattr(place, name, fault)
    with pytest.raises((AssertionError, IndexError, msgspec.ValidationError)):
        judge(SHEEP, law, 60)


def test_every_law_bites() -> None:
    assert {law for law, *_ in FAULTS} == set(LAWS)
