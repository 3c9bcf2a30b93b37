"""A law that cannot fail is none: each is broken here on purpose, by a Pico with one bug planted in it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from typing import Any, NamedTuple

import msgspec
import pytest
from msgspec.structs import force_setattr
from msgspec.structs import replace as changed

from domain.games.pico import GAME
from domain.games.pico.commands import CommitCard
from domain.games.pico.events import CardCommitted, CardsRevealed, Event, FaceUpCardPlaced, HandDealt, RoundEnded, TrickResolved
from domain.games.pico.options import Options
from domain.games.pico.rules import State
from domain.games.pico.views import View
from domain.match.game import Advance, Over, Place, Refused, Result, Viewer, Waiting, put
from tests.laws import of_play, of_records, of_secrets
from tests.laws.matches import sample
from tests.laws.test_laws import LAWS, Law


class Bug(NamedTuple):
    """A function that takes the place of a door of the room and breaks a law; `played` when the matches must be played with it."""

    law: Law
    door: str
    function: Callable[..., Any]
    played: bool


BUGS: list[Bug] = []
ticks = count()


def breaks(law: Law, door: str, played: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def plant(function: Callable[..., Any]) -> Callable[..., Any]:
        BUGS.append(Bug(law, door, function, played))
        return function

    return plant


@breaks(of_play.every_match_ends, "evolve", played=True)
@breaks(of_play.the_clock_ends_every_match_too, "evolve")
def the_second_round_is_never_the_last(state: State, event: Event) -> State:
    after = GAME.evolve(state, event)
    return changed(after, rounds_ended=1, points=after.points[:1]) if isinstance(event, RoundEnded) else after


@breaks(of_play.a_match_that_waits_offers_choices_and_takes_each, "choices")
def a_card_too_many(state: State, seat: int) -> Sequence[CommitCard]:
    offered = GAME.choices(state, seat)
    return [*offered, CommitCard(state.face_up or 4)] if len(offered) == 2 else offered


@breaks(of_play.choices_are_distinct, "choices")
def the_same_choice_twice(state: State, seat: int) -> Sequence[CommitCard]:
    return [*GAME.choices(state, seat), *GAME.choices(state, seat)[:1]]


@breaks(of_play.what_is_not_offered_is_refused_by_a_clause, "decide")
def any_card_will_do(state: State, seat: int, command: CommitCard) -> Sequence[Event]:
    return [CardCommitted(seat, command.card)]


@breaks(of_play.what_is_not_offered_is_refused_by_a_clause, "decide")
def a_clause_out_of_thin_air(state: State, seat: int, command: CommitCard) -> Sequence[Event]:
    if command.card not in state.hands[seat]:
        raise Refused("card_not_in_hand", "3.9")
    return [CardCommitted(seat, command.card)]


@breaks(of_play.nobody_chooses_out_of_turn, "choices")
def choices_for_all_times(state: State, seat: int) -> Sequence[CommitCard]:
    return [CommitCard(card) for card in state.hands[seat]]


@breaks(of_play.those_who_choose_together_may_come_in_any_order, "evolve", played=True)
def the_first_to_come_is_paid(state: State, event: Event) -> State:
    after = GAME.evolve(state, event)
    if isinstance(event, CardCommitted) and state.committed == (None, None):
        return changed(after, points=(*after.points[:-1], put(after.points[-1], event.seat, 9)))
    return after


@breaks(of_play.standing_ranks_every_seat_and_is_the_result_at_the_end, "standing")
def one_seat_is_forgotten(state: State) -> tuple[Place, ...]:
    return GAME.standing(state)[:1]


@breaks(of_play.standing_ranks_every_seat_and_is_the_result_at_the_end, "standing")
def the_next_rank_is_not_skipped(state: State) -> tuple[Place, ...]:
    return tuple(changed(place, rank=place.rank + 1) for place in GAME.standing(state))


@breaks(of_play.standing_ranks_every_seat_and_is_the_result_at_the_end, "advance", played=True)
def seat_0_wins(state: State) -> Advance[Event]:
    owed = GAME.advance(state)
    return Over(Result((Place(0, 1, 0), Place(1, 2, 0)), "rounds_played")) if isinstance(owed, Over) else owed


@breaks(of_records.stored_events_lead_to_the_live_state, "evolve", played=True)
def the_state_knows_more_than_the_events(state: State, event: Event) -> State:
    return changed(GAME.evolve(state, event), face_up=next(ticks)) if isinstance(event, RoundEnded) else GAME.evolve(state, event)


@breaks(of_records.states_and_views_survive_json, "evolve", played=True)
def a_list_in_the_state(state: State, event: Event) -> State:
    after = GAME.evolve(state, event)
    return changed(after, won=list(after.won)) if isinstance(event, TrickResolved) else after


@breaks(of_records.options_and_commands_survive_json, "options")
class OptionsThatAreNeverEqual(Options, frozen=True, eq=False, tag="pico"):
    pass


@breaks(of_records.veiled_events_survive_json, "veil")
def hidden_behind_a_word(event: Event, viewer: Viewer) -> Event:
    veiled = GAME.veil(event, viewer)
    return veiled if veiled == event else changed(veiled, card="hidden")


@breaks(of_records.evolve_changes_nothing_but_what_it_returns, "evolve", played=True)
def evolve_writes_on_the_old_state(state: State, event: Event) -> State:
    after = GAME.evolve(state, event)
    if isinstance(event, TrickResolved):
        force_setattr(state, "points", after.points)
    return after


@breaks(of_records.what_is_marked_as_a_seat_is_one, "view")
def seats_from_1(state: State, viewer: Viewer) -> View:
    seen = GAME.view(state, viewer)
    return changed(seen, committed=tuple(seat + 1 for seat in seen.committed))


@breaks(of_records.what_is_marked_as_a_seat_is_one, "view")
def no_points_for_the_last_seat(state: State, viewer: Viewer) -> View:
    seen = GAME.view(state, viewer)
    return changed(seen, points=seen.points[:-1])


@breaks(of_records.every_event_leaves_a_table_to_look_at, "view")
def no_view_while_cards_lie_open(state: State, viewer: Viewer) -> View | None:
    return None if state.revealed else GAME.view(state, viewer)


@breaks(of_records.a_match_that_is_over_asks_for_nothing, "view")
def the_last_round_is_never_settled(state: State, viewer: Viewer) -> View:
    seen = GAME.view(state, viewer)
    return changed(seen, phase="reveal") if seen.phase == "over" else seen


@breaks(of_secrets.a_veiled_event_keeps_its_shape_and_hides_with_null, "veil")
def another_event_instead(event: Event, viewer: Viewer) -> Event:
    veiled = GAME.veil(event, viewer)
    return veiled if veiled == event else CardsRevealed(())


@breaks(of_secrets.a_veiled_event_keeps_its_shape_and_hides_with_null, "veil")
def hidden_behind_another_card(event: Event, viewer: Viewer) -> Event:
    veiled = GAME.veil(event, viewer)
    return veiled if veiled == event else changed(veiled, card=16)


@breaks(of_secrets.a_secret_has_one_owner, "veil")
def the_opponent_is_told(event: Event, viewer: Viewer) -> Event:
    return event if viewer is not None else GAME.veil(event, viewer)


@breaks(of_secrets.a_choice_is_hidden_if_and_only_if_it_is_called_secret, "advance")
def called_open(state: State) -> Advance[Event]:
    owed = GAME.advance(state)
    return Waiting(owed.seats, secret=False) if isinstance(owed, Waiting) else owed


@breaks(of_secrets.a_choice_is_hidden_if_and_only_if_it_is_called_secret, "veil")
def no_veil(event: Event, viewer: Viewer) -> Event:
    return event


@breaks(of_secrets.a_secret_choice_shows_nothing_to_the_others, "veil")
def high_cards_are_told(event: Event, viewer: Viewer) -> Event:
    high = isinstance(event, CardCommitted) and event.card is not None and event.card > 12
    return event if high else GAME.veil(event, viewer)


@breaks(of_secrets.a_secret_choice_shows_nothing_to_the_others, "view")
def a_hand_minus_a_card(state: State, viewer: Viewer) -> View:
    hands = tuple(tuple(card for card in hand if card not in state.committed) for hand in state.hands)
    return changed(GAME.view(state, viewer), hands=hands)


@breaks(of_secrets.matches_that_look_alike_are_alike_to_the_viewer, "view")
def the_spectator_sees_a_committed_card(state: State, viewer: Viewer) -> View:
    return GAME.view(state, viewer or 0)


@breaks(of_secrets.matches_that_look_alike_are_alike_to_the_viewer, "veil")
def hands_are_dealt_in_secret_and_seen(event: Event, viewer: Viewer) -> Event:
    match event:
        case HandDealt(seat) if seat != viewer:
            return changed(event, cards=None)
        case FaceUpCardPlaced():
            return changed(event, card=None)
    return GAME.veil(event, viewer)


@breaks(of_secrets.matches_that_look_alike_are_alike_to_the_viewer, "decide")
def a_refusal_that_tells(state: State, seat: int, command: CommitCard) -> Sequence[Event]:
    if command.card not in state.hands[seat] and any(card is not None and card > 8 for card in state.committed):
        raise Refused("too_late", "3.2")
    return GAME.decide(state, seat, command)


@breaks(of_secrets.matches_that_look_alike_are_alike_to_the_viewer, "standing")
def a_standing_that_tells(state: State) -> tuple[Place, ...]:
    laid = max((card for card in state.committed if card is not None), default=0)
    return tuple(changed(place, score=place.score + laid) for place in GAME.standing(state))


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: f"{bug.law.__name__}-{bug.function.__name__}")
def test_a_planted_bug_is_found(bug: Bug) -> None:
    room: dict[str, Any] = {bug.door: bug.function}
    game = replace(GAME, **room)
    matches = sample(game, 4) if bug.played else [replace(match, table=match.table._replace(game=game)) for match in sample(GAME, 20)]
    with pytest.raises((AssertionError, msgspec.ValidationError)):
        bug.law(matches)


def test_every_law_bites() -> None:
    assert {bug.law for bug in BUGS} == set(LAWS)
