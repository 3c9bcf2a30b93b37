"""People who do anything at any match at the same time, through two processes on one database, and what must hold all the same."""

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx
from litestar import Litestar

from domain.games import GAMES
from domain.match.events import TimedOut
from domain.match.state import AnyMatch, Match, evolve
from service.clocks import SKEW
from service.matches import Matches

PAST_EVERY_DEADLINE = 2_592_000
PATIENCE_SECONDS = 200
CROWDED = 5
"""At so many matches that have not ended the mob gathers; then it opens no others for a while."""

OPTIONS: Sequence[dict[str, Any]] = (
    {"game": "pico"},
    {"game": "black-sheep"},
    {"game": "wolves"},
    {"game": "little-train", "games": 1},
    {"game": "schemers", "whispers": True, "stakes": "50-100"},
)
WORDS = ({"text": "Hello"}, {"text": "Psst", "to_seat": 1}, {"pledge": {"phase": "set1", "face": 3}})


@dataclass
class Mob:
    """The people, each of whom calls at either of the processes as it comes, and the matches they know of."""

    apps: Sequence[Litestar]
    people: Sequence[Sequence[httpx.AsyncClient]]
    luck: random.Random
    matches: list[str] = field(default_factory=list)
    going_on: list[str] = field(default_factory=list)
    invites: dict[str, str] = field(default_factory=dict)
    answers: Counter[str] = field(default_factory=Counter)

    async def riot(self, deeds: int) -> None:
        """So many deeds of anybody at once, some of them sent twice. Whatever is answered, nothing breaks and nothing hangs."""
        doing = [self._deed() for _ in range(deeds)]
        async with asyncio.timeout(PATIENCE_SECONDS):
            await asyncio.gather(*(each for each in doing))

    async def check(self) -> None:
        """Nothing is lost, doubled or orphaned, in any of the matches, as both processes see them."""
        for match_id in self.matches:
            seen = [await self._folded(app, match_id) for app in self.apps]
            assert seen[0] == seen[1] or seen[0].version != seen[1].version, "a bot or a clock may have gone on meanwhile"
            self._require_sound(seen[0])
            if seen[0].status == "ended" and match_id in self.going_on:
                self.going_on.remove(match_id)

    async def go_home(self) -> None:
        """Everybody leaves whatever they sit at, and with that every match ends: what is left to bots alone they play out."""
        for match_id in self.matches:
            for who in range(len(self.people)):
                for method, path in (("POST", "/resign"), ("DELETE", "/seats/me"), ("DELETE", "")):
                    await self._ask(who, method, f"/v1/matches/{match_id}{path}", key=str(self.luck.random()))
        async with asyncio.timeout(PATIENCE_SECONDS):
            for match_id in self.matches:
                while (match := await self._folded(self.apps[0], match_id)).status != "ended":
                    if match.status == "open" or match.players_owing:
                        raise AssertionError(f"{match_id} is left alone: {match}")
                    await asyncio.sleep(0.05)

    async def _folded(self, app: Litestar, match_id: str) -> AnyMatch:
        """The match as its log makes it, looked at event by event on the way."""
        matches: Matches = app.state.matches
        now = await matches.get(match_id)
        match: AnyMatch = Match(match_id)
        records = [record async for page in matches.pages(now) for record in page]
        for version, record in enumerate(records, start=1):
            assert record.version == version
            assert match.status != "ended", f"{record} after the end"
            if isinstance(record.entry.event, TimedOut):
                assert match.due is not None
                assert match.due <= record.at + SKEW, "the clock was early, or fired for one deadline twice"
                assert record.entry.event.seats == tuple(owed.seat for owed in match.owed)
            match = evolve(GAMES[now.agreed.game], match, record.entry)
        assert match == now
        return match

    def _require_sound(self, match: AnyMatch) -> None:
        assert len(match.chairs) == match.agreed.seats, "overfilled"
        assert max(Counter(match.seated).values(), default=1) == 1, "somebody sits twice"
        if match.status == "ended":
            return
        assert match.due is not None, "nobody will look after it"
        assert bool(match.owed) == (match.status == "playing")
        for owed in match.owed:
            assert GAMES[match.agreed.game].choices(match.table, owed.seat)

    async def _deed(self) -> None:
        who = self.luck.randrange(len(self.people))
        if not self.matches or self.luck.random() < (0.2 if len(self.going_on) < CROWDED else 0.01):
            await self._open(who)
            return
        path = f"/v1/matches/{self.luck.choice([*self.going_on, *self.going_on, *self.matches[-2:]])}"
        invite = self.invites.get(path)
        seat, luck = self.luck.randrange(5), self.luck
        deeds: Sequence[tuple[int, Callable[[], Awaitable[None]]]] = (
            (30, lambda: self._choose(who, path)),
            (15, lambda: self._twice(who, "POST", f"{path}/seats", {"invite": invite} | ({"seat": seat} if seat < 2 else {}))),
            (4, lambda: self._twice(who, "DELETE", f"{path}/seats/me")),
            (3, lambda: self._twice(who, "DELETE", f"{path}/seats/{seat}/player")),
            (4, lambda: self._twice(who, "POST", f"{path}/seats/{seat}/bot", {"level": "easy"})),
            (3, lambda: self._twice(who, "DELETE", f"{path}/seats/{seat}/bot")),
            (5, lambda: self._twice(who, "POST", f"{path}/start", {"fill_with_bots": "easy"})),
            (1, lambda: self._twice(who, "DELETE", path)),
            (3, lambda: self._twice(who, "POST", f"{path}/resign")),
            (5, lambda: self._rematch(who, path)),
            (6, lambda: self._twice(who, "POST", f"{path}/messages", luck.choice(WORDS))),
            (6, lambda: self._twice(who, "POST", f"{path}/clock", {"forward_seconds": luck.choice((1, PAST_EVERY_DEADLINE))})),
            (2, lambda: self._renew(who, path)),
            (6, lambda: self._read(who, path)),
        )
        weights = [weight for weight, _ in deeds]
        [[_, deed]] = self.luck.choices(deeds, weights)
        await deed()

    async def _open(self, who: int) -> None:
        options = self.luck.choice(OPTIONS)
        least = GAMES[options["game"]].seats[0]
        terms = {
            "options": options,
            "seats": max(2, least),
            "visibility": self.luck.choice(("public", "public", "private")),
            "spectators": self.luck.choice(("none", "public", "delayed")),
            "start": self.luck.choice(("when_full", "when_full", "by_host")),
            "clock": {"turn_seconds": 604_800, "on_timeout": self.luck.choice(("auto", "bot", "resign"))},
            "bots": ["easy"] * (least > 2),
            "sit": self.luck.random() < 0.9,
        }
        answer = await self._ask(who, "POST", "/v1/matches", terms, key=str(self.luck.random()))
        if answer.status_code == 201:
            self._note(answer)

    def _note(self, answer: httpx.Response) -> None:
        view = answer.json()
        if view["match_id"] not in self.matches:
            self.matches.append(view["match_id"])
            self.going_on.append(view["match_id"])
        if view.get("invite"):
            self.invites[f"/v1/matches/{view['match_id']}"] = view["invite"]

    async def _choose(self, who: int, path: str) -> None:
        seen = await self._ask(who, "GET", path)
        for decision in seen.json().get("decisions", []) if seen.is_success else []:
            choice = {"command": self.luck.choice(decision["choices"]), "decision": decision["decision"]}
            await self._twice(who, "POST", f"{path}/commands", choice)

    async def _rematch(self, who: int, path: str) -> None:
        answer = await self._ask(who, "POST", f"{path}/rematch", key=str(self.luck.random()))
        if answer.status_code == 201:
            self._note(answer)

    async def _renew(self, who: int, path: str) -> None:
        answer = await self._ask(who, "POST", f"{path}/invite", {}, key=str(self.luck.random()))
        if answer.status_code == 200:
            self._note(answer)

    async def _read(self, who: int, path: str) -> None:
        for below in ("", "/events", "/messages", "/record", f"?at_version={self.luck.randrange(1, 9)}"):
            await self._ask(who, "GET", path + below)

    async def _twice(self, who: int, method: str, path: str, body: Any = None) -> None:
        """Once, or twice at the same moment with the same key, which is one thing then."""
        key, times = str(self.luck.random()), self.luck.choice((1, 1, 2))
        answers = await asyncio.gather(*(self._ask(who, method, path, body, key) for _ in range(times)))
        done = [answer for answer in answers if answer.is_success and answer.content]
        if len(done) == 2:
            one, other = ({**answer.json(), "server_time": "", "rematch": "", "invite": ""} for answer in done)
            assert one.get("version") == other.get("version"), f"{method} {path} was done twice"

    async def _ask(self, who: int, method: str, path: str, body: Any = None, key: str = "") -> httpx.Response:
        client = self.luck.choice(self.people[who])
        answer = await client.request(method, path, json=body, headers={"Idempotency-Key": key} if key else {})
        code = answer.json().get("code", "") if answer.content else ""
        # A match at which everybody pulls may ask them to come back; nothing else is ever a fault of the server.
        assert answer.status_code < 500 or code == "match_busy", f"{method} {path}: {answer.text}"
        self.answers[code or "done"] += 1
        return answer
