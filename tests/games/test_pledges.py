"""Pledges of the games that have them: what can be pledged is what will be shown, for all to see."""

import pytest

from domain.games import GAMES
from domain.match.game import AnyGame, Pledges
from tests.laws.matches import sample
from tests.table import Match

with_pledges = pytest.mark.parametrize("game", [game for game in GAMES.values() if game.pledges], ids=lambda game: game.key)


@with_pledges
def test_whatever_is_shown_could_have_been_pledged_until_then(game: AnyGame) -> None:
    pledges: Pledges[object, object] = game.pledges  # type: ignore[assignment]
    shown = 0
    for match in sample(game, 4):
        for moment, following in zip(match.moments, match.moments[1:], strict=False):
            for event in match.events[moment.events : following.events]:
                if (showing := pledges.shown(event)) is not None:
                    shown += 1
                    assert showing.face in pledges.open(moment.state, showing.seat)[showing.phase]
                    assert game.veil(event, None) == event
    assert shown, "nothing was shown"


@with_pledges
def test_a_pledge_is_never_open_for_what_was_shown_in_the_same_round(game: AnyGame) -> None:
    """After a face has been shown its phase is closed, until faces of all phases are yet to come."""
    pledges: Pledges[object, object] = game.pledges  # type: ignore[assignment]
    for match in sample(game, 4):
        every = set(pledges.open(match.moments[0].state, 0))
        for moment, following in zip(match.moments, match.moments[1:], strict=False):
            showings = filter(None, map(pledges.shown, match.events[moment.events : following.events]))
            for showing in showings if match.result is None or following is not match.now else ():
                now = set(pledges.open(following.state, showing.seat))
                assert showing.phase not in now or now == every


@with_pledges
def test_a_seat_that_is_out_of_the_game_has_nothing_to_pledge(game: AnyGame) -> None:
    matches = sample(game, 8)
    assert any(list(idle(match)) for match in matches), "nobody went out"
    for match in matches:
        for seat in idle(match):
            assert not game.pledges.open(match.moments[-2].state, seat)  # type: ignore[union-attr]


def idle(match: Match) -> list[int]:
    """The seats that show nothing more after the last choices but one."""
    latest = {showing.seat for showing in map(match.game.pledges.shown, match.latest) if showing}  # type: ignore[union-attr]
    return [seat for seat in range(match.table.seats) if latest and seat not in latest]
