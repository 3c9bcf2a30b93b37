"""How Wolves & Sheep is played. Numbers in comments are clauses of RULES.md."""

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Annotated, assert_never

import msgspec
from msgspec.structs import replace

from domain.games.wolves.commands import Command, CommitCard, PickSheep
from domain.games.wolves.events import (
    CardCommitted,
    CardsRevealed,
    Event,
    HandsTaken,
    LastCardsDiscarded,
    RoundEnded,
    SheepCaptured,
    SheepKept,
    SheepPicked,
    WolfLaid,
    WolvesCancelled,
)
from domain.games.wolves.options import LITTLE, POINTS, SETS, WOLVES, Card, Cards, Options
from domain.match.game import IN_SEAT_ORDER, Advance, Facts, Outcome, Over, Place, Refused, Result, Waiting, put, ranked


class Round(msgspec.Struct, frozen=True):
    """A round that is over. What belongs to a seat stands in seat order."""

    cards: Annotated[Cards, IN_SEAT_ORDER, msgspec.Meta(description="The cards that were played.")]
    taken: Annotated[tuple[Cards, ...], IN_SEAT_ORDER, msgspec.Meta(description="The cards that were laid in front of each seat.")]
    points: Annotated[tuple[int, ...], IN_SEAT_ORDER, msgspec.Meta(description="The points that the round brought each seat.")]


class State(msgspec.Struct, frozen=True):
    """A match of Wolves & Sheep. What belongs to a seat stands in seat order."""

    rounds: int = 0
    rounds_ended: int = 0
    hands: tuple[Cards, ...] = ()
    """A committed card stays in its hand until it is revealed."""
    committed: tuple[Card | None, ...] = ()
    revealed: Cards = ()
    """The cards of a round between their reveal and its end."""
    taken: tuple[Cards, ...] = ()
    """The cards that have come in front of each seat in this round."""
    fronts: tuple[Cards, ...] = ()
    """The cards in front of each seat, those of this round included."""
    totals: tuple[int, ...] = ()
    """The points of all rounds that are over."""
    last_round: Round | None = None
    discarded: Cards = ()


def open(options: Options, seats: int) -> Sequence[Event]:
    cards = SETS["four-players" if seats == 4 else "two-or-three-players"]  # 1.4
    return [HandsTaken((cards,) * seats, len(cards) - 1)]  # 2.2, 3.1


def choices(state: State, seat: int) -> Sequence[Command]:
    match advance(state):
        case Waiting(seats, secret=True) if seat in seats:
            return [CommitCard(card) for card in dict.fromkeys(state.hands[seat])]
        case Waiting(seats) if seat in seats:
            return [PickSheep(card) for card in dict.fromkeys(sheep_left(state))]
    return []


def decide(state: State, seat: int, command: Command) -> Sequence[Event]:
    match command:
        case CommitCard(card):
            if state.revealed:
                raise Refused("sheep_to_pick_first", "5.5")
            if card not in state.hands[seat]:
                raise Refused("card_not_in_hand", "3.3")
            return [CardCommitted(seat, card)]
        case PickSheep(card):
            if not state.revealed:
                raise Refused("nothing_to_pick", "5.5")
            if card not in sheep_left(state):
                raise Refused("sheep_not_on_table", "5.2")
            return [SheepPicked(seat, card)]
        case _:
            assert_never(command)


def advance(state: State) -> Advance[Event]:
    if state.discarded:
        return Over(Result(standing(state), "rounds_played"))
    if state.rounds_ended == state.rounds:
        return Facts([LastCardsDiscarded(tuple(chain(*state.hands)))])  # 6.1
    if state.revealed and sheep_left(state):
        return hunt(state)
    if state.revealed:
        return Facts([*wolves_laid(state), round_ended(state)])  # 4.6
    cards = tuple(card for card in state.committed if card is not None)
    if len(cards) == len(state.hands):
        return Facts([CardsRevealed(cards), *cancelled(cards)])  # 3.5
    return Waiting(frozenset(seat for seat, card in enumerate(state.committed) if card is None), secret=True)  # 3.2


def settle(state: State, outcome: Outcome) -> Sequence[Event]:
    raise AssertionError("nothing in Wolves & Sheep is left to chance")


