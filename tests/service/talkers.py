"""A match of Schemers among players who talk, over HTTP, for the tests of talk."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import httpx

from tests.service.conftest import Join


@dataclass
class Talkers:
    """The match's address, and the clients of those who sit, in seat order."""

    path: str
    players: list[httpx.AsyncClient]

    async def say(self, seat: int, text: str | None = None, *, key: str | None = None, **more: Any) -> dict[str, Any]:
        """Say something that must not be refused; the message."""
        answer = await self.send(seat, text, key=key, **more)
        assert answer.status_code == 201, answer.text
        said: dict[str, Any] = answer.json()
        return said

    async def send(self, seat: int, text: str | None = None, *, key: str | None = None, **more: Any) -> httpx.Response:
        body = more if text is None else {"text": text, **more}
        return await self.players[seat].post(f"{self.path}/messages", json=body, headers={} if key is None else {"Idempotency-Key": key})

    async def pledge(self, seat: int, phase: str, face: int, **more: Any) -> dict[str, Any]:
        return await self.say(seat, pledge={"phase": phase, "face": face}, **more)

    async def heard(self, reader: httpx.AsyncClient, **asked: Any) -> dict[str, Any]:
        """The page of talk that this reader gets."""
        answer = await reader.get(f"{self.path}/messages", params=asked)
        assert answer.status_code == 200, answer.text
        page: dict[str, Any] = answer.json()
        return page

    async def texts(self, reader: httpx.AsyncClient, **asked: Any) -> list[str]:
        return [item["text"] for item in (await self.heard(reader, **asked))["items"]]

    async def choose(self, seat: int, command: dict[str, Any]) -> dict[str, Any]:
        answer = await self.players[seat].post(f"{self.path}/commands", json={"command": command})
        assert answer.status_code == 200, answer.text
        view: dict[str, Any] = answer.json()["view"]
        return view

    async def show(self, faces: Sequence[int | None]) -> dict[str, Any]:
        """End the talk and set these dice, in seat order, None where a seat is out; the view after they have been shown."""
        view: dict[str, Any] = {}
        for seat in (seat for seat, face in enumerate(faces) if face is not None):
            view = await self.choose(seat, {"type": "schemers.ready"})
        for seat, face in enumerate(faces):
            if face is not None:
                view = await self.choose(seat, {"type": "schemers.commit_die", "face": face})
        return view


async def opened(host: httpx.AsyncClient, *, seats: int = 3, options: dict[str, Any] | None = None, **terms: Any) -> Talkers:
    """A match of Schemers that waits for its players, with its host on seat 0."""
    asked = {"options": {"game": "schemers", **(options or {})}, "seats": seats, **terms}
    answer = await host.post("/v1/matches", json=asked)
    assert answer.status_code == 201, answer.text
    return Talkers(f"/v1/matches/{answer.json()['match_id']}", [host])


async def playing(join: Join, *names: str, **terms: Any) -> Talkers:
    """A match of Schemers in its first talk among players of these names."""
    first, *others = [await join(name) for name in names or ("Ada", "Bob", "Cid")]
    talkers = await opened(first, seats=1 + len(others), **terms)
    for other in others:
        await sit(talkers, other)
    return talkers


async def sit(talkers: Talkers, player: httpx.AsyncClient, **asked: Any) -> None:
    answer = await player.post(f"{talkers.path}/seats", json=asked)
    assert answer.status_code == 200, answer.text
    talkers.players.append(player)
