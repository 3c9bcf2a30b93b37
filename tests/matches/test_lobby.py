"""The life of a match around its game: who may sit, leave, start and choose, and when."""

from functools import partial

import pytest

from domain.match import lobby, table
from domain.match.events import Ended, SeatLeft, SeatTaken, Started, veil
from domain.match.play import NotNow
from domain.match.state import AnyMatch, Match
from domain.match.table import NotAllowed, Unfit
from tests.matches.conftest import TERMS
from tests.matches.made import PICO, WORLD, after, choose, finished, opened, playing, sit


def test_the_host_sits_at_seat_0_and_the_match_waits_for_others() -> None:
    match = opened()
    assert match.status == "open"
    assert match.host == "ann"
    assert match.seated == ("ann",)
    assert match.seat_of("ann") == 0
    assert match.version == 2


def test_the_host_may_stay_on_their_feet() -> None:
    assert opened(sit=False).seated == ()


@pytest.mark.parametrize("seats", [0, 1, 3])
def test_a_game_is_played_by_the_number_it_is_made_for(seats: int) -> None:
    with pytest.raises(Unfit) as unfit:
        opened(seats=seats)
    assert (unfit.value.code, unfit.value.field, unfit.value.fitting) == ("seats_not_allowed", "seats", (2,))


def test_a_full_match_begins_at_once() -> None:
    entries = lobby.take_seat(PICO, opened(), "bob", None, "", WORLD)
    assert [type(entry.event) for entry in entries[:2]] == [SeatTaken, Started]
    assert after(opened(), entries).status == "playing"


def test_a_match_that_its_host_starts_waits_for_them() -> None:
    match = sit(opened(start="by_host"), "bob")
    assert match.status == "open"
    with pytest.raises(NotAllowed, match="not_host"):
        lobby.start_match(PICO, match, "bob", None, WORLD)
    assert after(match, lobby.start_match(PICO, match, "ann", None, WORLD)).status == "playing"


def test_nobody_starts_a_match_with_an_open_seat() -> None:
    with pytest.raises(NotNow, match="seats_open"):
        lobby.start_match(PICO, opened(start="by_host"), "ann", None, WORLD)


def test_nobody_sits_twice() -> None:
    with pytest.raises(NotNow, match="already_seated"):
        sit(opened(), "ann")


def test_a_seat_has_one_player() -> None:
    with pytest.raises(NotNow, match="seat_taken"):
        sit(opened(), "bob", 0)


def test_a_seat_that_is_not_there_does_not_fit() -> None:
    with pytest.raises(Unfit, match="no_such_seat"):
        sit(opened(), "bob", 2)


def test_a_full_match_takes_nobody_else() -> None:
    with pytest.raises(NotNow, match="match_full"):
        sit(sit(opened(start="by_host"), "bob"), "cid")


def test_a_match_that_began_as_it_filled_is_full_and_one_that_its_host_began_has_started() -> None:
    hosted = sit(opened(start="by_host"), "bob")
    hosted = after(hosted, lobby.start_match(PICO, hosted, "ann", None, WORLD))
    for match, code in ((playing(), "match_full"), (hosted, "match_started")):
        with pytest.raises(NotNow, match=code):
            sit(match, "cid")


@pytest.mark.parametrize(("match", "code"), [(playing(), "match_started"), (finished(), "match_over")])
def test_nobody_leaves_or_starts_once_play_has_begun(match: AnyMatch, code: str) -> None:
    for act in (
        partial(lobby.leave_seat, match, "ann"),
        partial(lobby.start_match, PICO, match, "ann", None, WORLD),
    ):
        with pytest.raises(NotNow, match=code):
            act()


def test_leaving_frees_the_seat_for_somebody_else() -> None:
    match = sit(opened(start="by_host"), "bob")
    match = after(match, lobby.leave_seat(match, "bob"))
    assert match.seat_of("bob") is None
    assert match.host == "ann"
    assert sit(match, "cid").seat_of("cid") == 1


def test_a_host_who_leaves_passes_the_match_on() -> None:
    match = sit(opened(start="by_host"), "bob")
    match = after(match, lobby.leave_seat(match, "ann"))
    assert match.host == "bob"
    assert match.status == "open"


