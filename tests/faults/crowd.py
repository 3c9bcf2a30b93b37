"""People who play at several processes at once, whatever happens to these, and remember everything that they were told."""

import asyncio
import json
import random
import time
from collections import Counter, defaultdict
from typing import Any
from uuid import uuid4

import httpx

from tests.service.documented import messages

PATIENCE_SECONDS = 120
"""A call that nobody answers for so long fails the test."""

TERMS: tuple[dict[str, Any], ...] = (
    {"options": {"game": "pico"}},
    {"options": {"game": "black-sheep"}, "seats": 4, "bots": ["easy", "easy"]},
)
LONG: dict[str, Any] = {"options": {"game": "black-sheep"}, "seats": 2}
FOREVER = {"turn_seconds": 604_800}
PAST_EVERY_DEADLINE = 700_000
FOLLOWERS = 3
"""Of each match."""


class Crowd:
    """The people, the addresses that they know, and what came of it. `addresses` may change under their hands."""

    def __init__(self, addresses: list[str], seed: int = 1) -> None:
        self.addresses = addresses
        self.luck = random.Random(seed)
        self.closing = False
        """Whether nobody opens a new match any more."""
        self.acknowledged: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
        """By match, the answers to all commands."""
        self.streams: list[Follower] = []
        self.counts: Counter[str] = Counter()
        self._http = httpx.AsyncClient(timeout=15, limits=httpx.Limits(max_connections=None, max_keepalive_connections=50))
        self._followers: list[asyncio.Task[None]] = []

    async def close(self) -> None:
        for task in self._followers:
            task.cancel()
        await asyncio.gather(*self._followers, return_exceptions=True)
        await self._http.aclose()

    @property
    def resumed(self) -> int:
        """How often a stream has gone on where another one broke off."""
        return sum(stream.resumed for stream in self.streams)

    def anywhere(self) -> str:
        return self.luck.choice(self.addresses)

    async def call(self, method: str, path: str, token: str = "", body: Any = None, **query: Any) -> httpx.Response:
        """Ask any process, and the same thing again at another one while there is no answer or none is possible."""
        headers = {"Idempotency-Key": str(uuid4())} | ({"Authorization": f"Bearer {token}"} if token else {})
        gives_up = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                answer = await self._http.request(method, self.anywhere() + path, headers=headers, json=body, params=query)
            except httpx.TransportError:
                self.counts["broken calls"] += 1
            else:
                if answer.status_code not in (429, 503):
                    return answer
                assert int(answer.headers["Retry-After"]) > 0
                self.counts[str(answer.status_code)] += 1
            assert time.monotonic() < gives_up, f"nobody answers {method} {path}"
            await asyncio.sleep(self.luck.uniform(0.02, 0.2))

    async def join(self) -> str:
        """The token of a new player."""
        return str((await self.call("POST", "/v1/players", body={"display_name": "Ada"})).json()["token"])

    async def open(self, host: str, terms: dict[str, Any], *guests: str) -> str:
        """A new match at which these players sit, and some who follow it."""
        opened = await self.call("POST", "/v1/matches", host, {**terms, "clock": FOREVER})
        assert opened.status_code == 201, opened.text
        match_id: str = opened.json()["match_id"]
        for follower in [Follower(self, match_id) for _ in range(FOLLOWERS)]:
            self.streams.append(follower)
            self._followers.append(asyncio.create_task(follower.follow()))
        for guest in guests:
            seated = await self.call("POST", f"/v1/matches/{match_id}/seats", guest, {})
            assert seated.status_code == 200, seated.text
        self.counts["matches"] += 1
        return match_id

    async def play_pairs(self, terms: dict[str, Any]) -> None:
        """Two people play one match after another, each of them on whatever process answers, told by their own page."""
        pair = [await self.join(), await self.join()]
        while not self.closing:
            match_id = await self.open(pair[0], terms, pair[1])
            await asyncio.gather(*(self._play(match_id, token) for token in pair))

    async def _play(self, match_id: str, token: str) -> None:
        path = f"/v1/matches/{match_id}"
        while True:
            turns = (await self.call("GET", "/v1/players/me/turns", token, wait=2)).json()["items"]
            for turn in turns:
                assert turn["match_id"] == match_id
            view = (await self.call("GET", path, token)).json()
            if view["status"] == "ended":
                return
            for decision in view["decisions"]:
                choice = {"command": self.luck.choice(decision["choices"]), "decision": decision["decision"]}
                answer = await self.call("POST", f"{path}/commands", token, choice)
                assert answer.status_code == 200, answer.text
                self.acknowledged[match_id].append(answer.json())
                self.counts["commands"] += 1

    async def idle(self) -> None:
        """Two people who never choose, so that the clock does it for them each time that it is put forward; a long match, given up last."""
        pair = [await self.join(), await self.join()]
        while not self.closing:
            match_id = await self.open(pair[0], LONG, pair[1])
            path = f"/v1/matches/{match_id}"
            ended = False
            while not ended and not self.closing:
                moved = await self.call("POST", f"{path}/clock", pair[0], {"forward_seconds": PAST_EVERY_DEADLINE})
                assert moved.status_code == 200, moved.text
                self.counts["deadlines"] += 1
                ended = (await self._until_past(path, moved.json()["version"]))["ended"]
            if not ended:
                assert (await self.call("POST", f"{path}/resign", pair[1])).status_code == 200

    async def _until_past(self, path: str, version: int) -> dict[str, Any]:
        began = time.monotonic()
        while True:
            page: dict[str, Any] = (await self.call("GET", f"{path}/events", after=version, wait=5)).json()
            if page["items"]:
                return page
            assert time.monotonic() - began < PATIENCE_SECONDS, f"no clock fires at {path}"

    async def check(self) -> None:
        """Everything acknowledged is there once, every deadline fired once, every match ended, every stream is whole."""
        for match_id in {stream.match_id for stream in self.streams}:
            items = await self._log(match_id)
            types = Counter(item["event"]["type"] for item in items)
            assert [item["version"] for item in items] == list(range(1, len(items) + 1))
            assert items[-1]["event"]["type"] == "match.ended", f"{match_id} is stuck"
            assert types["match.timed_out"] == types["match.clock_moved"]
            told = [event["version"] for answer in self.acknowledged[match_id] for event in answer["events"]]
            assert len(set(told)) == len(told), "two commands were acknowledged for one event"
            stored = {item["version"]: item["event"]["type"] for item in items}
            for answer in self.acknowledged[match_id]:
                assert {event["version"]: event["event"]["type"] for event in answer["events"]}.items() <= stored.items()
            self.counts["events"] += len(items)
            self.counts["timeouts fired"] += types["match.timed_out"]
        await asyncio.wait_for(asyncio.gather(*self._followers), PATIENCE_SECONDS)
        for stream in self.streams:
            log = await self._log(stream.match_id)
            assert stream.versions == list(range(stream.versions[0], len(log) + 1)), f"a gap or a repeat: {stream.versions}"
        self.counts["streams"], self.counts["resumed streams"] = len(self.streams), self.resumed

    async def _log(self, match_id: str) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = []
        while True:
            page = (await self.call("GET", f"/v1/matches/{match_id}/events", after=len(items), limit=500)).json()
            items += page["items"]
            if len(items) >= page["version"]:
                return items


