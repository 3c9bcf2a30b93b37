"""How Black Sheep is played. Numbers in comments are clauses of RULES.md."""

from collections.abc import Sequence
from typing import Annotated, assert_never

import msgspec
from msgspec.structs import replace

from domain.games.black_sheep.commands import Command, CommitBet, DeclineBet, PlayCard
from domain.games.black_sheep.events import (
    BetCommitted,
    BetsRevealed,
    CardPlayed,
    CardsSetAside,
    Event,
    GameEnded,
    HandDealt,
    LeaderChosen,
    SeriesBegun,
    TrickResolved,
)
from domain.games.black_sheep.options import (
    BETS,
    DECKS,
    SUPER,
    Bet,
    Card,
    Cards,
    Colour,
    Options,
    SuperLead,
    Values,
    black_sheep,
    colour,
    number,
)
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
    Roll,
    Seat,
    Shuffle,
    Waiting,
    put,
    ranked,
)

HAND = 8


class Play(msgspec.Struct, frozen=True):
    """A card that a seat has played."""

    seat: Seat
    card: Card


class Trick(msgspec.Struct, frozen=True):
    """A trick that has been taken."""

    plays: Annotated[tuple[Play, ...], msgspec.Meta(description="Its cards in the order played, the leader's first.")]
    taker: Annotated[Seat, msgspec.Meta(description="The seat that took the trick.")]
    black_sheep: Annotated[int, msgspec.Meta(description="Black sheep in the trick.")]


class GameScore(msgspec.Struct, frozen=True):
    """The line of the score sheet for one game. What belongs to a seat stands in seat order."""

    taken: Annotated[tuple[int, ...], IN_SEAT_ORDER, msgspec.Meta(description="Black sheep captured.")]
    bets: Annotated[
        tuple[Bet | None, ...], IN_SEAT_ORDER, msgspec.Meta(description="The bets, null for none; empty when nobody could bet.")
    ]
    bets_won: Annotated[tuple[bool, ...], IN_SEAT_ORDER, msgspec.Meta(description="Who won a bet.")]
    counted: Annotated[
        tuple[int, ...], IN_SEAT_ORDER, msgspec.Meta(description="What counts: 0 for a bet that was won, else the black sheep captured.")
    ]


class State(msgspec.Struct, frozen=True):
    """A match of Black Sheep. What belongs to a seat stands in seat order; hands are kept in the deck's order."""

    games: int = 1
    values: Values = "1-7"
    deck: Cards = ()
    betting: bool = False
    super_lead: SuperLead = "always"
    hands: tuple[Cards, ...] = ()
    set_aside: int = 0
    """How many cards were not dealt. Which ones is nobody's to see, so it is not kept."""
    first_leader: Seat | None = None
    """Who led the latest game, from its first trick on."""
    leader: Seat | None = None
    """Who leads the trick; nobody between two games."""
    committed: dict[int, Bet | None] = {}
    """The bets made, still secret; None for a seat that does not bet."""
    bets: tuple[Bet | None, ...] = ()
    """The bets once they have been shown."""
    on_table: tuple[Play, ...] = ()
    tricks: tuple[Trick, ...] = ()
    """The tricks of this game."""
    taken: tuple[int, ...] = ()
    last_trick: Trick | None = None
    score_sheet: tuple[GameScore, ...] = ()
    """A line for each game that has ended."""


def open(options: Options, seats: int) -> Sequence[Event]:
    games = options.games_per_player * seats or 1  # 6.1
    return [SeriesBegun(seats, games, options.values, DECKS[options.values], options.bets, options.super_lead)]


def choices(state: State, seat: int) -> Sequence[Command]:
    match advance(state):
        case Waiting(seats, secret) if seat in seats:
            if secret:
                return [DeclineBet(), *map(CommitBet, BETS)]  # 3.2, 3.3
            return [PlayCard(card) for card in playable(state.hands[seat], on_table(state), state.super_lead)]
    return []


def decide(state: State, seat: int, command: Command) -> Sequence[Event]:
    match command:
        case DeclineBet() | CommitBet() if not state.betting:
            raise Refused("no_bets", "3.1")
        case DeclineBet() | CommitBet() if state.bets:
            raise Refused("bets_closed", "3.2")
        case DeclineBet():
            return [BetCommitted(seat, False, None)]
        case CommitBet(bet):
            return [BetCommitted(seat, True, bet)]
        case PlayCard() if bets_open(state):
            raise Refused("bet_first", "3.2")
        case PlayCard(card):
            require_playable(state, seat, card)
            return [CardPlayed(seat, card)]
        case _:
            assert_never(command)


def require_playable(state: State, seat: int, card: Card) -> None:
    hand, cards = state.hands[seat], on_table(state)
    if card not in hand:
        raise Refused("card_not_in_hand", "4.1")
    if card not in playable(hand, cards, state.super_lead):
        if not cards:
            raise Refused("super_not_led", "4.10")
        if card == SUPER:
            raise Refused("super_not_allowed", "4.6")
        raise Refused("colour_not_followed", "4.3")


def advance(state: State) -> Advance[Event]:
    if len(state.score_sheet) == state.games:
        return Over(Result(standing(state), "games_played"))  # 6.1
    if state.leader is None:
        return opening(state)
    if bets_open(state):
        missing = frozenset(range(len(state.hands))) - state.committed.keys()
        if missing:
            return Waiting(missing, secret=True)  # 3.4
        return Facts([BetsRevealed(tuple(bet for _, bet in sorted(state.committed.items())))])  # 3.4
    if len(state.on_table) == len(state.hands):
        return Facts([resolved(state)])
    if not any(state.hands):
        return Facts([ended(state)])  # 5.1
    turn = (state.leader + len(state.on_table)) % len(state.hands)
    return Waiting(frozenset({turn}), secret=False)  # 4.1


