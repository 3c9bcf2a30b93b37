"""How the rules of Pico answer the cases of tests/vectors/pico.json."""

from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from domain.games.pico import GAME
from domain.games.pico.commands import CommitCard
from domain.games.pico.events import HandsExchanged, RoundEnded, TrickResolved
from domain.games.pico.options import RED_POINTS, Card, Cards, Edition, Options
from domain.games.pico.rules import State, taker, totals
from domain.match.play import fold
from tests.table import Match, Table


def points(edition: Edition, cards: Sequence[Card]) -> Any:
    return {"points": sum(RED_POINTS[edition][card] for card in cards)}


def trick(cards: Cards) -> Any:
    winner = taker(cards)
    return {"winner": winner, "card": cards[winner]}


def round_(edition: Edition, hands: Sequence[Cards], tricks: Sequence[Cards]) -> Any:
    events = played(edition, hands, tricks).events
    state: State = fold(GAME, GAME.initial, takewhile(lambda event: not isinstance(event, HandsExchanged), events))
    return {
        "face_up": state.face_up,
        "trick_winners": [event.winner for event in events if isinstance(event, TrickResolved)],
        "won": [list(cards) for cards in state.won],
        "hands": [sorted(hand) for hand in state.hands],
        "over": any(isinstance(event, RoundEnded) for event in events),
        "points": list(state.points[0]),
    }


def match(edition: Edition, hands: Sequence[Cards], tricks1: Sequence[Cards], tricks2: Sequence[Cards]) -> Any:
    state: State = played(edition, hands, [*tricks1, *tricks2]).now.state
    best, other = GAME.standing(state)
    return {
        "round_points": [list(points) for points in state.points],
        "totals": list(totals(state)),
        "winner": None if other.rank == 1 else best.seat,
    }


def played(edition: Edition, hands: Sequence[Cards], tricks: Sequence[Cards]) -> Match:
    """A match with these hands and these tricks, each trick as the two seats' cards."""
    dealt = [*hands[0], *hands[1]]
    order = (*dealt, *(card for card in RED_POINTS[edition] if card not in dealt))
    match = Match(Table(GAME, Options(edition), 2), lambda number, request: order).begin()
    for cards in tricks:
        for seat, card in enumerate(cards):
            match.choose(seat, CommitCard(card))
    return match


ANSWERS = {"points": points, "trick": trick, "round": round_, "match": match}
