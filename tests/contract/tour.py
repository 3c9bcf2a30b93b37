"""A visit to every operation of the API. What it sends and gets are the examples of the document, which are therefore real."""

import asyncio
import json
import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

import httpx

from tests.service.conftest import OLGA
from tests.service.documented import EVENT_STREAM, Documented, messages

BODIES = ("request", "response")
CHOICES_MAX = 500
LOOKS_MAX = 500
NOON = "2026-12-01T12:00:00Z"
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


class Foretold(random.Random):
    """Stands for the module `secrets`, so that a visit draws the same ids, tokens and seeds every time."""

    def token_bytes(self, count: int) -> bytes:
        return self.randbytes(count)

    def randbits(self, count: int) -> int:
        return self.getrandbits(count)


async def visit(transport: Documented) -> dict[str, dict[str, Any]]:
    """Call every operation, and answer what the first success of each looked like, by operationId."""
    async with _client(transport) as nobody:
        await nobody.get("/v1/live")
        await nobody.get("/v1/ready")
        await nobody.get("/v1/games")
        await nobody.get("/v1/games/pico")
        await nobody.get("/v1/labels")
        ada, bob, cid = [await _join(nobody, transport, name) for name in ("Ada", "Bob", "Cid")]
    async with ada, bob, cid:
        await _account(ada)
        await _lobby(ada, bob)
        await _among_friends(ada, bob)
        await _match(ada, bob)
        await _talk(ada, bob, cid)
        await _standings(ada)
        await bob.delete("/v1/players/me")
        async with _client(transport, {"Authorization": f"Bearer {OLGA}"}) as olga:
            await _operators(olga, ada, cid)
    return {name: _example(name, answers) for name, answers in sorted(transport.answers.items())}


async def _account(ada: httpx.AsyncClient) -> None:
    me = (await ada.get("/v1/players/me")).json()
    await ada.patch("/v1/players/me", json={"display_name": "Ada Lovelace"})
    await ada.get(f"/v1/players/{me['player_id']}")
    further = (await ada.post("/v1/players/me/tokens")).json()
    await ada.get("/v1/players/me/tokens")
    await ada.delete(f"/v1/players/me/tokens/{further['token_id']}")


async def _lobby(ada: httpx.AsyncClient, bob: httpx.AsyncClient) -> None:
    """A match that its host starts when both have sat down, one of them on second thoughts."""
    opened = (await ada.post("/v1/matches", json={"options": {"game": "pico"}, "start": "by_host"})).json()
    path = f"/v1/matches/{opened['match_id']}"
    await bob.get("/v1/matches", params={"game": "pico", "open_seats": True})
    await bob.post(f"{path}/seats", json={})
    await bob.delete(f"{path}/seats/me")
    await ada.post(f"{path}/seats/1/bot", json={"level": "normal"})
    await ada.delete(f"{path}/seats/1/bot")
    await bob.post(f"{path}/seats", json={"seat": 1})
    await ada.delete(f"{path}/seats/1/player")
    await bob.post(f"{path}/seats", json={"seat": 1})
    await ada.post(f"{path}/start", json={})
    await ada.post(f"{path}/clock", json={"forward_seconds": 60})
    await bob.post(f"{path}/resign")


async def _among_friends(ada: httpx.AsyncClient, bob: httpx.AsyncClient) -> None:
    """A match that only those know of who are told."""
    asked = {"options": {"game": "pico"}, "visibility": "private", "clock": None}
    path = f"/v1/matches/{(await ada.post('/v1/matches', json=asked)).json()['match_id']}"
    invite = (await ada.post(f"{path}/invite", json={"lasts_seconds": 3600})).json()["invite"]
    await bob.post("/v1/invites/look-up", json={"invite": invite})
    await ada.delete(path)


