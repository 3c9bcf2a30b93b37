"""Connections break, and whoever comes back goes on exactly where they were."""

import asyncio
import json
import random
from contextlib import aclosing
from typing import Any

import httpx
import pytest
from litestar import Litestar

from service.accounts.players import Player
from service.accounts.tokens import HeldToken
from service.http.routes import stream
from service.http.routes.stream import Streams
from tests.service.conftest import Join
from tests.service.documented import messages
from tests.service.test_stream import begun, player

MOVES = 60


class Follower:
    """Somebody whose connection breaks every few frames."""

    def __init__(self, streams: Streams, match_id: str, caller: Player | None, seed: int) -> None:
        self.streams, self.match_id, self.caller, self.luck = streams, match_id, caller, random.Random(seed)
        self.began, self.begun = -1, asyncio.Event()
        """The version of the snapshot, and whether it has come."""
        self.cursor: str | None = None
        self.items: list[dict[str, Any]] = []
        self.breaks = 0

    async def follow(self) -> None:
        while not await self._until_it_breaks(self.luck.randint(1, 12)):
            self.breaks += 1

    async def _until_it_breaks(self, frames: int) -> bool:
        """Whether the match has ended. What came in one piece with the last frame is lost."""
        async with aclosing(self.streams.frames(self.match_id, self.caller, HeldToken(None), "somebody", self.cursor)) as reading:
            async for text in reading:
                for message in messages(text.decode()):
                    frame = json.loads(str(message["data"]))
                    if frame["frame"] == "bye":
                        assert frame["reason"] == "ended"
                        return True
                    self._take(message["id"], frame)
                    frames -= 1
                    if not frames:
                        return False
        return False

    def _take(self, version: str | None, frame: dict[str, Any]) -> None:
        if frame["frame"] == "event":
            self.items.append(frame["item"])
        elif self.cursor is None:
            assert frame["frame"] == "snapshot"
            self.began = int(str(version))
            self.begun.set()
        else:
            assert frame == {"frame": "resumed", "version": int(self.cursor)}
        self.cursor = version


async def log(client: httpx.AsyncClient, path: str, after: int) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    while True:
        page = (await client.get(f"{path}/events", params={"after": after + len(items), "limit": 500})).json()
        items += page["items"]
        if after + len(items) >= page["version"]:
            return items


async def test_who_breaks_off_again_and_again_has_the_log_without_a_gap_or_a_repeat(
    app: Litestar, client: httpx.AsyncClient, join: Join
) -> None:
    """Through whatever eyes. A thousand moves are scaled to sixty."""
    ada, bob = await join("Ada"), await join("Bob")
    match_id, path = await begun(ada, bob)
    eyes = {ada: await player(app, ada), bob: await player(app, bob), client: None}
    followers = {who: Follower(app.state["streams"], match_id, caller, seed) for seed, (who, caller) in enumerate(eyes.items())}
    following = [asyncio.create_task(follower.follow()) for follower in followers.values()]
    await asyncio.gather(*(follower.begun.wait() for follower in followers.values()))
    for number in range(MOVES):
        moved = await ada.post(f"{path}/clock", json={"forward_seconds": 1})
        assert moved.status_code == 200, moved.text
        if number % 20 == 10:
            for who in (ada, bob):
                [decision] = (await who.get(path)).json()["decisions"]
                await who.post(f"{path}/commands", json={"command": decision["choices"][0]})
    await ada.post(f"{path}/resign")
    await asyncio.wait_for(asyncio.gather(*following), 200)
    for who, follower in followers.items():
        assert follower.breaks > 10
        assert follower.items == await log(who, path, follower.began)


async def test_who_comes_back_twenty_times_in_a_minute_is_let_in_each_time(
    client: httpx.AsyncClient, join: Join, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "ROTATE_SECONDS", -1)
    ada, bob = await join("Ada"), await join("Bob")
    _, path = await begun(ada, bob)
    version = (await ada.get(path)).json()["version"]
    for who in (client, ada):
        for _ in range(20):
            answer = await who.get(f"{path}/stream", headers={"Last-Event-ID": str(version)})
            assert answer.status_code == 200
            frames = [json.loads(str(message["data"]))["frame"] for message in messages(answer.text)]
            assert frames == ["resumed", "bye"]
