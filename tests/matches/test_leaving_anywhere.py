"""Whoever leaves, whenever, and in whatever game: the others' match goes on to its end."""

import random

import msgspec

from domain.match import lobby, table
from domain.match.events import Opened
from domain.match.game import AnyGame
from domain.match.state import AnyMatch, Match, fold
from tests.matches.conftest import TERMS
from tests.matches.made import WORLD
from tests.rooms import every_game


def begun(game: AnyGame, seats: int, seed: int) -> AnyMatch:
    options = game.options()
    if "rounds_max" in game.options.__struct_fields__:
        options = msgspec.structs.replace(options, rounds_max=5)
    terms: Opened[object] = msgspec.structs.replace(TERMS, game=game.key, options=options, seats=seats, host="player 0")
    match = fold(game, Match(f"mat_{seed}"), lobby.open_match(game, f"mat_{seed}", terms, True, "", (), WORLD))
    for seat in range(1, seats):
        match = fold(game, match, lobby.take_seat(game, match, f"player {seat}", None, "", WORLD))
    return match


@every_game
def test_a_match_ends_whoever_leaves_at_any_moment(game: AnyGame) -> None:
    seats = max(min(game.seats), min(3, max(game.seats)))
    left_in = set()
    for seed in range(30):
        luck, match = random.Random(seed), begun(game, seats, seed)
        leaver, leaves_at, choices = f"player {luck.randrange(seats)}", luck.randrange(40), 0
        while match.status == "playing":
            if choices == leaves_at:
                left_in.add(game.view(match.table, None).phase)
                match = fold(game, match, table.resign(game, match, leaver))
                assert (match.status == "playing") == (seats > 2), "the others play on"
                if match.status == "ended":
                    break
            owed = luck.choice(match.owed)
            command, decision = luck.choice(game.choices(match.table, owed.seat)), str(match.decision(owed.seat))
            player = match.chairs[owed.seat].player_id
            if match.chairs[owed.seat].manned:
                match = fold(game, match, table.choose(game, match, str(player), command, decision, WORLD))
            else:
                match = fold(game, match, table.choose_as_bot(game, match, owed.seat, command, decision, WORLD))
            choices += 1
        assert match.result is not None
        assert {place.seat for place in match.result.ranking} == set(range(seats))
        if choices > leaves_at and seats > 2:
            assert match.result.ranking[-1].seat == match.seat_of(leaver)
    assert left_in, "nobody left in time"