def evolve(state: State, event: Event) -> State:
    match event:
        case HandsTaken(hands, rounds):
            each = ((),) * len(hands)
            return State(rounds, hands=hands, committed=(None,) * len(hands), taken=each, fronts=each, totals=(0,) * len(hands))
        case CardCommitted(seat, committed):
            return replace(state, committed=put(state.committed, seat, committed))
        case CardsRevealed(cards):
            hands = tuple(without(hand, card) for hand, card in zip(state.hands, cards, strict=True))
            return replace(state, hands=hands, committed=(None,) * len(hands), revealed=cards)
        case WolvesCancelled():
            return state
        case SheepKept(seat, card) | SheepPicked(seat, card) | WolfLaid(seat, card):
            return in_front(state, seat, (card,))
        case SheepCaptured(seat, cards):
            return in_front(state, seat, cards)
        case RoundEnded(number, points, totals):
            ended = Round(state.revealed, state.taken, points)
            return replace(state, rounds_ended=number, revealed=(), taken=((),) * len(points), totals=totals, last_round=ended)
        case LastCardsDiscarded(cards):
            return replace(state, hands=((),) * len(cards), discarded=cards)
        case _:
            assert_never(event)


def standing(state: State) -> tuple[Place, ...]:
    return ranked(state.totals, [worth(total, used) for total, used in zip(state.totals, wolves_used(state), strict=True)])


def worth(points: int, used: Sequence[Card]) -> tuple[int, int, bool]:
    """What ranks a player, the greater the better: points, then fewer wolves used, then the Little Wolf before the Big one."""
    return points, -len(used), LITTLE in used  # 6.3 to 6.7


def wolves_used(state: State) -> tuple[Cards, ...]:
    """The wolves in front of each seat."""
    return tuple(tuple(card for card in front if card in WOLVES) for front in state.fronts)  # 6.4


def sheep_left(state: State) -> Cards:
    """The revealed sheep that nobody has taken yet, best first."""
    left = Counter(card for card in state.revealed if card not in WOLVES) - Counter(chain(*state.taken))
    return tuple(sorted(left.elements(), key=lambda card: -POINTS[card]))


def hunt(state: State) -> Advance[Event]:
    """Who gets the sheep on the table."""
    left = sheep_left(state)
    match hunters(state.revealed):
        case ():
            return Facts([SheepKept(seat, card) for seat, card in enumerate(state.revealed) if card in left])  # 4.3
        case (seat,):
            return Facts([SheepCaptured(seat, left)])  # 4.4
        case pair:
            seat = pair[sum(map(len, state.taken)) % 2]  # 5.1
            forced = len(set(left)) == 1
            return Facts([SheepPicked(seat, left[0])]) if forced else Waiting(frozenset({seat}), secret=False)  # 5.4, 5.2


def hunters(cards: Cards) -> tuple[int, ...]:
    """The seats whose wolves are left when equal ones have cancelled each other, the Big Wolf's first."""
    return tuple(cards.index(wolf) for wolf in WOLVES if cards.count(wolf) == 1)  # 4.1, 4.2


def cancelled(cards: Cards) -> Sequence[Event]:
    seats = {wolf: tuple(seat for seat, card in enumerate(cards) if card == wolf) for wolf in WOLVES}
    return [WolvesCancelled(wolf, several) for wolf, several in seats.items() if len(several) > 1]  # 4.1


def wolves_laid(state: State) -> Sequence[Event]:
    return [WolfLaid(seat, card) for seat, card in enumerate(state.revealed) if card in WOLVES]  # 4.7


def round_ended(state: State) -> RoundEnded:
    points = tuple(sum(POINTS[card] for card in cards) for cards in state.taken)
    return RoundEnded(state.rounds_ended + 1, points, tuple(map(sum, zip(state.totals, points, strict=True))))  # 6.2


def in_front(state: State, seat: int, cards: Cards) -> State:
    """These cards come in front of this seat."""
    return replace(
        state,
        taken=put(state.taken, seat, (*state.taken[seat], *cards)),
        fronts=put(state.fronts, seat, (*state.fronts[seat], *cards)),
    )


def without(hand: Cards, card: Card) -> Cards:
    """A hand that has lost this card, or one of two alike."""
    at = hand.index(card)
    return (*hand[:at], *hand[at + 1 :])
