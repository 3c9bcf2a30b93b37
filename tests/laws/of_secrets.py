"""Laws about what is hidden: nothing that a viewer is sent, and nothing that the rules tell them, depends on it."""

import random
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from domain.match.game import Outcome, Request, Shuffle, Viewer
from domain.match.play import Fate, fold
from tests.laws import samples
from tests.laws.matches import feed, random_choice, refusal, secret, seen, some
from tests.table import Match

SWAPS = 20
STEPS = 20
COMMANDS = 20
COMPARED_MIN, COMPARED_MAX = 40, 3_000
"""Fewer moments, and a law was never put to the test; more would only take time."""


def a_veiled_event_keeps_its_shape_and_hides_with_null(matches: Sequence[Match]) -> None:
    for match in matches:
        for event in match.events:
            for viewer in match.viewers:
                veiled = match.game.veil(event, viewer)
                assert type(veiled) is type(event)
                for field in event.__struct_fields__:
                    assert getattr(veiled, field) in (getattr(event, field), None), f"{field} is neither shown nor hidden: {veiled}"


def a_secret_has_one_owner(matches: Sequence[Match]) -> None:
    """An event is shown in full to everyone, or to the seat it names and to nobody else, or to nobody."""
    for match in matches:
        for event in match.events:
            told = [viewer for viewer in match.viewers if match.game.veil(event, viewer) == event]
            assert told in (list(match.viewers), [], [getattr(event, "seat", None)]), f"{event} is told to {told}"
            veils = {feed(match.game, [event], viewer) for viewer in match.viewers if viewer not in told}
            assert len(veils) <= 1, f"{event} is veiled in several ways"


def a_choice_is_hidden_if_and_only_if_it_is_called_secret(matches: Sequence[Match]) -> None:
    for match in matches:
        for moment in some(match):
            for seat in moment.waiting:
                decided = [match.game.decide(moment.state, seat, choice) for choice in match.game.choices(moment.state, seat)]
                hidden = any(feed(match.game, events, None) != msgspec.json.encode(events) for events in decided)
                assert hidden == secret(match.game, moment)


def a_secret_choice_shows_nothing_to_the_others(matches: Sequence[Match]) -> None:
    """Whatever a seat chooses, the others are told the same and see the same, until the rules reveal it."""
    for match in matches:
        for moment in some(match):
            if not secret(match.game, moment):
                continue
            for seat in moment.waiting:
                decided = [match.game.decide(moment.state, seat, choice) for choice in match.game.choices(moment.state, seat)]
                states = [fold(match.game, moment.state, events) for events in decided]
                for viewer in set(match.viewers) - {seat}:
                    assert len({feed(match.game, events, viewer) for events in decided}) == 1, f"{viewer} is told of {decided}"
                    assert len({seen(match.game, state, viewer) for state in states}) == 1, f"{viewer} sees {decided}"


def matches_that_look_alike_are_alike_to_the_viewer(matches: Sequence[Match]) -> None:
    """As long as a viewer is told the same of two matches, they see the same, may do the same, and are refused by the same rules."""
    compared = 0
    for seed, match in enumerate(random.Random(0).sample(matches, len(matches))):
        if compared < COMPARED_MAX:
            compared += sum(compare(twins, random.Random(seed)) for twins in alike(match))
    has_secrets = any(feed(match.game, match.events, None) != msgspec.json.encode(match.events) for match in matches)
    assert compared >= COMPARED_MIN or not has_secrets, f"never put to the test: {compared} moments"


class Twins(NamedTuple):
    """Two matches in which different things have happened, and a viewer who has been told the same of both."""

    left: Match
    right: Match
    viewer: Viewer


def alike(match: Match) -> Iterator[Twins]:
    """Twins that part by a secret choice of somebody else, or by two cards that change places in a shuffle."""
    luck = random.Random(0)
    for moment in some(match):
        if secret(match.game, moment) and len(moment.waiting) > 1:
            seat = luck.choice(sorted(moment.waiting))
            offered = match.game.choices(moment.state, seat)
            left, right = match.branch(moment), match.branch(moment)
            left.choose(seat, offered[0])
            right.choose(seat, luck.choice(offered[1:] or offered))
            yield from told_the_same(left, right)
    for draw in [entry.draw for entry in match.entries[: match.moments[0].events] if entry.draw is not None]:
        for _ in range(SWAPS if isinstance(draw.request, Shuffle) else 0):
            one, other = sorted(luck.sample(range(len(draw.outcome)), 2))
            swapped = Match(match.table, with_swap(match.fate, draw.number, one, other)).begin()
            yield from told_the_same(match.branch(match.moments[0]), swapped)


def told_the_same(left: Match, right: Match) -> Iterator[Twins]:
    if left.events != right.events:
        for viewer in left.viewers:
            if feed(left.game, left.events, viewer) == feed(right.game, right.events, viewer):
                yield Twins(left, right, viewer)


def with_swap(fate: Fate, number: int, one: int, other: int) -> Fate:
    def outcome(drawn: int, request: Request) -> Outcome:
        items = list(fate(drawn, request))
        if drawn == number:
            items[one], items[other] = items[other], items[one]
        return tuple(items)

    return outcome


def compare(twins: Twins, luck: random.Random) -> int:
    """How many moments of both matches were compared, while the same choices were played in both and told the same."""
    left, right = (branch.branch(branch.now) for branch in twins[:2])
    for step in range(STEPS):
        alike_now(left, right, twins.viewer, luck)
        both = sorted(left.now.waiting & right.now.waiting)
        if not both:
            return step + 1
        seat, choice = random_choice(left, luck)
        if seat not in both or choice not in right.game.choices(right.now.state, seat):
            return step + 1
        at = len(left.entries), len(right.entries)
        left.choose(seat, choice)
        right.choose(seat, choice)
        if feed(left.game, left.events[at[0] :], twins.viewer) != feed(right.game, right.events[at[1] :], twins.viewer):
            return step + 1
    return STEPS


def alike_now(left: Match, right: Match, viewer: Viewer, luck: random.Random) -> None:
    game, states = left.game, (left.now.state, right.now.state)
    assert left.now.waiting == right.now.waiting, f"{viewer} can tell the matches apart by who is waited for"
    answers: list[list[Any]] = []
    for state in states:
        answers.append([seen(game, state, viewer), game.standing(state)])
        if viewer is not None:
            answers[-1].append(game.choices(state, viewer))
    if viewer in left.now.waiting:
        every = samples.commands(game)
        for command in luck.sample(every, min(COMMANDS, len(every))):
            for state, answer in zip(states, answers, strict=True):
                answer.append(refusal(game, state, viewer, command))
    assert answers[0] == answers[1], f"{viewer} can tell the matches apart"


LAWS = (
    a_veiled_event_keeps_its_shape_and_hides_with_null,
    a_secret_has_one_owner,
    a_choice_is_hidden_if_and_only_if_it_is_called_secret,
    a_secret_choice_shows_nothing_to_the_others,
    matches_that_look_alike_are_alike_to_the_viewer,
)
