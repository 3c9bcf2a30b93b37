"""The normal bot of Wolves & Sheep rehearses what the rules make of the cards, mixes, and does not fall for what looks best."""

import random
from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import product
from statistics import fmean

import pytest
from msgspec.structs import replace

from domain.games.wolves import GAME
from domain.games.wolves.bot import lead, normal, round_points
from domain.games.wolves.commands import Command, CommitCard
from domain.games.wolves.options import SETS, Card, Cards, Options
from domain.games.wolves.views import View
from domain.match.game import Bot, Luck, easy
from tests.laws.matches import played
from tests.table import Match, Table

ROUNDS = 150
DRAWS = 40
MATCHES = 24


@pytest.mark.parametrize("seats", [*GAME.seats])
def test_a_rehearsed_round_brings_what_the_rules_make_of_it(seats: int) -> None:
    luck = random.Random(seats)
    for _ in range(ROUNDS):
        cards = tuple(luck.choice(SETS["two-or-three-players"]) for _ in range(seats))
        match = revealed(cards)
        if GAME.view(match.now.state, None).phase == "pick":
            pick_first(match)
        assert round_points(cards) == match.now.state.totals
        assert sum(lead(cards)) == pytest.approx(0)


@pytest.mark.parametrize("seats", [*GAME.seats])
def test_its_first_card_cannot_be_foreseen(seats: int) -> None:
    drawn = draws(GAME.view(begun(seats).now.state, 0))
    assert len(drawn) > 3
    assert max(drawn.values()) < 0.6 * DRAWS


@pytest.mark.parametrize(
    ("hands", "sound"),
    [
        ((("+6", "-4"), ("+2", "-2")), "+6"),
        ((("+6", "-4"), ("BIG", "LITTLE")), "-4"),
        ((("+2", "BIG"), ("+4", "+6")), "BIG"),
        ((("+4", "LITTLE"), ("+6", "-2"), ("BIG", "LITTLE")), "LITTLE"),
    ],
)
def test_in_the_last_round_it_lays_the_better_card_if_one_is(hands: tuple[Cards, ...], sound: Card) -> None:
    view = replace(GAME.view(begun(len(hands)).now.state, 0), hands=hands)
    assert draws(view)[sound] > 0.9 * DRAWS


def test_its_big_wolf_picks_the_better_sheep() -> None:
    match = revealed(("+3", "LITTLE", "+6", "BIG"))
    [picker] = match.now.waiting
    assert normal(GAME.view(match.now.state, picker), picker, GAME.choices(match.now.state, picker), random.Random(0)).card == "+6"


def test_it_is_better_than_chance_and_does_not_fall_into_the_trap(capsys: pytest.CaptureFixture[str]) -> None:
    """Players who all lay what looks best cancel each other's wolves; one who mixes takes their sheep."""
    among_greedy, among_easy = (fmean(lead_of(normal, others, seed) for seed in range(MATCHES)) for others in (greedy, easy))
    with capsys.disabled():
        print(f"\nwolves: normal leads three greedy by {among_greedy:.1f} points, three easy by {among_easy:.1f}")
    assert among_greedy > 5
    assert among_easy > 0


def lead_of(one: Bot[View, Command], others: Bot[View, Command], seed: int) -> float:
    """By how many points one player, among three others of another kind, ends ahead of their mean."""
    seat = seed % 4
    bots = [one if other == seat else others for other in range(4)]
    totals = list(played(Table(GAME, Options(), 4), seed, partial(chosen, bots=bots)).now.state.totals)
    own = totals.pop(seat)
    return float(own - fmean(totals))


def chosen(match: Match, luck: random.Random, bots: Sequence[Bot[View, Command]]) -> tuple[int, Command]:
    seat = min(match.now.waiting)
    return seat, bots[seat](GAME.view(match.now.state, seat), seat, GAME.choices(match.now.state, seat), luck)


def greedy(view: View, seat: int, choices: Sequence[Command], luck: Luck) -> Command:
    """Always what is best in this round if the others lay just anything."""
    if view.phase == "pick":
        return choices[0]
    others = [hand for other, hand in enumerate(view.hands) if other != seat]
    return max(choices, key=lambda choice: sum(lead((choice.card, *cards))[0] for cards in product(*others)))


def draws(view: View) -> Counter[Card]:
    """How often the bot on seat 0 lays each card."""
    choices = [CommitCard(card) for card in dict.fromkeys(view.hands[0])]
    return Counter(normal(view, 0, choices, random.Random(seed)).card for seed in range(DRAWS))


def begun(seats: int) -> Match:
    return Match(Table(GAME, Options(), seats), lambda number, request: ()).begin()


def revealed(cards: Cards) -> Match:
    """A match after these cards have been laid in the first round."""
    match = begun(len(cards))
    for seat, card in enumerate(cards):
        match.choose(seat, CommitCard(card))
    return match


def pick_first(match: Match) -> None:
    [picker] = match.now.waiting
    match.choose(picker, GAME.choices(match.now.state, picker)[0])
