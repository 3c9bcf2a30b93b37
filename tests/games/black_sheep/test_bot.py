"""What the bot of Black Sheep believes: its integers play by the rules, and the worlds it deals fit what its seat has seen."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from statistics import fmean

import pytest

from domain.games.black_sheep import GAME, bot
from domain.games.black_sheep.commands import Command, PlayCard
from domain.games.black_sheep.events import CardPlayed
from domain.games.black_sheep.options import DECKS, Card, Options
from domain.games.black_sheep.rules import State, playable
from tests.laws.matches import played, tables
from tests.table import Match, Moment, Table

WORLDS = 5
DEALS = 300
MATCHES = 16


@pytest.fixture(scope="module")
def matches() -> Sequence[Match]:
    """A match at every table of one game for each seat or of a single one."""
    return [played(table, seed) for seed, table in enumerate(tables(GAME)) if table.options.games_per_player == 0]


def test_the_integers_play_by_the_rules(matches: Sequence[Match]) -> None:
    for match in matches:
        before, *moments = (moment for moment in match.moments if bot_could_play(moment))
        table = whole(before.state)
        for now, after in pairwise([before, *moments, match.now]):
            seat = table.turn
            assert now.waiting == {seat}
            assert cards(table.playable()) == {choice.card for choice in GAME.choices(now.state, seat) if isinstance(choice, PlayCard)}
            card = match.events[now.events].card
            table.play(next(bit for bit in bot.CARD if bit & table.hands[seat] and bot.CARD[bit] == card))
            assert table.taken == list(after.state.taken)
        assert not any(table.hands)


def test_the_rule_of_thumb_plays_what_the_rules_allow(matches: Sequence[Match]) -> None:
    for match in matches:
        table = whole(next(moment.state for moment in match.moments if bot_could_play(moment)))
        while table.hands[table.turn]:
            card = bot.thumb(table)
            assert card & table.playable()
            table.play(card)
        assert not any(table.hands)


def test_worlds_fit_what_the_seat_has_seen(matches: Sequence[Match]) -> None:
    for seed, match in enumerate(matches):
        for moment in filter(bot_could_play, match.moments):
            [seat] = moment.waiting
            state: State = moment.state
            unseen = Counter(DECKS[state.values]) - Counter(play.card for play in plays(match, moment)) - Counter(state.hands[seat])
            assert fits(match, moment, state.hands), "what really happened has to be possible"
            for table, _ in zip(bot.worlds(GAME.view(state, seat), seat, 1, random.Random(seed)), range(WORLDS), strict=False):
                hands = [[bot.CARD[bit] for bit in bot.CARD if bit & hand] for hand in table.hands]
                assert Counter(hands[seat]) == Counter(state.hands[seat])
                assert not sum((Counter(hand) for other, hand in enumerate(hands) if other != seat), Counter()) - unseen
                assert fits(match, moment, hands)
                assert (table.turn, table.played, table.taken) == (seat, len(state.on_table), list(state.taken))


def test_cards_are_dealt_as_allowed_however_little_is_allowed() -> None:
    """Somebody deals, and tells of each place some cards it may hold: those it does hold, and a few others."""
    for seed in range(DEALS):
        luck = random.Random(seed)
        cards = luck.sample(list(bot.CARD), 12)
        true = [cards[at : at + 3] for at in range(0, 12, 3)]
        allowed = [sum({*hand, *luck.sample(cards, luck.randrange(5))}) for hand in true]
        places = bot.dealt(luck.sample(cards, 12), [3, 3, 3], allowed, luck)
        assert [place.bit_count() for place in places] == [3, 3, 3, 3]
        assert sum(places) == sum(cards)
        assert all(not place & ~own for place, own in zip(places, allowed, strict=True))


def test_one_better_player_among_four_counts_fewer_and_wins_more_bets(capsys: pytest.CaptureFixture[str]) -> None:
    counted, bets_won = Averages(), Averages()
    for seed in range(MATCHES):
        better = seed % 4
        match = played(Table(GAME, Options(bets=True), 4), seed, partial(chosen, better=better))
        [score] = match.now.state.score_sheet
        for averages, values in ((counted, score.counted), (bets_won, score.bets_won)):
            averages.better.append(values[better])
            averages.easy += (value for seat, value in enumerate(values) if seat != better)
    with capsys.disabled():
        print(f"\nblack-sheep: normal against three easy: counted {counted}, bets won {bets_won}")
    assert fmean(counted.better) < fmean(counted.easy)
    assert fmean(bets_won.better) > fmean(bets_won.easy)


@dataclass
class Averages:
    better: list[float] = field(default_factory=list)
    easy: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{fmean(self.better):.2f} against {fmean(self.easy):.2f}"


def chosen(match: Match, luck: random.Random, better: int) -> tuple[int, Command]:
    seat = min(match.now.waiting)
    level = GAME.bots["normal" if seat == better else "easy"]
    return seat, level(GAME.view(match.now.state, seat), seat, GAME.choices(match.now.state, seat), luck)


def bot_could_play(moment: Moment) -> bool:
    return GAME.view(moment.state, None).phase == "play"


def whole(state: State) -> bot.Table:
    """The integers of a game of which all hands are known, before its first card."""
    bits = list(bot.bits(card for hand in state.hands for card in hand))
    hands = [sum(bits[at : at + 8]) for at in range(0, len(bits), 8)]
    assert state.leader is not None
    return bot.Table(hands, state.leader, state.taken, state.super_lead)


def cards(bits: int) -> set[Card]:
    return {card for bit, card in bot.CARD.items() if bit & bits}


def plays(match: Match, moment: Moment) -> list[CardPlayed]:
    return [event for event in match.events[: moment.events] if isinstance(event, CardPlayed)]


def fits(match: Match, moment: Moment, hands: Sequence[Sequence[Card]]) -> bool:
    """Whether these hands could have been held by players who played as they did, by the rules of following and leading."""
    held = [list(hand) for hand in hands]
    seats = match.table.seats
    seen = plays(match, moment)
    for number in reversed(range(len(seen))):
        play, trick = seen[number], tuple(earlier.card for earlier in seen[number - number % seats : number])
        held[play.seat].append(play.card)
        if play.card not in playable(tuple(held[play.seat]), trick, match.table.options.super_lead):
            return False
    return True
