"""Matches that people give up, come back to and let wait are judged too, in every game: what they leave is played on by the rules."""

import asyncio
import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from litestar import Litestar

from tests.referees.panel import REFEREES, judge
from tests.referees.test_referees import SEATS
from tests.service.conftest import app, bearing, inside

__all__ = ["app"]

SHORT: dict[str, dict[str, Any]] = {"schemers": {"rounds_max": 5}, "black-sheep": {"games_per_player": 0}, "little-train": {"games": 1}}
LIVES, MANY_LIVES = 4, 150
RESIGN, LATE, BACK = 0.03, 0.03, 0.1
"""How probable it is that somebody gives up, or is too late, rather than choose; and that somebody comes back."""


TOO_LATE = ("match_over", "decision_closed", "not_your_turn", "resigned", "already_seated")
"""What somebody hears when the clock or a bot was first."""


@dataclass
class Life:
    """One match, and the people at it by their seats; bots hold the others."""

    path: str
    people: dict[int, httpx.AsyncClient]
    luck: random.Random
    sure: list[float] = field(default_factory=list)
    """What is not left to luck, at the beginning."""

    async def lived(self) -> dict[str, Any]:
        """The record, once somebody or everybody has come to an end."""
        while (view := (await self.people[0].get(self.path)).json())["status"] != "ended":
            await self._deed(view)
        return dict((await self.people[0].get(f"{self.path}/record")).json())

    async def _deed(self, view: dict[str, Any]) -> None:
        seat, gone = self.luck.choice([*self.people]), {chair["seat"] for chair in view["seats"] if chair["stand_in"]}
        owing = [seat for seat in view["waiting_for"] if seat in self.people.keys() - gone]
        what = self.sure.pop(0) if self.sure else self.luck.random()
        if seat in gone:
            if what < BACK:
                await self._done(seat, "seats", {})
        elif what < RESIGN:
            return await self._done(seat, "resign")
        elif what < RESIGN + LATE and owing:
            await self._done(seat, "clock", {"forward_seconds": 60})
            return await self._until_after(view["version"] + 1)
        if owing:
            mine = (await self.people[owing[0]].get(self.path)).json()
            for decision in mine["decisions"]:
                await self._done(owing[0], "commands", {"command": self.luck.choice(decision["choices"]), "decision": decision["decision"]})
        else:
            await self._until_after(view["version"])
        return None

    async def _done(self, seat: int, what: str, body: Any = None) -> None:
        answer = await self.people[seat].post(f"{self.path}/{what}", json=body)
        assert answer.is_success or answer.json()["code"] in TOO_LATE, answer.text

    async def _until_after(self, version: int) -> None:
        await self.people[0].get(f"{self.path}/events", params={"after": version, "wait": 10, "limit": 1})


async def life(app: Litestar, game: str, luck: random.Random, number: int) -> Life:
    nobody = httpx.AsyncClient(transport=inside(app), base_url="http://ludicitude.test")
    seats = SEATS[game][number % len(SEATS[game])]
    bots = luck.randrange(seats) if number % 2 else 0
    clock = {"turn_seconds": 5, "on_timeout": ("auto", "bot", "resign")[number % 3]}
    terms = {"options": {"game": game, **SHORT.get(game, {})}, "seats": seats, "bots": ["normal"] * bots, "clock": clock}
    clients = []
    for name in range(seats - bots):
        made = (await nobody.post("/v1/players", json={"display_name": f"Player {name}"})).json()
        clients.append(bearing(nobody._transport, made["token"]))
    opened = (await clients[0].post("/v1/matches", json=terms)).json()
    people = {0: clients[0]}
    for client in clients[1:]:
        seated = (await client.post(f"/v1/matches/{opened['match_id']}/seats", json={})).json()
        people[seated["you"]] = client
    sure = [1.0, 1.0, 0.0] if number % 2 else [1.0, *[RESIGN] * 3]
    return Life(f"/v1/matches/{opened['match_id']}", people, luck, sure=sure)


async def live_and_judge(app: Litestar, game: str, numbers: range) -> Counter[str]:
    """Judge so many lives, and count what happened in them by its type."""
    lives = [await life(app, game, random.Random(f"{game} {number}"), number) for number in numbers]
    records = await asyncio.gather(*(each.lived() for each in lives))
    for record in records:
        judge(record)
    return Counter(item["event"]["type"] for record in records for item in record["events"])


@pytest.mark.parametrize("game", REFEREES)
async def test_what_people_leave_is_played_on_by_the_rules(app: Litestar, game: str) -> None:
    happened = await live_and_judge(app, game, range(LIVES))
    assert {"match.resigned", "match.timed_out"} <= happened.keys()


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("game", REFEREES)
async def test_many_lives(app: Litestar, game: str) -> None:
    for first in range(0, MANY_LIVES, LIVES):
        await live_and_judge(app, game, range(first, first + LIVES))