class Follower:
    """Somebody who follows one match to its end, and goes on at another process when a stream breaks."""

    def __init__(self, crowd: Crowd, match_id: str) -> None:
        self.crowd, self.match_id = crowd, match_id
        self.versions: list[int] = []
        """Of the first snapshot and every event since, in the order in which they came."""
        self.resumed = 0
        self.ended = False

    async def follow(self) -> None:
        while not self.ended:
            cursor = {"Last-Event-ID": str(self.versions[-1])} if self.versions else {}
            address = f"{self.crowd.anywhere()}/v1/matches/{self.match_id}/stream"
            try:
                async with httpx.AsyncClient(timeout=20) as http, http.stream("GET", address, headers=cursor) as answer:
                    if answer.status_code == 200:
                        await self._read(answer)
                    self.ended = self.ended or answer.status_code == 204
            except httpx.TransportError:
                self.crowd.counts["broken streams"] += 1
            await asyncio.sleep(0.05)

    async def _read(self, answer: httpx.Response) -> None:
        text = ""
        async for piece in answer.aiter_text():
            whole, _, text = (text + piece).rpartition("\n\n")
            for message in messages(whole):
                self._take(message["id"], json.loads(str(message["data"])))

    def _take(self, version: str | None, frame: dict[str, Any]) -> None:
        match frame["frame"]:
            case "resumed":
                assert frame["version"] == self.versions[-1]
                self.resumed += 1
            case "snapshot":
                assert not self.versions
                self.versions.append(int(str(version)))
            case "event":
                self.versions.append(int(str(version)))
            case "bye":
                self.ended = frame["reason"] == "ended"
            case other:
                raise AssertionError(f"a stream that goes on is told to {other}")
