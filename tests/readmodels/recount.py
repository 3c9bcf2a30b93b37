"""What the read models must say, counted from the log alone in another way: match by match, in plain loops over all that is there."""

import json
from collections import defaultdict
from typing import Any, NamedTuple

from openskill.models import PlackettLuce

from tests.store.appends import Session

ENDINGS = """
SELECT stream_id, data FROM es.events WHERE type = 'match.ended' ORDER BY events.epoch, events.tx_id, position
"""
BEGINNINGS = """
SELECT stream_id, data FROM es.events WHERE type = $1
"""
SHOWN = """
SELECT game, player_id, matches, wins, draws, contested, rank_sum, best, rated, mu, sigma FROM standings
WHERE generation = $1 ORDER BY game, player_id
"""


class Count(NamedTuple):
    """What was counted for one player in one game."""

    matches: int
    wins: int
    draws: int
    contested: int
    rank_sum: int
    best: int | None
    rated: int
    mu: float
    sigma: float


Counts = dict[tuple[str, str], Count]


async def recounted(database: Session) -> Counts:
    """By game and player."""
    opened = {row["stream_id"]: json.loads(row["data"]) for row in await database.fetch(BEGINNINGS, "match.opened")}
    started = {row["stream_id"]: json.loads(row["data"]) for row in await database.fetch(BEGINNINGS, "match.started")}
    trains: dict[str, list[int]] = defaultdict(list)
    for row in await database.fetch(BEGINNINGS, "little-train.turn_scored"):
        trains[row["stream_id"]].append(json.loads(row["data"])["points"])
    model = PlackettLuce()
    skills: dict[tuple[str, str], Any] = defaultdict(model.rating)
    matches: dict[tuple[str, str], list[tuple[int, int, int | None, list[int]]]] = defaultdict(list)
    rated: dict[tuple[str, str], int] = defaultdict(int)
    for row in await database.fetch(ENDINGS):
        ended = json.loads(row["data"])
        if not ended["ranking"] or ended["reason"] == "abandoned":
            continue
        game = opened[row["stream_id"]]["game"]
        players = {seat["seat"]: seat["player_id"] for seat in started[row["stream_id"]]["seats"]}
        ranks = [place["rank"] for place in ended["ranking"]]
        places = sorted(ended["ranking"], key=lambda place: int(place["seat"]))
        people = [(game, players[place["seat"]], place) for place in places if players[place["seat"]]]
        for game_of, player, place in people:
            matches[game_of, player].append((len(ranks), place["rank"], max(trains[row["stream_id"]], default=None), ranks))
        if len(people) > 1:
            after = model.rate([[skills[game_of, player]] for game_of, player, _ in people], ranks=[place["rank"] for *_, place in people])
            for (game_of, player, _), [skill] in zip(people, after, strict=True):
                skills[game_of, player] = skill
                rated[game_of, player] += 1
    return {key: _count(own, rated[key], skills[key]) for key, own in matches.items()}


def _count(own: list[tuple[int, int, int | None, list[int]]], rated: int, skill: Any) -> Count:
    contested = [(rank, ranks) for seats, rank, _, ranks in own if seats > 1]
    return Count(
        matches=len(own),
        wins=sum(rank == 1 and ranks.count(1) == 1 for rank, ranks in contested),
        draws=sum(rank == 1 and ranks.count(1) > 1 for rank, ranks in contested),
        contested=len(contested),
        rank_sum=sum(rank for rank, _ in contested),
        best=max((train for seats, _, train, _ in own if seats == 1 and train is not None), default=None),
        rated=rated,
        mu=skill.mu,
        sigma=skill.sigma,
    )


async def shown(database: Session, generation: int = 1) -> Counts:
    """What the standings say, by game and player."""
    return {(row["game"], row["player_id"]): Count(*list(row.values())[2:]) for row in await database.fetch(SHOWN, generation)}
