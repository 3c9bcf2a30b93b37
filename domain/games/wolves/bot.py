"""How a bot plays Wolves & Sheep: it rehearses the rest of the match, and draws its card from what it would regret not to lay now."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from domain.games.wolves.commands import Command
from domain.games.wolves.options import BIG, LITTLE, POINTS, WOLVES, Card, Cards
from domain.games.wolves.rules import hunters
from domain.games.wolves.views import View
from domain.match.game import Luck, put

REHEARSALS = 200
ANYTHING = 0.5
"""How often a player in a rehearsal lays just any card, so that the bot is ready for players who do not think like it."""

BRINGS: Mapping[Card, int] = {**POINTS, BIG: 3, LITTLE: 3}
"""What laying a card brings, roughly; only good for knowing which of two cards to discard at the end."""


def normal(view: View, seat: int, choices: Sequence[Command], luck: Luck) -> Command:
    """All hands are known, so a fixed card could be foreseen: the card is drawn from the mixture that came out of the rehearsals."""
    if view.phase == "pick":
        return choices[0]  # The sheep are offered best first.
    weights = rehearsed(view.hands, seat, luck)
    return luck.choices(choices, weights=[weights[choice.card] for choice in choices])[0]


@dataclass
class Player:
    """A player in rehearsal. Regrets, weights and totals stand in the order of `cards`, the different cards in hand."""

    hand: Cards
    cards: list[Card] = field(init=False)
    regrets: list[float] = field(init=False)
    """How much more each card would have brought so far than what was laid; never below 0."""
    weights: list[float] = field(init=False)
    """How often the player means to lay each card in the next rehearsal."""
    totals: list[float] = field(init=False)
    """The weights of all rehearsals together, later ones counting more."""

    def __post_init__(self) -> None:
        self.cards = list(dict.fromkeys(self.hand))
        self.regrets = [0.0] * len(self.cards)
        self.weights = [1.0] * len(self.cards)
        self.totals = [0.0] * len(self.cards)

    def order(self, luck: Luck) -> list[Card]:
        """The hand in an order to play it in: the first card as the player means to, the others as they come, the last is discarded."""
        first = luck.choices(self.cards, weights=self.weights)[0] if luck.random() >= ANYTHING else luck.choice(self.cards)
        later = list(self.hand)
        later.remove(first)
        luck.shuffle(later)
        if len(later) > 1 and BRINGS[later[-1]] > BRINGS[later[-2]]:
            later[-2:] = later[-1], later[-2]
        return [first, *later]

    def learn(self, gains: Sequence[float], rehearsal: int) -> None:
        """Regret matching: what would have brought more than the mixture did is laid more often, in proportion to the regret."""
        expected = sum(gain * weight for gain, weight in zip(gains, self.weights, strict=True)) / sum(self.weights)
        self.regrets = [max(0.0, regret + gain - expected) for regret, gain in zip(self.regrets, gains, strict=True)]
        self.weights = self.regrets if any(self.regrets) else [1.0] * len(self.cards)
        share = rehearsal / sum(self.weights)
        self.totals = [total + weight * share for total, weight in zip(self.totals, self.weights, strict=True)]


def rehearsed(hands: Sequence[Cards], seat: int, luck: Luck) -> Mapping[Card, float]:
    """How often `seat` should lay each of its cards, after all players have rehearsed the rest of the match and learned from it."""
    players = [Player(hand) for hand in hands]
    for rehearsal in range(1, REHEARSALS + 1):
        orders = [player.order(luck) for player in players]
        rounds = list(zip(*orders, strict=True))[:-1]
        for at, player in enumerate(players):
            player.learn([gain(card, orders[at], rounds, at) for card in player.cards], rehearsal)
    return dict(zip(players[seat].cards, players[seat].totals, strict=True))


def gain(card: Card, order: Sequence[Card], rounds: Sequence[Cards], at: int) -> float:
    """How much more it would have brought the player `at` to lay `card` first, its turn in the order going to the first card."""
    turn = order.index(card)
    if turn == 0:
        return 0.0
    more = lead(put(rounds[0], at, card))[at] - lead(rounds[0])[at]
    if turn < len(rounds):
        more += lead(put(rounds[turn], at, order[0]))[at] - lead(rounds[turn])[at]
    return more


@lru_cache(maxsize=5_000)
def lead(cards: Cards) -> tuple[float, ...]:
    """By how many points each seat is ahead of the mean of the others in a round of these cards."""
    points = round_points(cards)
    return tuple(own - (sum(points) - own) / (len(points) - 1) for own in points)


def round_points(cards: Cards) -> tuple[int, ...]:
    """What a round of these cards brings each seat, when every pick is the best sheep there is."""
    sheep = sorted((POINTS[card] for card in cards if card not in WOLVES), reverse=True)
    points = [0] * len(cards)
    match hunters(cards):
        case ():
            return tuple(POINTS[card] for card in cards)
        case (seat,):
            points[seat] = sum(sheep)
        case (big, little):
            points[big], points[little] = sum(sheep[0::2]), sum(sheep[1::2])
    return tuple(points)
