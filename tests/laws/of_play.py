"""Laws about choosing: a match goes on while there are choices, and the rules take what they offer and nothing else."""

import random
import re
from collections.abc import Sequence
from typing import Any

from domain.match.play import NotNow, play
from tests.laws import samples
from tests.laws.matches import first_choice, played, refusal, some, tables
from tests.rooms import clauses, room
from tests.table import Match, Moment

REFUSALS = 40


def every_match_ends(matches: Sequence[Match]) -> None:
    for match in matches:
        assert match.result is not None, f"never ends: {match.table.options}, {match.table.seats} seats"
        assert not match.now.waiting


def the_clock_ends_every_match_too(matches: Sequence[Match]) -> None:
    """When nobody ever chooses, the first choice is played for everyone."""
    for table in tables(matches[0].game):
        assert played(table, 0, first_choice).result is not None


def a_match_that_waits_offers_choices_and_takes_each(matches: Sequence[Match]) -> None:
    for match in matches:
        for moment in some(match):
            for seat in moment.waiting:
                offered = match.game.choices(moment.state, seat)
                assert offered, f"seat {seat} owes a choice and has none"
                for choice in offered:
                    assert refusal(match.game, moment.state, seat, choice) is None, f"{choice} is offered, and refused all the same"
                    assert play(match.game, moment.state, seat, choice, moment.draws, match.fate).entries


def choices_are_distinct(matches: Sequence[Match]) -> None:
    for match in matches:
        for moment in match.moments:
            for seat in moment.waiting:
                offered = match.game.choices(moment.state, seat)
                assert all(choice not in offered[:at] for at, choice in enumerate(offered)), offered


def what_is_not_offered_is_refused_by_a_clause(matches: Sequence[Match]) -> None:
    game = matches[0].game
    known = clauses(room(game) / "RULES.md")
    every = samples.commands(game)
    for match in matches:
        for moment in some(match):
            for seat in moment.waiting:
                offered = game.choices(moment.state, seat)
                for command in [command for command in every if command not in offered][:REFUSALS]:
                    no = refusal(game, moment.state, seat, command)
                    assert no is not None, f"{command} is not offered, and taken all the same"
                    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", no[0]), no
                    assert no[1] in known, no


def nobody_chooses_out_of_turn(matches: Sequence[Match]) -> None:
    for match in matches:
        command = match.game.choices(match.moments[0].state, min(match.moments[0].waiting))[0]
        for moment in some(match):
            for seat in set(range(match.table.seats)) - moment.waiting:
                assert not match.game.choices(moment.state, seat), f"seat {seat} owes nothing"
                assert turned_away(match, moment, seat, command) == ("not_your_turn" if moment.waiting else "match_over")


def turned_away(match: Match, moment: Moment, seat: int, command: object) -> str | None:
    try:
        play(match.game, moment.state, seat, command, moment.draws, match.fate)
    except NotNow as no:
        return no.code
    return None


def those_who_choose_together_may_come_in_any_order(matches: Sequence[Match]) -> None:
    """The choices themselves stand in the log as they came; what the rules then make of them does not depend on it."""
    for match in matches:
        luck = random.Random(0)
        for moment in some(match):
            chosen = {seat: luck.choice(match.game.choices(moment.state, seat)) for seat in sorted(moment.waiting)}
            arrivals = [list(chosen), list(chosen)[::-1], luck.sample(list(chosen), len(chosen))]
            ends = [arrived(match, moment, [(seat, chosen[seat]) for seat in order]) for order in arrivals]
            assert all(end == ends[0] for end in ends), f"the order in which {chosen} came tells"


def arrived(match: Match, moment: Moment, chosen: Sequence[tuple[int, Any]]) -> tuple[Any, list[Any]]:
    """What state these choices lead to, and what happened that nobody chose."""
    branch = match.branch(moment)
    for seat, command in chosen:
        branch.choose(seat, command)
    return branch.now.state, [entry.event for entry in branch.entries if entry.seat is None]


def standing_ranks_every_seat_and_is_the_result_at_the_end(matches: Sequence[Match]) -> None:
    for match in matches:
        for moment in match.moments:
            ranking = match.game.standing(moment.state)
            assert sorted(place.seat for place in ranking) == list(range(match.table.seats))
            ranks = [place.rank for place in ranking]
            assert ranks == [1 + sum(other < rank for other in ranks) for rank in ranks], f"{ranks}: equals share, the next is skipped"
            assert ranks == sorted(ranks), f"{ranks}: the best comes first"
        assert match.result is not None
        assert match.result.ranking == match.game.standing(match.now.state)


LAWS = (
    every_match_ends,
    the_clock_ends_every_match_too,
    a_match_that_waits_offers_choices_and_takes_each,
    choices_are_distinct,
    what_is_not_offered_is_refused_by_a_clause,
    nobody_chooses_out_of_turn,
    those_who_choose_together_may_come_in_any_order,
    standing_ranks_every_seat_and_is_the_result_at_the_end,
)
