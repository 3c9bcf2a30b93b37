"""How New Game is played. Numbers in comments are clauses of RULES.md."""

from collections.abc import Sequence
from typing import Annotated, assert_never

import msgspec
from msgspec.structs import replace

from domain.games.new_game.commands import Command, CommitCard
from domain.games.new_game.events import CardCommitted, CardsRevealed, DiceRolled, Event, HandsTaken, RoundEnded
from domain.games.new_game.options import CARDS, FACES, Card, Cards, Face, Options
from domain.match.game import IN_SEAT_ORDER, Advance, Chance, Facts, Outcome, Over, Place, Refused, Result, Roll, Seat, Waiting, put, ranked


class Round(msgspec.Struct, frozen=True):
    """A round that is over."""

    prize: Annotated[Face, msgspec.Meta(description="What it was played for.")]
    cards: Annotated[Cards, IN_SEAT_ORDER, msgspec.Meta(description="The cards that were laid, in seat order.")]
    winner: Annotated[Seat | None, msgspec.Meta(description="The seat that took the prize; null when none did.")]


class State(msgspec.Struct, frozen=True):
    """A match of New Game. What belongs to a seat stands in seat order."""

    rounds: int = 1
    hands: tuple[Cards, ...] = ()
    """A committed card stays in its hand until all are revealed."""
    prize: Face | None = None
    """None before the die is rolled."""
    committed: tuple[Card | None, ...] = ()
    revealed: Cards = ()
    """The cards of a round between their reveal and its end."""
    points: tuple[int, ...] = ()
    rounds_ended: int = 0
    last_round: Round | None = None


def open(options: Options, seats: int) -> Sequence[Event]:
    return [HandsTaken((CARDS,) * seats, options.rounds)]  # 1.1, 1.3


def choices(state: State, seat: int) -> Sequence[Command]:
    match advance(state):
        case Waiting(seats) if seat in seats:
            return [CommitCard(card) for card in state.hands[seat]]
    return []


def decide(state: State, seat: int, command: Command) -> Sequence[Event]:
    if command.card not in state.hands[seat]:
        raise Refused("card_not_in_hand", "2.2")
    return [CardCommitted(seat, command.card)]


def advance(state: State) -> Advance[Event]:
    if state.rounds_ended == state.rounds:
        return Over(Result(standing(state), "rounds_played"))  # 3.1
    if state.prize is None:
        return Chance(Roll(dice=1, sides=len(FACES)))  # 2.1
    if state.revealed:
        return Facts([ended(state, state.prize)])
    cards = tuple(card for card in state.committed if card is not None)
    if len(cards) == len(state.hands):
        return Facts([CardsRevealed(cards)])  # 2.4
    return Waiting(frozenset(seat for seat, card in enumerate(state.committed) if card is None), secret=True)  # 2.2, 2.3


def settle(state: State, outcome: Outcome) -> Sequence[Event]:
    [face] = outcome
    return [DiceRolled(face)]


def evolve(state: State, event: Event) -> State:
    match event:
        case HandsTaken(hands, rounds):
            return replace(state, rounds=rounds, hands=hands, committed=(None,) * len(hands), points=(0,) * len(hands))
        case DiceRolled(prize):
            return replace(state, prize=prize)
        case CardCommitted(seat, committed):
            return replace(state, committed=put(state.committed, seat, committed))
        case CardsRevealed(cards):
            left = tuple(tuple(held for held in hand if held != card) for hand, card in zip(state.hands, cards, strict=True))
            return replace(state, hands=left, committed=(None,) * len(cards), revealed=cards)
        case RoundEnded(number, winner, points):
            assert state.prize is not None, "a round has a prize"
            last_round = Round(state.prize, state.revealed, winner)
            return replace(state, prize=None, revealed=(), points=points, rounds_ended=number, last_round=last_round)
        case _:
            assert_never(event)


def standing(state: State) -> tuple[Place, ...]:
    return ranked(state.points, state.points)  # 3.1, 3.2


def winner(cards: Cards) -> Seat | None:
    """The seat whose card takes the prize, if one does."""
    alone = [card for card in cards if cards.count(card) == 1]
    return cards.index(max(alone)) if alone else None  # 2.5, 2.6


def ended(state: State, prize: Face) -> RoundEnded:
    taker = winner(state.revealed)
    points = state.points if taker is None else put(state.points, taker, state.points[taker] + prize)
    return RoundEnded(state.rounds_ended + 1, taker, points)
