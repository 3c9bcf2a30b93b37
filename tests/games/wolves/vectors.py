"""How the rules of Wolves & Sheep answer the cases of tests/vectors/wolves.json."""

from collections.abc import Mapping, Sequence
from typing import Any

from domain.games.wolves import GAME
from domain.games.wolves.commands import CommitCard, PickSheep
from domain.games.wolves.events import SheepPicked
from domain.games.wolves.options import Card, Options
from domain.games.wolves.rules import State, wolves_used, worth
from domain.match.game import Place, ranked
from tests.table import Match, Table


def setup(players: int) -> Any:
    state: State = begun(players).now.state
    hand, *others = map(list, state.hands)
    assert all(other == hand for other in others)
    return {"hand": hand, "rounds": state.rounds}


def round_(plays: Sequence[Card], picks: Sequence[int]) -> Any:
    match = begun(len(plays))
    play(match, plays, picks)
    ended = match.now.state.last_round
    return {
        "fronts": [list(cards) for cards in ended.taken],
        "deltas": list(ended.points),
        "pickers": [event.seat for event in match.events if isinstance(event, SheepPicked)],
    }


def ranking(players: Sequence[Mapping[str, Any]]) -> Any:
    return places(ranked([player["points"] for player in players], [worth(player["points"], player["wolves"]) for player in players]))


def game(players: int, rounds: Sequence[Mapping[str, Any]]) -> Any:
    match = begun(players)
    for each in rounds:
        play(match, each["plays"], each["picks"])
    state: State = match.now.state
    assert match.result is not None
    return {
        "points": list(state.totals),
        "wolves_used": [len(wolves) for wolves in wolves_used(state)],
        "discarded": list(state.discarded),
        **places(match.result.ranking),
    }


def begun(players: int) -> Match:
    return Match(Table(GAME, Options(), players), lambda number, request: ()).begin()


def play(match: Match, plays: Sequence[Card], picks: Sequence[int]) -> None:
    """A round: each seat lays its card, then the wolves pick the sheep of these seats, one after the other."""
    for seat, card in enumerate(plays):
        match.choose(seat, CommitCard(card))
    if GAME.view(match.now.state, None).phase == "pick":
        [picker] = match.now.waiting
        match.choose(picker, PickSheep(plays[picks[0]]))


def places(ranking: Sequence[Place]) -> Any:
    by_seat = sorted(ranking, key=lambda place: place.seat)
    return {"ranks": [place.rank for place in by_seat], "winners": [place.seat for place in by_seat if place.rank == 1]}


ANSWERS = {"setup": setup, "round": round_, "ranking": ranking, "game": game}
