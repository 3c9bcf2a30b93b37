"""Two services that are alike to the last byte: the same ids, seeds and time, in a database each.

What differs is what a story wants to differ.
"""

import random
import re
from base64 import b64decode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from typing import Any, NamedTuple, Self
from uuid import uuid4

import httpx
import msgspec
import pytest
from prometheus_client import REGISTRY
from structlog.testing import capture_logs

from domain.games import GAMES
from service import chance, settings
from service.accounts.operators import token_hash
from service.app import create_app
from service.http.routes import stream
from service.logs import of_request
from tests.contract.tour import Foretold
from tests.laws import samples as every
from tests.service.conftest import OLGA, bearing, inside, running

NOON = datetime(2100, 1, 1, 12, tzinfo=UTC)
"""Deadlines are reckoned from here. The database lives today, so that no clock ever falls."""

SEED = "5eed" * 16
ILLEGAL_MAX = 2
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_MESSAGE = re.compile(r"msg_[0-9a-z]{26}")
_SEAL = re.compile(r'("(?:seal|seed|commitment)":\s?")[0-9a-f]{64}"')
_CURSOR = re.compile(r"Wy[0-9A-Za-z_-]{40,}")
"""Of a list; in it stands a moment."""


def _read(cursor: re.Match[str]) -> str:
    return b64decode(cursor[0] + "==", b"-_").decode().replace('"', "'")


class _Noon(datetime):
    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        return NOON  # type: ignore[return-value]


class Note(NamedTuple):
    """Something that a viewer was told. Left out are moments, since twins do not live at the same time, what seals, seeds and
    commitments say, and the ids of messages, which are random: they are told by the order in which the viewer met them."""

    viewer: str
    asked: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: str


@dataclass
class World:
    """One of the two services, who plays and looks on there, and everything they were told."""

    transport: httpx.AsyncBaseTransport
    viewers: dict[str, httpx.AsyncClient] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    logs: list[str] = field(default_factory=list)
    """What was logged, and..."""
    numbers: dict[str, float] = field(default_factory=dict)
    """...what was counted under which names and labels, until the last look."""
    _before: dict[str, float] = field(default_factory=dict)
    _lines: list[Any] = field(default_factory=list)
    _met: dict[str, dict[str, str]] = field(default_factory=dict)
    _calls: int = 0

    async def join(self, name: str) -> httpx.AsyncClient:
        """A new player, who is a viewer under their name."""
        answer = await self.call(self.viewers["nobody"], "POST", "/v1/players", {"display_name": name})
        self.viewers[name] = bearing(self.transport, answer.json()["token"])
        return self.viewers[name]

    async def call(self, client: httpx.AsyncClient, method: str, path: str, body: Any = None, **headers: str) -> httpx.Response:
        """Ask something under the number of this call, by which both twins know it again."""
        self._calls += 1
        named = {"Request-Id": f"call-{self._calls}", "Idempotency-Key": f"key-{self._calls}", **headers}
        return await client.request(method, path, json=body, headers=named)

    async def done(self, client: httpx.AsyncClient, method: str, path: str, body: Any = None) -> Any:
        """Ask something that must succeed; what was answered."""
        answer = await self.call(client, method, path, body)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None

    async def opened(self, host: httpx.AsyncClient, options: dict[str, Any], **terms: Any) -> tuple[str, str]:
        """The path of a new match from the seed that is the same for both, and its invitation."""
        view = await self.done(host, "POST", "/v1/matches", {"options": options, "testing": {"seed": SEED}, **terms})
        return f"/v1/matches/{view['match_id']}", view["invite"] or ""

    async def look(self, path: str, *but: str) -> None:
        """Every viewer but those who know the secret, or may, reads all that can be read, and tries what must be refused."""
        for name in [name for name in self.viewers if name not in (*but, "operator")]:
            await self._look(name, path)
        if "operator" not in but:
            await self.ask("operator", "GET", path.replace("/v1/", "/v1/operator/"))
        since = {name: value - self._before.get(name, 0.0) for name, value in counted().items()}
        self.numbers = {name: 1.0 if _BY_LOAD.search(name) else value for name, value in since.items() if value}
        asked = [line for line in self._lines if line.get("request_id", "call-").startswith("call-")]
        self.logs = sorted(repr(sorted((key, str(value)) for key, value in line.items() if key != "duration_ms")) for line in asked)

    async def ask(self, name: str, method: str, path: str, body: Any = None, **headers: str) -> httpx.Response:
        """Ask as this viewer, and note what they were told."""
        answer = await self.call(self.viewers[name], method, path, body, **headers)
        told = tuple(sorted((field, value) for field, value in answer.headers.items() if field != "ratelimit"))
        text = _SEAL.sub(r'\1"', _MOMENT.sub("<moment>", _CURSOR.sub(_read, answer.text)))
        met = self._met.setdefault(name, {})
        text = _MESSAGE.sub(lambda found: met.setdefault(found[0], f"<message {len(met)}>"), text)
        asked = f"{method} {_MESSAGE.sub('<message>', _CURSOR.sub('<cursor>', path))}"
        self.notes.append(Note(name, asked, answer.status_code, told, text))
        return answer

    async def _look(self, name: str, path: str) -> None:
        view = await self.ask(name, "GET", path)
        await self.ask(name, "GET", path, **{"If-None-Match": view.headers.get("etag", "*")})
        version = view.json().get("version", 1) if view.is_success else 1
        for more in (f"?at_version={version - 1}", f"?at_version={version + 1}"):
            await self.ask(name, "GET", path + more)
        for more in ("events?limit=500", f"events?after={version}", "stream", "stream?after=0"):
            await self.ask(name, "GET", f"{path}/{more}")
        talk = await self.ask(name, "GET", f"{path}/messages")
        cursor = talk.json().get("next_cursor") if talk.is_success else None
        for more in (f"messages?limit=1&after={cursor or 'msg_0'}", "record", "proof"):
            await self.ask(name, "GET", f"{path}/{more}")
        for more in ("mine=true&status=playing", "status=open", "open_seats=true", "status=playing&limit=1", "limit=1"):
            cursor = (await self.ask(name, "GET", f"/v1/matches?{more}")).json().get("next_cursor")
            if cursor is not None:
                await self.ask(name, "GET", f"/v1/matches?{more}&cursor={cursor}")
        for more in ("matches", "players/me/turns", "players/me/turns?limit=1", "players/me/turns/stream", "players/me/mutes"):
            await self.ask(name, "GET", f"/v1/{more}")
        await self._try(name, path, view)

    async def _try(self, name: str, path: str, view: httpx.Response) -> None:
        seen = view.json() if view.is_success else {}
        decisions = seen.get("decisions") or []
        offered = [choice for decision in decisions for choice in decision["choices"]]
        game = GAMES[seen["game"]] if seen else GAMES["pico"]
        illegal = [command for command in map(msgspec.to_builtins, every.commands(game)) if command not in offered]
        for command in random.Random(0).sample(illegal, min(ILLEGAL_MAX, len(illegal))):
            await self.ask(name, "POST", f"{path}/commands", {"command": command})
        for command in offered[:1]:
            await self.ask(name, "POST", f"{path}/commands", {"command": command, "decision": "dec_0_0"})
            await self.ask(name, "POST", f"{path}/commands", {"command": command}, **{"If-Match": '"v1"'})
        await self.ask(name, "POST", f"{path}/rematch")
        await self.ask(name, "POST", f"{path}/messages", {"text": "Aside", "to_seat": 99})