def opening(state: State) -> Advance[Event]:
    """What is next between two games: the deal, and then who leads."""
    if not any(state.hands):
        return Chance(Shuffle(state.deck))  # 2.1
    if state.first_leader is None:
        return Chance(Roll(1, len(state.hands)))  # 2.3
    return Facts([LeaderChosen(len(state.score_sheet) + 1, (state.first_leader + 1) % len(state.hands))])  # 2.4


def settle(state: State, outcome: Outcome) -> Sequence[Event]:
    if any(state.hands):
        return [LeaderChosen(1, outcome[0] - 1)]  # 2.3
    seats = len(state.hands)
    piles = [tuple(sorted(outcome[HAND * n : HAND * (n + 1)], key=state.deck.index)) for n in range(seats)]
    rest = tuple(sorted(outcome[HAND * seats :], key=state.deck.index))
    dealt = [HandDealt(seat, cards) for seat, cards in enumerate(piles)]  # 2.1
    return [*dealt, CardsSetAside(len(rest), rest)] if rest else dealt  # 2.2


def evolve(state: State, event: Event) -> State:
    match event:
        case SeriesBegun(seats, games, values, cards, bets, super_lead):
            begun = State(games=games, values=values, deck=cards, betting=bets, super_lead=super_lead)
            return replace(begun, hands=((),) * seats, taken=(0,) * seats)
        case HandDealt(seat, hand):
            return replace(state, hands=put(state.hands, seat, hand or ()))
        case CardsSetAside(count):
            return replace(state, set_aside=count)
        case LeaderChosen(_, leader):
            return replace(state, first_leader=leader, leader=leader, bets=(), tricks=(), taken=(0,) * len(state.hands))
        case BetCommitted(seat, _, bet):
            return replace(state, committed={**state.committed, seat: bet})
        case BetsRevealed(shown):
            return replace(state, committed={}, bets=shown)
        case CardPlayed(seat, card):
            held = list(state.hands[seat])
            held.remove(card)
            return replace(state, hands=put(state.hands, seat, tuple(held)), on_table=(*state.on_table, Play(seat, card)))
        case TrickResolved(taker, _, count, taken):
            trick = Trick(state.on_table, taker, count)
            return replace(state, leader=taker, on_table=(), tricks=(*state.tricks, trick), taken=taken, last_trick=trick)
        case GameEnded(_, taken, bets_won, counted):
            return replace(state, leader=None, score_sheet=(*state.score_sheet, GameScore(taken, state.bets, bets_won, counted)))
        case _:
            assert_never(event)


def standing(state: State) -> tuple[Place, ...]:
    """The fewest black sheep are the best. In a game that goes on, those captured so far count; no bet is won before its end."""
    running = totals(state) if state.leader is None else added(totals(state), state.taken)
    return ranked(running, [-count for count in running])  # 6.2, 6.3


def totals(state: State) -> tuple[int, ...]:
    """What all games that have ended count together, in seat order."""
    return added((0,) * len(state.hands), *(score.counted for score in state.score_sheet))


def added(*counts: Sequence[int]) -> tuple[int, ...]:
    return tuple(map(sum, zip(*counts, strict=True)))


def bets_open(state: State) -> bool:
    return state.betting and not state.bets  # 3.2


def on_table(state: State) -> Cards:
    return tuple(play.card for play in state.on_table)


def asked(cards: Cards) -> Colour | None:
    """The colour that these cards of a trick ask, the leader's first; None asks nothing."""
    return colour(cards[0]) if cards else None  # 4.2, 4.9


def playable(hand: Cards, cards: Cards, super_lead: SuperLead) -> Cards:
    """What may be played of this hand after these cards of a trick; of alike cards one."""
    held = tuple(dict.fromkeys(hand))
    if not cards and super_lead == "only-when-nothing-else":
        return tuple(card for card in held if card != SUPER) or held  # 4.10
    wanted = asked(cards)
    following = tuple(card for card in held if colour(card) == wanted)
    return following if wanted and following else held  # 4.2, 4.3, 4.5, 4.6, 4.9


def taker(cards: Cards) -> int:
    """Which of the cards of a trick takes it, as its place in the order played."""
    if SUPER in cards:
        return cards.index(SUPER)  # 4.8
    return max((at for at, card in enumerate(cards) if colour(card) == asked(cards)), key=lambda at: number(cards[at]))  # 4.7


def resolved(state: State) -> TrickResolved:
    cards = on_table(state)
    winning = state.on_table[taker(cards)]
    count = sum(map(black_sheep, cards))
    return TrickResolved(winning.seat, winning.card, count, put(state.taken, winning.seat, state.taken[winning.seat] + count))  # 4.11


def bet_won(taken: int, bet: Bet | None) -> bool:
    return bet is not None and abs(taken - bet) <= 1  # 3.5


def ended(state: State) -> GameEnded:
    won = tuple(map(bet_won, state.taken, state.bets or (None,) * len(state.taken)))
    counted = tuple(0 if lucky else taken for taken, lucky in zip(state.taken, won, strict=True))  # 3.6, 3.7, 5.2
    winners = tuple(seat for seat, count in enumerate(counted) if count == min(counted))  # 5.3
    return GameEnded(len(state.score_sheet) + 1, state.taken, won, counted, winners, added(totals(state), counted))
