"""How Pico is played. Numbers in comments are clauses of RULES.md."""

from collections.abc import Sequence
from typing import Annotated, assert_never

import msgspec
from msgspec.structs import replace

from domain.games.pico.commands import Command, CommitCard
from domain.games.pico.events import (
    CardCommitted,
    CardsRevealed,
    DeckChosen,
    Event,
    FaceUpCardPlaced,
    HandDealt,
    HandsExchanged,
    RoundEnded,
    TrickResolved,
)
from domain.games.pico.options import RED_POINTS, Card, Cards, Edition, Options
from domain.match.game import (
    IN_SEAT_ORDER,
    Advance,
    Chance,
    Facts,
    Outcome,
    Over,
    Place,
    Refused,
    Result,
    Seat,
    Shuffle,
    Waiting,
    put,
    ranked,
)

HAND = 5
ROUNDS = 2


class Trick(msgspec.Struct, frozen=True):
    """A trick that has been taken."""

    cards: Annotated[Cards, IN_SEAT_ORDER, msgspec.Meta(description="The two cards, in seat order.")]
    winner: Annotated[Seat, msgspec.Meta(description="The seat whose card took the trick.")]


class State(msgspec.Struct, frozen=True):
    """A match of Pico. What belongs to a seat stands in seat order; hands are kept lowest card first."""

    edition: Edition = "pico2"
    deck: Cards = ()
    dealt: tuple[Cards, ...] = ((), ())
    """The hands that the round began with."""
    hands: tuple[Cards, ...] = ((), ())
    """A committed card stays in its hand until it has won the trick."""
    face_up: Card | None = None
    committed: tuple[Card | None, ...] = (None, None)
    revealed: Cards = ()
    """The two cards of a trick between their reveal and its winner."""
    won: tuple[Cards, ...] = ((), ())
    points: tuple[tuple[int, ...], ...] = ((0, 0),)
    """The red points won in every round begun."""
    rounds_ended: int = 0
    last_trick: Trick | None = None


def open(options: Options, seats: int) -> Sequence[Event]:
    return [DeckChosen(options.edition, tuple(RED_POINTS[options.edition]))]


def choices(state: State, seat: int) -> Sequence[Command]:
    match advance(state):
        case Waiting(seats) if seat in seats:
            return [CommitCard(card) for card in state.hands[seat]]
    return []


def decide(state: State, seat: int, command: Command) -> Sequence[Event]:
    if command.card not in state.hands[seat]:
        raise Refused("card_not_in_hand", "3.2")
    return [CardCommitted(seat, command.card)]


def advance(state: State) -> Advance[Event]:
    if state.face_up is None:
        return Chance(Shuffle(state.deck))  # 2.1
    if state.rounds_ended == ROUNDS:
        return Over(Result(standing(state), "rounds_played"))  # 5.1
    if state.rounds_ended == len(state.points):
        return Facts([HandsExchanged(state.dealt[::-1])])  # 5.2
    if round_over(state):
        return Facts([RoundEnded(len(state.points), state.points[-1], totals(state))])  # 4.1
    if state.revealed:
        return Facts([resolved(state)])
    cards = tuple([card for card in state.committed if card is not None])
    if len(cards) == len(state.hands):
        return Facts([CardsRevealed(cards)])  # 3.4
    return Waiting(frozenset([seat for seat, card in enumerate(state.committed) if card is None]), secret=True)  # 3.1


def settle(state: State, outcome: Outcome) -> Sequence[Event]:
    first, second, eleventh = outcome[:HAND], outcome[HAND : 2 * HAND], outcome[2 * HAND]
    return [HandDealt(0, tuple(sorted(first))), HandDealt(1, tuple(sorted(second))), FaceUpCardPlaced(eleventh)]  # 2.1, 2.2


def evolve(state: State, event: Event) -> State:
    match event:
        case DeckChosen(edition, cards):
            return replace(state, edition=edition, deck=cards)
        case HandDealt(seat, cards):
            hands = put(state.hands, seat, cards)
            return replace(state, dealt=hands, hands=hands)
        case FaceUpCardPlaced(card):
            return replace(state, face_up=card)
        case CardCommitted(seat, committed):
            return replace(state, committed=put(state.committed, seat, committed))
        case CardsRevealed(cards):
            return replace(state, committed=(None, None), revealed=cards)
        case TrickResolved(winner, card, points):
            return replace(
                state,
                revealed=(),
                hands=put(state.hands, winner, tuple(held for held in state.hands[winner] if held != card)),
                won=put(state.won, winner, (*state.won[winner], card)),
                points=(*state.points[:-1], points),
                last_trick=Trick(state.revealed, winner),
            )
        case RoundEnded(number):
            return replace(state, rounds_ended=number)
        case HandsExchanged(hands):
            return replace(state, dealt=hands, hands=hands, won=((), ()), points=(*state.points, (0, 0)))
        case _:
            assert_never(event)


def standing(state: State) -> tuple[Place, ...]:
    return ranked(totals(state), totals(state))  # 6.1, 6.2


def totals(state: State) -> tuple[int, ...]:
    """The red points of all rounds together, in seat order."""
    return tuple(map(sum, zip(*state.points, strict=True)))


def round_over(state: State) -> bool:
    return 1 in map(len, state.hands)  # 4.1


def taker(cards: Cards) -> int:
    """Which of two cards takes the trick, as its place in `cards`: the higher one unless it is more than twice the lower one."""
    low, high = min(cards), max(cards)
    return cards.index(low if high > 2 * low else high)  # 3.5, 3.6


def resolved(state: State) -> TrickResolved:
    winner = taker(state.revealed)
    card, points = state.revealed[winner], state.points[-1]
    return TrickResolved(winner, card, put(points, winner, points[winner] + RED_POINTS[state.edition][card]))  # 3.7, 4.3