@asynccontextmanager
async def world(database_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[World]:
    """A twin, from the start of its service to its end. Inside, all randomness that anybody sees is the same every time."""
    monkeypatch.setattr(chance, "secrets", Foretold(1))
    monkeypatch.setattr(chance, "new_uuid", uuid4)  # Of the house's own calls, which nobody sees and which come in any order.
    monkeypatch.setattr("service.held.datetime", _Noon)
    monkeypatch.setattr(stream, "ROTATE_SECONDS", -1)  # A stream tells what it has to tell, and ends.
    variables = {"DATABASE_URL": database_url, "LUDICITUDE_TEST_MODE": "on", "LUDICITUDE_OPERATORS": f"olga={token_hash(OLGA)}"}
    with capture_logs(processors=[of_request]) as lines:
        async with running(create_app(settings.read(variables))) as app:
            made = World(inside(app), _before=counted(), _lines=lines)
            made.viewers["nobody"] = httpx.AsyncClient(transport=made.transport, base_url="http://ludicitude.test")
            made.viewers["operator"] = bearing(made.transport, OLGA)
            yield made


_ELSEWHERE = re.compile(r"ludicitude_(projection_events|wire_texts|append_batches|watch_looks)|'left'|'lost_race'")
"""What comes of time and load, and not of a story: what runs beside it, what was sent and looked at together, who came second, and readers
of other tests who are gone for good only now.
"""

_BY_LOAD = re.compile(r"bot_choice|append_seconds|'decision_closed'|'GET'\), \('route', '/v1/matches/\{match_id\}(/events)?'")
"""What a story may do more often when it is slow: a bot is called twice for one choice, and the story itself waits for bots to choose."""


def counted() -> dict[str, float]:
    """What this process has counted so far. How long anything took is left out, and how much of something there is now in all tests."""
    ours = [each for each in REGISTRY.collect() if each.name.startswith("ludicitude_") and each.type in ("counter", "histogram")]
    samples = [sample for each in ours for sample in each.samples if not sample.name.endswith(("_bucket", "_sum", "_created"))]
    values = {f"{sample.name} {sorted(sample.labels.items())}": sample.value for sample in samples}
    return {name: value for name, value in values.items() if not _ELSEWHERE.search(name)}
