"""Real matches in a storm: every player on two devices at once, who play, play twice, play too late, play nonsense and play for others.

Whatever comes of it, each choice that was acknowledged is in the record once and no other is, and a referee finds the match in order.
"""

import asyncio
import random
from collections import defaultdict
from typing import Any
from uuid import uuid4

import httpx
import pytest
from litestar import Litestar

from tests.referees.panel import judge
from tests.service.conftest import app, inside

__all__ = ["app"]

TERMS: dict[str, dict[str, Any]] = {
    "wolves": {"options": {"game": "wolves"}, "seats": 3},
    "pico": {"options": {"game": "pico"}, "seats": 2},
    "black-sheep": {"options": {"game": "black-sheep", "bets": True}, "seats": 3},
    "schemers": {"options": {"game": "schemers", "rounds_max": 5, "stakes": "50-100"}, "seats": 3},
    "little-train": {"options": {"game": "little-train", "games": 1}, "seats": 2},
}


class Storm:
    """One match and everybody who is at it."""

    def __init__(self, match_id: str, players: list[httpx.AsyncClient], luck: random.Random) -> None:
        self._path, self._players, self._luck = f"/v1/matches/{match_id}", players, luck
        self.acknowledged: defaultdict[str, set[int]] = defaultdict(set)
        """By decision, the versions of the events that answered it."""
        self.refused = 0

    async def rage(self) -> dict[str, Any]:
        """Play to the end on all devices. Answers the record."""
        await asyncio.gather(*(self._device(seat) for seat in range(len(self._players)) for _ in range(2)))
        return dict((await self._players[0].get(f"{self._path}/record")).json())

    async def _device(self, seat: int) -> None:
        me, answered = self._players[seat], ""
        while (view := (await me.get(self._path)).json())["status"] != "ended":
            if not view["decisions"]:
                await me.get(f"{self._path}/events", params={"after": view["version"], "wait": 5, "limit": 1})
                continue
            [decision] = view["decisions"]
            name, choice = decision["decision"], self._luck.choice(decision["choices"])
            match self._luck.randrange(6):
                case 0:
                    await self._twice(me, name, choice)
                case 1:
                    await asyncio.gather(*(self._play(me, name, self._luck.choice(decision["choices"])) for _ in range(2)))
                case 2:
                    await self._in_vain(me, name, _nonsense(choice))
                case 3:
                    await self._in_vain(self._players[(seat + 1) % len(self._players)], name, choice)
                case 4 if answered:
                    await self._in_vain(me, answered, choice)
                case _:
                    await self._play(me, name, choice)
            answered = name if name in self.acknowledged else answered

    async def _send(self, who: httpx.AsyncClient, decision: str, command: Any, key: str = "") -> httpx.Response:
        headers = {"Idempotency-Key": key} if key else {}
        answer = await who.post(f"{self._path}/commands", json={"command": command, "decision": decision}, headers=headers)
        assert answer.status_code in (200, 409, 422), answer.text
        return answer

    async def _play(self, who: httpx.AsyncClient, decision: str, command: Any, key: str = "") -> int:
        """The version of the event that this became; 0 if another device was first."""
        answer = await self._send(who, decision, command, key)
        if answer.status_code == 200:
            version = int(answer.json()["events"][0]["version"])
            self.acknowledged[decision].add(version)
            return version
        assert answer.json()["code"] in ("decision_closed", "not_your_turn", "match_over"), answer.text
        self.refused += 1
        return 0

    async def _twice(self, who: httpx.AsyncClient, decision: str, command: Any) -> None:
        """The same call twice is one choice, whichever came first and whatever another device did."""
        key = str(uuid4())
        first, second = await asyncio.gather(*(self._play(who, decision, command, key) for _ in range(2)))
        assert first == second, "one call has two answers"

    async def _in_vain(self, who: httpx.AsyncClient, decision: str, command: Any) -> None:
        answer = await self._send(who, decision, command)
        assert answer.status_code != 200, f"{command} was taken for {decision}"
        self.refused += 1


def _nonsense(choice: dict[str, Any]) -> dict[str, Any]:
    """A command that nobody may send now."""
    strange = {field: value + 1_000 if isinstance(value, int) else "nothing" for field, value in choice.items() if field != "type"}
    if strange:
        return {**choice, **strange}
    return {"type": "pico.commit_card", "card": 4} if not choice["type"].startswith("pico") else {"type": "little-train.roll"}


async def storm(app: Litestar, game: str, seed: int) -> None:
    async with httpx.AsyncClient(transport=inside(app), base_url="http://ludicitude.test") as nobody:
        tokens = [(await nobody.post("/v1/players", json={"display_name": "Ada"})).json()["token"] for _ in range(TERMS[game]["seats"])]
    headers = [{"Authorization": f"Bearer {token}"} for token in tokens]
    players = [httpx.AsyncClient(transport=inside(app), base_url="http://ludicitude.test", headers=each, timeout=60) for each in headers]
    match_id = (await players[0].post("/v1/matches", json=TERMS[game])).json()["match_id"]
    for player in players[1:]:
        assert (await player.post(f"/v1/matches/{match_id}/seats", json={})).status_code == 200
    raging = Storm(match_id, players, random.Random(f"{game} {seed}"))
    record = await raging.rage()
    chosen = {item["version"] for item in record["events"] if item["seat"] is not None and not item["event"]["type"].startswith("match.")}
    assert all(len(versions) == 1 for versions in raging.acknowledged.values()), "a decision was answered twice"
    assert chosen == {version for versions in raging.acknowledged.values() for version in versions}
    assert raging.refused > 3, "it was no storm"
    judge(record)


@pytest.mark.parametrize("game", TERMS)
async def test_a_match_in_a_storm_is_a_match_like_any_other(app: Litestar, game: str) -> None:
    await storm(app, game, 1)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("game", TERMS)
async def test_many_storms(app: Litestar, game: str) -> None:
    for seed in range(2, 102):
        await storm(app, game, seed)
