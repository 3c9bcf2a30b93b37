"""How the rules of Black Sheep answer the cases of tests/vectors/black-sheep.json."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from domain.games.black_sheep import GAME, rules
from domain.games.black_sheep.commands import PlayCard
from domain.games.black_sheep.events import Event, GameEnded, TrickResolved
from domain.games.black_sheep.options import DECKS, Bet, Card, Cards, Options, black_sheep
from domain.games.black_sheep.rules import State
from domain.match.game import Facts, Outcome, Request, Roll
from domain.match.play import fold, play, start


def deck(zero_to_six: bool) -> Any:
    cards = DECKS["0-6" if zero_to_six else "1-7"]
    return {"size": len(cards), "cards": cards}


def legal(hand: Cards, trick: Cards) -> Any:
    return {"legal": sorted(rules.playable(hand, trick, "always"))}


def trick(trick: Cards) -> Any:
    return {"taker": rules.taker(trick), **count(trick)}


def count(cards: Sequence[Card]) -> Any:
    return {"black_sheep": sum(map(black_sheep, cards))}


def bet(taken: int, bet: Bet | None) -> Any:
    state = scored(State(hands=((),), games=1), [{"taken": taken, "bet": bet}])
    [score] = state.score_sheet
    return {"won": score.bets_won[0], "counted": score.counted[0]}


def scores(games: Sequence[Sequence[Mapping[str, Any]]]) -> Any:
    state = State(hands=((),) * len(games[0]), games=len(games))
    for lines in games:
        state = scored(state, lines)
    ranking = GAME.standing(state)
    return {"totals": list(rules.totals(state)), "winners": [place.seat for place in ranking if place.rank == 1]}


def scored(state: State, lines: Sequence[Mapping[str, Any]]) -> State:
    """The match after one more game, in which each seat has made this bet and taken so many."""
    bets, taken = (tuple(line[field] for line in lines) for field in ("bet", "taken"))
    played = replace(state, betting=True, leader=0, bets=bets, taken=taken)
    match rules.advance(played):
        case Facts(events):
            counted: State = fold(GAME, played, events)
            return counted
    raise AssertionError("the game is not counted")


def deal(hands: Sequence[Cards], leader: int, plays: Cards, zero_to_six: bool) -> Any:
    events = dealt(hands, leader, plays, Options(values="0-6" if zero_to_six else "1-7"))
    [ended] = [event for event in events if isinstance(event, GameEnded)]
    return {
        "trick_takers": [event.taker for event in events if isinstance(event, TrickResolved)],
        "black_sheep": list(ended.taken),
        "winners": list(ended.winners),
    }


def dealt(hands: Sequence[Cards], leader: int, plays: Cards, options: Options) -> list[Event]:
    """All events of a match with these hands, this first leader and these cards in the order played."""

    def fate(number: int, request: Request) -> Outcome:
        if isinstance(request, Roll):
            return (leader + 1,)
        order = [card for hand in hands for card in hand]
        left = list(request.items)
        for card in order:
            left.remove(card)
        return (*order, *left)

    events = [entry.event for entry in start(GAME, options, len(hands), fate).entries]
    for card in plays:
        state = fold(GAME, GAME.initial, events)
        seat = next(seat for seat in range(len(hands)) if GAME.choices(state, seat))
        events += [entry.event for entry in play(GAME, state, seat, PlayCard(card), 2, fate).entries]
    return events


ANSWERS = {"deck": deck, "legal": legal, "trick": trick, "count": count, "bet": bet, "scores": scores, "deal": deal}
