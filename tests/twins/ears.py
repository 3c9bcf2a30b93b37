"""Somebody who listens to a match in every way at once, over the network, and keeps all that they are told."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.service.documented import messages

PATIENCE_SECONDS = 30
WAIT_SECONDS = 5


@dataclass
class Ears:
    """A stream, a long-poll of events and one of talk, each opened again when it ends; `stream` says how each begins."""

    client: httpx.AsyncClient
    path: str
    frames: list[dict[str, Any]] = field(default_factory=list)
    items: list[dict[str, Any]] = field(default_factory=list)
    talk: list[dict[str, Any]] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    """The whole text of each answer and each message of the stream, in the order in which they came."""
    _listening: list[asyncio.Task[None]] = field(default_factory=list)
    _told: asyncio.Event = field(default_factory=asyncio.Event)

    async def open(self) -> "Ears":
        """Begin to listen; all three have been answered, or are being waited for."""
        ready = asyncio.Event()
        self._listening = [asyncio.create_task(self._stream(ready)), asyncio.create_task(self._events()), asyncio.create_task(self._talk())]
        await asyncio.wait_for(ready.wait(), PATIENCE_SECONDS)
        return self

    async def until(self, heard: Callable[["Ears"], bool]) -> None:
        """Wait until this holds of what was told."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not heard(self):
                self._told.clear()
                await self._told.wait()

    async def close(self) -> None:
        for each in self._listening:
            each.cancel()
        done = await asyncio.gather(*self._listening, return_exceptions=True)
        assert [each for each in done if not isinstance(each, asyncio.CancelledError)] == [], "somebody stopped listening"

    @property
    def framed(self) -> list[int]:
        """The versions of the match that the stream spoke of."""
        return [frame["item"]["version"] if "item" in frame else frame.get("view", frame)["version"] for frame in self.frames]

    @property
    def paged(self) -> list[int]:
        """The versions of the events that the long-poll told of."""
        return [item["version"] for item in self.items]

    def _note(self, text: str) -> None:
        self.answers.append(text)
        self._told.set()

    async def _stream(self, ready: asyncio.Event) -> None:
        async with self.client.stream("GET", f"{self.path}/stream", timeout=None) as answer:
            assert answer.status_code == 200, await answer.aread()
            rest = ""
            async for piece in answer.aiter_text():
                whole, _, rest = (rest + piece).rpartition("\n\n")
                self.frames += [json.loads(str(each["data"])) for each in messages(whole)]
                self._note(whole)
                ready.set()
        await asyncio.Event().wait()

    async def _events(self) -> None:
        after = 0
        while True:
            page = await self._ask("events", after=after)
            self.items += page["items"]
            after = page["items"][-1]["version"] if page["items"] else after
            if page["ended"] and not page["items"]:
                await asyncio.Event().wait()

    async def _talk(self) -> None:
        after: dict[str, str] = {}
        while True:
            page = await self._ask("messages", **after)
            self.talk += page["items"]
            after = {"after": page["next_cursor"]} if page["next_cursor"] else {}

    async def _ask(self, what: str, **asked: Any) -> Any:
        answer = await self.client.get(f"{self.path}/{what}", params={**asked, "wait": WAIT_SECONDS}, timeout=PATIENCE_SECONDS)
        assert answer.status_code == 200, answer.text
        self._note(answer.text)
        return answer.json()
