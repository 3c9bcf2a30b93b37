"""How a bot plays Black Sheep: it deals itself worlds that fit what it has seen, and plays each of its choices to the end in them.

A card is one bit of an integer here, eight bits a colour and then the supers, so that a set of cards is an integer too and the
higher of two cards of a colour is the greater one.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, pairwise, permutations

from domain.games.black_sheep.commands import Command, CommitBet, PlayCard
from domain.games.black_sheep.options import BETS, COLOURS, DECKS, SUPER, SUPERS, Bet, Card, SuperLead, black_sheep, colour, number
from domain.games.black_sheep.rules import Play, bet_won
from domain.games.black_sheep.views import View
from domain.match.game import Luck

WORLDS_MAX, PLAYS_MAX = 100, 16_000
"""How many worlds are dealt for one choice, and how many cards are played in all of them together; they bound the time."""

SUPER_BITS = tuple(1 << 8 * len(COLOURS) + n for n in range(SUPERS))
BITS: Mapping[Card, int] = {SUPER: SUPER_BITS[0]} | {
    card: 1 << 8 * COLOURS.index(named) + number(card) for cards in DECKS.values() for card in cards if (named := colour(card))
}
"""The bit of each card, of the supers the lowest one; none but the supers are higher."""
CARD: Mapping[int, Card] = {bit: card for card, bit in BITS.items()} | dict.fromkeys(SUPER_BITS, SUPER)
SUIT: Mapping[int, int] = {bit: 0 if card == SUPER else 0xFF << (bit.bit_length() - 1) // 8 * 8 for bit, card in CARD.items()}
"""The cards that have to follow a card when it is led: those of its colour, and none after a super."""
RANKS = tuple(sum(bit for card, bit in BITS.items() if card != SUPER and number(card) == rank) for rank in range(8))
"""The cards with each number."""
FIVES = RANKS[5]
ALL_SUPERS = sum(SUPER_BITS)
ALL_CARDS = sum(CARD)
SHEEP = sum(bit for bit, card in CARD.items() if black_sheep(card))


class Table:
    """A game of Black Sheep as integers, every hand known. A property test ties it to the rules."""

    __slots__ = ("asked", "best", "hands", "played", "sheep", "super_last", "taken", "taker", "turn")

    def __init__(self, hands: Sequence[int], turn: int, taken: Sequence[int], super_lead: SuperLead) -> None:
        self.hands, self.turn, self.taken = list(hands), turn, list(taken)
        self.super_last = super_lead == "only-when-nothing-else"
        self.asked = self.best = self.taker = self.sheep = self.played = 0

    def copy(self) -> "Table":
        """The same table, to be played on in another way."""
        other = object.__new__(Table)
        other.hands, other.taken = self.hands[:], self.taken[:]
        other.turn, other.asked, other.best, other.taker = self.turn, self.asked, self.best, self.taker
        other.sheep, other.played, other.super_last = self.sheep, self.played, self.super_last
        return other

    def playable(self) -> int:
        """The cards that the seat on turn may play."""
        hand = self.hands[self.turn]
        if not self.played:
            return (hand & ~ALL_SUPERS or hand) if self.super_last else hand
        return hand & self.asked or hand

    def play(self, bit: int) -> None:
        """The seat on turn plays this card; the last card of a trick resolves it."""
        self.hands[self.turn] ^= bit
        if bit & SHEEP:
            self.sheep += 1
        if not self.played:
            self.asked = SUIT[bit]
            self.best, self.taker = bit, self.turn
        elif bit > self.best and (bit & self.asked or bit >= SUPER_BITS[0] > self.best):
            self.best, self.taker = bit, self.turn
        self.played += 1
        self.turn += 1
        if self.turn == len(self.hands):
            self.turn = 0
        if self.played == len(self.hands):
            self.taken[self.taker] += self.sheep
            self.turn = self.taker
            self.asked = self.best = self.sheep = self.played = 0


def normal(view: View, seat: int, choices: Sequence[Command], luck: Luck) -> Command:
    """Bets on what it captures most often; plays the card after which it counts the fewest black sheep beside the others."""
    return best_bet(view, seat, choices, luck) if view.phase == "bet" else best_card(view, seat, choices, luck)


def best_bet(view: View, seat: int, choices: Sequence[Command], luck: Luck) -> Command:
    """The bet that saves the most black sheep; a lost one costs nothing."""
    taken = [played_out(table)[seat] for table in worlds(view, seat, 1, luck)]
    saved = {bet: sum(count for count in taken if bet_won(count, bet)) for bet in BETS}
    best = max(BETS, key=saved.__getitem__)
    return next(choice for choice in choices if isinstance(choice, CommitBet) and choice.bet == best)


def best_card(view: View, seat: int, choices: Sequence[Command], luck: Luck) -> Command:
    cards = [choice for choice in choices if isinstance(choice, PlayCard)]
    if len(cards) == 1:
        return cards[0]
    bets = view.bets or (None,) * len(view.taken)
    gains = [0.0] * len(cards)
    for table in worlds(view, seat, len(cards), luck):
        for at, choice in enumerate(cards):
            branch = table.copy()
            branch.play(BITS[choice.card])
            gains[at] += gain(played_out(branch), bets, seat)
    return cards[gains.index(max(gains))]


def gain(taken: Sequence[int], bets: Sequence[Bet | None], seat: int) -> float:
    """What a game ends with for this seat: how many black sheep fewer it counts than the others do on average."""
    counted = [0 if bet_won(count, bet) else count for count, bet in zip(taken, bets, strict=True)]
    mine = counted.pop(seat)
    return sum(counted) / len(counted) - mine


def played_out(table: Table) -> list[int]:
    """The black sheep that each seat has captured when everybody has played the rest of the game by rule of thumb."""
    while table.hands[table.turn]:
        table.play(thumb(table))
    return table.taken


def thumb(table: Table) -> int:
    """A sensible card: stay under the best card of the trick, and be rid of black sheep and high cards where they cost nothing."""
    hand, best = table.hands[table.turn], table.best
    if not table.played:
        return lead(hand & ~ALL_SUPERS or hand)
    follow = hand & table.asked
    if follow:
        below = follow if best >= SUPER_BITS[0] else follow & (best - 1)
        if below:
            return below & FIVES or highest(below)
        cheap = follow & ~FIVES or follow
        return highest(cheap) if table.played == len(table.hands) - 1 else lowest(cheap)
    if best >= SUPER_BITS[0] and hand & ALL_SUPERS:
        return lowest(hand & ALL_SUPERS)
    return discard(hand & ~ALL_SUPERS or hand)


def lead(cards: int) -> int:
    """The card with the lowest number, a black one before others."""
    for rank in RANKS:
        if cards & rank:
            return highest(cards & rank)
    return lowest(cards)


def discard(cards: int) -> int:
    """A black sheep, the highest black card first, or else the card with the highest number."""
    if cards & SHEEP:
        return highest(cards & SHEEP)
    for rank in reversed(RANKS):
        if cards & rank:
            return highest(cards & rank)
    return lowest(cards)


def lowest(cards: int) -> int:
    return cards & -cards


def highest(cards: int) -> int:
    return 1 << cards.bit_length() - 1


def worlds(view: View, seat: int, choices: int, luck: Luck) -> Iterator[Table]:
    """Tables that fit everything this seat has seen: as many as there is time for, to play so many choices to the end in each."""
    tricks = [*(trick.plays for trick in view.tricks), view.on_table]
    assert view.your_hand is not None, "only a seat can owe a choice"
    known = list(bits([*view.your_hand, *(play.card for plays in tricks for play in plays)]))
    mine, on_table = sum(known[: len(view.your_hand)]), known[len(known) - len(view.on_table) :]
    unseen = [bit for bit in bits(DECKS[view.values]) if bit not in known]
    sizes = [0 if other == seat else size for other, size in enumerate(view.hand_sizes)]
    allowed = possible(view, tricks)
    for _ in range(min(WORLDS_MAX, PLAYS_MAX // (choices * sum(view.hand_sizes)))):
        luck.shuffle(unseen)
        hands = dealt(unseen, sizes, allowed, luck)[:-1]
        hands[seat] = mine
        yield laid(view, hands, on_table)


def bits(cards: Iterable[Card]) -> Iterator[int]:
    """A bit for each of these cards, another one for each super."""
    supers = iter(SUPER_BITS)
    return (next(supers) if card == SUPER else BITS[card] for card in cards)


def laid(view: View, hands: list[int], on_table: Sequence[int]) -> Table:
    """The table with these hands, after the cards of this trick have been played."""
    for play, bit in zip(view.on_table, on_table, strict=True):
        hands[play.seat] |= bit
    assert view.leader is not None, "a choice is owed, so somebody leads"
    table = Table(hands, view.leader, view.taken, view.super_lead)
    for bit in on_table:
        table.play(bit)
    return table


def possible(view: View, tricks: Sequence[Sequence[Play]]) -> list[int]:
    """Which cards each seat can hold by what it has played, and last which can be set aside: any."""
    allowed = [ALL_CARDS] * (len(view.hand_sizes) + 1)
    for plays in tricks:
        for play in plays:
            suit = SUIT[BITS[plays[0].card]]
            if not BITS[play.card] & suit:
                allowed[play.seat] &= ~suit
        if plays and plays[0].card == SUPER and view.super_lead == "only-when-nothing-else":
            allowed[plays[0].seat] &= ALL_SUPERS
    return allowed


def dealt(unseen: Sequence[int], sizes: Sequence[int], allowed: Sequence[int], luck: Luck) -> list[int]:
    """The unseen cards as hands of these sizes, and last those set aside, so that each place holds only what is allowed there."""
    ends = [*accumulate(sizes), len(unseen)]
    places = [sum(unseen[start:end]) for start, end in pairwise([0, *ends])]
    for place, own in enumerate(allowed):
        while wrong := places[place] & ~own:
            pass_round(places, place, lowest(wrong), allowed, luck)
    return places


def pass_round(places: list[int], place: int, card: int, allowed: Sequence[int], luck: Luck) -> None:
    """Pass a card on to a place where it is allowed, which passes on another one, and so on until one comes back in exchange.

    There is such a round whenever the cards can be dealt as allowed at all, and as they lie somewhere, they can.
    """
    others = [other for other in range(len(places)) if other != place]
    luck.shuffle(others)
    for way in chain.from_iterable(permutations(others, length) for length in range(1, len(places))):
        passed = [card & allowed[way[0]], *(places[giver] & allowed[taker] for giver, taker in pairwise((*way, place)))]
        if all(passed):
            for giver, taker, cards in zip((place, *way), (*way, place), passed, strict=True):
                gift = luck.choice([bit for bit in CARD if bit & cards])
                places[giver] ^= gift
                places[taker] ^= gift
            return
    raise AssertionError("nobody can hold this card, though somebody does")
