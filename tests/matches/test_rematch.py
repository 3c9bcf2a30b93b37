"""An offer to play again: whom it waits for, who may have the seats, and when it is void."""

from datetime import timedelta

import msgspec
import pytest
from msgspec.structs import replace

from domain.match import lobby, table
from domain.match.events import SeatLeft
from domain.match.play import NotNow
from domain.match.state import AnyMatch, Match, fold
from domain.match.table import NotAllowed
from service.held import Shown, line
from tests.matches.made import NOON, PICO, WORLD, finished
from tests.matches.test_leaving import PLAYERS, SHEEP, dealt, resigned


def of_two() -> AnyMatch:
    """What ann offers bob."""
    return fold(PICO, Match("mat_next"), lobby.rematch(PICO, finished(), "mat_next", "ann", "", WORLD))


def of_four(*gone: str) -> AnyMatch:
    """What ann offers the three others: dot, ann, bob, cid are the seats."""
    old = replace(resigned(dealt(), *PLAYERS), match_id=f"mat_{0:032}")
    return fold(SHEEP, Match("mat_next"), lobby.rematch(SHEEP, old, "mat_next", "ann", "", WORLD, gone))


def take(match: AnyMatch, player: str, seat: int | None = None) -> AnyMatch:
    return fold(SHEEP, match, lobby.take_seat(SHEEP, match, player, seat, "", WORLD))


def leave(match: AnyMatch, *players: str) -> AnyMatch:
    for player in players:
        match = fold(SHEEP, match, lobby.leave_seat(match, player))
    return match


def reason(match: AnyMatch) -> str | None:
    return None if match.result is None else match.result.reason


def test_the_seats_are_kept_for_those_who_played() -> None:
    match = of_four()
    assert [chair.kept_for for chair in match.chairs] == ["dot", None, "bob", "cid"]
    for seat in (None, 2):
        with pytest.raises(NotNow, match="seat_kept"):
            take(match, "eve", seat)
        with pytest.raises(NotNow, match="seat_kept"):
            take(match, "bob", 3)
    with pytest.raises(NotNow, match="seat_taken"):
        take(match, "eve", 1)
    for player in ("bob", "cid", "dot"):
        match = take(match, player)
    assert match.status == "playing"
    assert match.seated == ("dot", "ann", "bob", "cid")


def test_who_declines_is_waited_for_no_more_and_anybody_may_have_the_seat() -> None:
    match = leave(of_four(), "bob")
    assert match.invited == ("dot", "cid")
    with pytest.raises(NotAllowed, match="not_seated"):
        lobby.leave_seat(match, "bob")
    assert take(match, "bob").seat_of("bob") == 2, "who changes their mind may sit down like anybody"
    match = take(match, "eve")
    assert match.seat_of("eve") == 2
    with pytest.raises(NotNow, match="seat_kept"):
        take(match, "bob")


def test_who_accepts_and_leaves_again_is_waited_for_no_more() -> None:
    match = leave(take(of_four(), "bob"), "bob")
    assert match.invited == ("dot", "cid")
    assert match.chairs[2].free


def test_who_takes_another_seat_frees_the_one_that_was_kept() -> None:
    match = take(leave(of_four(), "bob"), "cid", 2)
    assert match.invited == ("dot",)
    assert match.chairs[3].free


def test_the_offer_is_void_when_who_made_it_goes() -> None:
    assert reason(leave(of_two(), "ann")) == "closed"
    assert reason(leave(take(of_four(), "bob"), "ann")) == "closed"


def test_the_offer_is_void_when_all_others_have_declined_or_left() -> None:
    assert reason(leave(of_two(), "bob")) == "declined"
    match = leave(take(of_four(), "dot"), "bob", "cid")
    assert reason(match) is None
    assert reason(leave(match, "dot")) == "declined"
    with_eve = leave(take(match, "eve"), "dot")
    assert reason(with_eve) is None, "ann plays eve"
    assert reason(leave(with_eve, "eve")) == "declined"


def test_a_bot_is_nobody_to_wait_with() -> None:
    match = of_four()
    match = fold(SHEEP, match, lobby.seat_bot(SHEEP, match, "ann", 0, "easy", WORLD))
    assert match.invited == ("bob", "cid")
    assert reason(leave(match, "bob", "cid")) == "declined"


def test_the_host_need_not_wait_for_who_is_gone() -> None:
    match = of_two()
    [removed] = lobby.remove_player(match, "ann", 0)
    assert removed.event == SeatLeft(0, "bob", "ann", removed=True)
    match = fold(PICO, match, [removed])
    assert (match.status, match.invited, match.due) == ("open", (), NOON + timedelta(days=1))
    with pytest.raises(NotNow, match="seat_open"):
        lobby.remove_player(match, "ann", 0)


def test_no_seat_is_kept_for_who_is_gone_for_good() -> None:
    match = of_four("cid", "dot")
    assert match.invited == ("bob",)
    assert [chair.free for chair in match.chairs] == [True, False, False, True]


def test_the_row_names_those_it_waits_for_until_when_and_no_seat_that_is_kept() -> None:
    row = line(match := leave(of_four(), "cid"))
    assert (row.waits_for, row.players, row.seats_open) == (("dot", "bob"), ("ann", "bob", "dot"), 1)
    assert msgspec.json.decode(row.shown, type=Shown).due == match.due == NOON + timedelta(days=1)


def test_nobody_is_waited_for_when_the_offer_is_void_or_has_expired() -> None:
    expired = table.time_out(SHEEP, of_four(), lambda *_: None, replace(WORLD, now=NOON + timedelta(days=1)))
    for match in (leave(of_four(), "ann"), fold(SHEEP, of_four(), expired)):
        row = line(match)
        assert (row.waits_for, row.players, row.seats_open, row.rematch_of) == ((), ("ann",), 0, None)