async def _match(ada: httpx.AsyncClient, bob: httpx.AsyncClient) -> None:
    """A match from the first choice to the record. Everybody plays the first of their choices."""
    opened = (await ada.post("/v1/matches", json={"options": {"game": "pico"}})).json()
    path = f"/v1/matches/{opened['match_id']}"
    await bob.post(f"{path}/seats", json={})
    await ada.get(path)
    await ada.get("/v1/players/me/turns")
    await ada.get("/v1/players/me/turns/stream")
    for _ in range(CHOICES_MAX):
        view = (await ada.get(path)).json()
        if view["status"] == "ended":
            break
        mover = (ada, bob)[view["waiting_for"][0]]
        [decision] = (await mover.get(path)).json()["decisions"]
        choice = {"command": decision["choices"][0], "decision": decision["decision"]}
        assert (await mover.post(f"{path}/commands", json=choice)).status_code == 200
    await ada.get(f"{path}/events", params={"after": 0, "limit": 10})
    await ada.get(f"{path}/record")
    await ada.get(f"{path}/proof")
    await ada.post("/v1/stream-tickets", json={"match_id": opened["match_id"]})
    await ada.get(f"{path}/stream", params={"after": 1})
    await ada.post(f"{path}/rematch")


async def _standings(ada: httpx.AsyncClient) -> None:
    """Both matches have been played to an end; they count a moment later."""
    for _ in range(LOOKS_MAX):
        # However often it is asked: an id that the service made for it would be missing where the examples' ids are foretold.
        items = (await ada.get("/v1/games/pico/standings", headers={"Request-Id": "standings"})).json()["items"]
        if items and items[0]["matches"] == 2:
            return
        await asyncio.sleep(0.02)
    raise AssertionError("the matches do not count")


async def _talk(ada: httpx.AsyncClient, bob: httpx.AsyncClient, cid: httpx.AsyncClient) -> None:
    """What is said at the beginning of a match where it matters."""
    opened = (await ada.post("/v1/matches", json={"options": {"game": "schemers", "whispers": True}})).json()
    path = f"/v1/matches/{opened['match_id']}"
    for other in (bob, cid):
        await other.post(f"{path}/seats", json={})
    await ada.post(f"{path}/messages", json={"text": "Let us stay below 12."})
    await bob.post(f"{path}/messages", json={"pledge": {"phase": "set1", "face": 4}})
    await bob.post(f"{path}/messages", json={"text": "I shall show a 1.", "to_seat": 2})
    await bob.get(f"{path}/messages")
    # The match waits for Bob, and so does the rematch that Ada has asked for.
    await bob.get("/v1/players/me/turns", headers={"Request-Id": "turns"})
    [_, chatterer, _] = (await ada.get(path)).json()["seats"]
    await ada.put(f"/v1/players/me/mutes/{chatterer['player_id']}")
    await ada.get("/v1/players/me/mutes")
    await ada.delete(f"/v1/players/me/mutes/{chatterer['player_id']}")


async def _operators(olga: httpx.AsyncClient, ada: httpx.AsyncClient, cid: httpx.AsyncClient) -> None:
    """What whoever runs the service does about a match and about a player."""
    asked = {"options": {"game": "pico"}, "visibility": "private"}
    path = f"/v1/operator/matches/{(await ada.post('/v1/matches', json=asked)).json()['match_id']}"
    await olga.get(path)
    await olga.post(f"{path}/stop", json={"note": "Nobody can leave this match."})
    player = f"/v1/operator/players/{(await cid.get('/v1/players/me')).json()['player_id']}"
    await olga.post(f"{player}/sign-out", json={"note": "Cid has lost a telephone."})
    await olga.post(f"{player}/erase", json={"note": "Cid asks for it and has no token any more."})
    await olga.get("/v1/operator/actions")


async def _join(nobody: httpx.AsyncClient, transport: Documented, name: str) -> httpx.AsyncClient:
    created = await nobody.post("/v1/players", json={"display_name": name})
    return _client(transport, {"Authorization": f"Bearer {created.json()['token']}"})


def _client(transport: Documented, headers: Mapping[str, str] | None = None) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=transport, base_url="http://ludicitude.test", headers=headers)


def _example(name: str, answers: Sequence[httpx.Response]) -> dict[str, Any]:
    """The bodies of the first success; of a list the last, which has most to show. Moments are all one: they are never the same."""
    successes = [each for each in answers if each.is_success]
    answer = successes[-1 if name.startswith("list_") else 0]
    content = answer.content
    if answer.headers.get("content-type", "").startswith(EVENT_STREAM):
        content = str(messages(answer.text)[0]["data"]).encode()
    bodies = dict(zip(BODIES, (answer.request.content, content), strict=True))
    return {which: json.loads(_MOMENT.sub(NOON, body.decode())) for which, body in bodies.items() if body}