def test_the_last_to_leave_closes_the_match() -> None:
    match = opened()
    entries = lobby.leave_seat(match, "ann")
    assert [type(entry.event) for entry in entries] == [SeatLeft, Ended]
    match = after(match, entries)
    assert match.status == "ended"
    assert match.result is not None
    assert (match.result.ranking, match.result.reason) == ((), "closed")


def test_who_does_not_sit_cannot_leave() -> None:
    with pytest.raises(NotAllowed, match="not_seated"):
        lobby.leave_seat(opened(), "bob")


def test_only_the_seats_own_player_chooses_for_it() -> None:
    match = playing()
    with pytest.raises(NotAllowed, match="not_seated"):
        table.choose(PICO, match, "eve", PICO.choices(match.table, 0)[0], None, WORLD)


def test_nothing_is_chosen_before_the_start_or_after_the_end() -> None:
    command = PICO.choices(playing().table, 0)[0]
    for match, code in ((opened(), "match_not_started"), (finished(), "match_over")):
        with pytest.raises(NotNow, match=code):
            table.choose(PICO, match, "ann", command, None, WORLD)


def test_a_decision_keeps_its_id_while_the_others_commit_and_closes_when_it_is_answered() -> None:
    match = playing()
    asked = match.decision(1)
    match = choose(match, "ann", decision=match.decision(0))
    assert match.decision(0) is None
    assert match.decision(1) == asked
    match = choose(match, "bob", decision=asked)
    assert match.decision(0) is not None
    assert match.decision(1) not in (None, asked)


def test_an_answer_to_a_closed_decision_is_never_taken_for_the_answer_to_the_next() -> None:
    match = playing()
    asked = match.decision(0)
    match = choose(match, "ann", decision=asked)
    for later in (match, choose(match, "bob")):
        with pytest.raises(NotNow, match="decision_closed"):
            table.choose(PICO, later, "ann", PICO.choices(playing().table, 0)[0], asked, WORLD)


def test_a_choice_made_already_is_not_made_again() -> None:
    match = choose(playing(), "ann")
    with pytest.raises(NotNow, match="not_your_turn"):
        table.choose(PICO, match, "ann", PICO.choices(playing().table, 0)[0], None, WORLD)


def test_a_match_ends_with_the_ranking_of_its_game() -> None:
    match = finished()
    assert match.result is not None
    assert {place.seat for place in match.result.ranking} == {0, 1}
    assert match.result.ranking == PICO.standing(match.table)
    assert match.owed == ()


def test_entropy_is_hidden_until_the_start_and_then_published_for_everybody() -> None:
    match = opened()
    entries = lobby.take_seat(PICO, match, "bob", None, "ab" * 16, WORLD)
    taken, started = entries[0].event, entries[1].event
    assert taken.entropy == "ab" * 16
    for viewer in (None, 0, 1):
        assert veil(PICO, taken, viewer).entropy is None
        assert veil(PICO, started, viewer) == started
    assert [(seated.entropy, seated.contributed) for seated in started.seats] == [("", False), ("ab" * 16, True)]


def test_the_players_entropy_changes_the_deal() -> None:
    plain, mixed = sit(opened(), "bob"), sit(opened(), "bob", entropy="ab" * 16)
    assert plain.table != mixed.table


def test_a_match_that_is_folded_from_any_of_its_versions_is_the_same() -> None:
    match = opened()
    entries = list(lobby.open_match(PICO, "mat_test", TERMS, True, "", (), WORLD))
    more = lobby.take_seat(PICO, match, "bob", None, "", WORLD)
    entries += more
    match = after(match, more)
    while match.status == "playing":
        player = str(match.chairs[match.owed[0].seat].player_id)
        seat = match.owed[0].seat
        more = table.choose(PICO, match, player, PICO.choices(match.table, seat)[-1], match.decision(seat), WORLD)
        entries += more
        match = after(match, more)
    assert match.version == len(entries)
    for cut in range(len(entries)):
        half = after(Match("mat_test"), tuple(entries[:cut]))
        assert half.version == cut
        assert after(half, tuple(entries[cut:])) == match
