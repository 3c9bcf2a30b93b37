"""What is told as it happens, over the network: nobody who listens learns anything that they may not know, or may not know yet."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from litestar import Litestar

from service.http import heartbeat
from service.projector import DELAY_EVENTS
from tests.service.conftest import OLGA, app
from tests.service.raw import Server
from tests.twins.ears import Ears
from tests.twins.stories import DECK

__all__ = ["app"]

CARD = re.compile(r'"((?:beige|white|ochre|black)-\d)"')
SECRET = "xyzzy"


class House:
    """The service over the network, and clients of its players."""

    def __init__(self, port: int) -> None:
        self._address = f"http://127.0.0.1:{port}"
        self.clients: list[httpx.AsyncClient] = []
        self.ears: list[Ears] = []

    def client(self, token: str = "") -> httpx.AsyncClient:
        made = httpx.AsyncClient(base_url=self._address, headers={"Authorization": f"Bearer {token}"} if token else {}, timeout=30)
        self.clients.append(made)
        return made

    async def join(self, name: str) -> httpx.AsyncClient:
        return self.client((await done(self.client(), "POST", "/v1/players", {"display_name": name}))["token"])

    async def listen(self, client: httpx.AsyncClient, path: str) -> Ears:
        made = await Ears(client, path).open()
        self.ears.append(made)
        return made


async def done(client: httpx.AsyncClient, method: str, path: str, body: Any = None) -> Any:
    answer = await client.request(method, path, json=body)
    assert answer.is_success, answer.text
    return answer.json() if answer.content else None


@asynccontextmanager
async def house(app: Litestar) -> AsyncIterator[House]:
    server = Server(app)
    async with await asyncio.get_running_loop().create_server(server.accept, "127.0.0.1", 0) as listening:
        made = House(listening.sockets[0].getsockname()[1])
        try:
            yield made
        finally:
            for ears in made.ears:
                await ears.close()
            for client in made.clients:
                await client.aclose()
            await server.close()


async def seated(here: House, names: tuple[str, ...], options: dict[str, Any], **terms: Any) -> tuple[list[httpx.AsyncClient], str]:
    """A match in play among players of these names, in seat order."""
    first, *others = players = [await here.join(name) for name in names]
    view = await done(first, "POST", "/v1/matches", {"options": options, "seats": len(names), **terms})
    path = f"/v1/matches/{view['match_id']}"
    for other in others:
        await done(other, "POST", f"{path}/seats", {"invite": view["invite"] or ""})
    return players, path


async def test_who_sees_the_play_with_a_delay_learns_nothing_sooner_in_any_way(app: Litestar) -> None:
    """A whole match of open cards, before the ears of a spectator, of nobody, and of a host who does not sit."""
    async with house(app) as here:
        host, eve, nobody = await here.join("Hal"), await here.join("Eve"), here.client()
        terms = {"spectators": "delayed", "sit": False, "start": "by_host", "seats": 3, "testing": {"outcomes": [DECK, [1]]}}
        view = await done(host, "POST", "/v1/matches", {"options": {"game": "black-sheep"}, **terms})
        path = f"/v1/matches/{view['match_id']}"
        players = [await here.join(name) for name in ("Ada", "Bob", "Cid")]
        for player in players:
            await done(player, "POST", f"{path}/seats", {})
        version = laid = (await done(host, "POST", f"{path}/start", {}))["version"]
        ears = [await here.listen(client, path) for client in (host, eve, nobody)]
        while version < laid + DELAY_EVENTS + 12:
            seen = [(player, await done(player, "GET", path)) for player in players]
            [(player, choice)] = [(player, view["decisions"][0]["choices"][0]) for player, view in seen if view["decisions"]]
            await done(player, "POST", f"{path}/messages", {"text": str(version)})
            version = (await done(player, "POST", f"{path}/commands", {"command": choice}))["version"]
            shown = max(laid, version - DELAY_EVENTS)
            if version % 5 == 0:
                await asyncio.gather(*(sooner(each.client, path, shown, version) for each in ears))
            for each in ears:
                assert max(each.framed + each.paged) <= shown
                assert all(int(message["text"]) <= shown for message in each.talk)
        events = [item["event"] for item in (await done(eve, "GET", f"{path}/events?limit=500"))["items"]]
        played = {event["card"] for event in events if event["type"] == "black-sheep.card_played"}
        for each in ears:
            await each.until(lambda ears: ears.framed[-1] == ears.paged[-1] == shown)
            told = re.sub(r'\{"type":"black-sheep.series_begun".*?\}', "", "".join(each.answers))
            assert set(CARD.findall(told)) <= played
        for player in players:
            await done(player, "POST", f"{path}/resign")
        for each in ears:
            await each.until(lambda ears: ears.frames[-1] == {"frame": "bye", "reason": "ended"})


async def sooner(client: httpx.AsyncClient, path: str, shown: int, version: int) -> None:
    """Every other way to ask is tried: a later version, a later cursor, a condition, a list, a command."""
    view = await client.get(path)
    assert view.json()["version"] == shown
    assert (await client.get(path, headers={"If-None-Match": view.headers["etag"]})).status_code == 304
    for at in (shown + 1, max(version, shown + 1)):
        later = await client.get(path, params={"at_version": at})
        assert later.json()["errors"][0]["detail"] == f"The match stands at version {shown}."
    for after in (shown, version - 1, version):
        page = (await client.get(f"{path}/events", params={"after": after})).json()
        assert (page["items"], page["version"]) == ([], shown)
    resumed = [
        client.stream("GET", f"{path}/stream", params={"after": version}),
        client.stream("GET", f"{path}/stream", headers={"Last-Event-ID": f"{version}"}),
    ]
    for each in resumed:
        async with each as answer:
            frame = await anext(answer.aiter_text())
            assert f'"version":{shown}' in frame
            assert ("reset" in frame) == (version > shown)
    listed = (await client.get("/v1/matches", params={"status": "playing", "limit": 1})).json()["items"]
    assert [each["version"] for each in listed] == [shown]
    turns = await client.get("/v1/players/me/turns")
    assert turns.status_code == 401 or turns.json()["items"] == []
    card = {"command": {"type": "black-sheep.play_card", "card": "white-1"}}
    on_condition = [
        await client.post(f"{path}/commands", json=card, headers={"If-Match": f'"v{at}"'}) for at in (shown, version, version + 9)
    ]
    assert len({str({**answer.json(), "request_id": ""}) for answer in on_condition}) == 1 or version == shown
    assert (await client.post(f"{path}/commands", json=card)).json()["code"] in ("not_authenticated", "not_seated")


async def test_a_whisper_is_heard_by_two_whoever_else_listens_and_whatever_comes_after(app: Litestar) -> None:
    """Ada whispers to Bob, and to Dan, who has muted her. Cid plays with them, Hal is their host, Eve and nobody look on."""
    async with house(app) as here:
        hal, eve, nobody, operator = await here.join("Hal"), await here.join("Eve"), here.client(), here.client(OLGA)
        terms = {"options": {"game": "schemers", "whispers": True}, "sit": False, "seats": 4}
        path = f"/v1/matches/{(await done(hal, 'POST', '/v1/matches', terms))['match_id']}"
        ada, bob, cid, dan = players = [await here.join(name) for name in ("Ada", "Bob", "Cid", "Dan")]
        for player in players:
            view = await done(player, "POST", f"{path}/seats", {})
        await done(dan, "PUT", f"/v1/players/me/mutes/{view['seats'][0]['player_id']}")
        outside = [await here.listen(client, path) for client in (cid, dan, hal, eve, nobody)]
        hearing = await here.listen(bob, path)
        to_bob = {"text": f"{SECRET} to Bob", "to_seat": 1}, {"pledge": {"phase": "set1", "face": 3}, "to_seat": 1}
        for words in (*to_bob, {"text": f"{SECRET} to Dan", "to_seat": 3}):
            await done(ada, "POST", f"{path}/messages", words)
        await done(bob, "POST", f"{path}/messages", {"text": f"{SECRET} to Ada", "to_seat": 0})
        await done(bob, "POST", f"{path}/messages", {"text": "Ready?"})
        for ears in (*outside, hearing):
            await ears.until(lambda ears: any(message["text"] == "Ready?" for message in ears.talk))
        assert [message["text"] for message in hearing.talk] == [f"{SECRET} to Bob", None, f"{SECRET} to Ada", "Ready?"]
        assert all([message["text"] for message in ears.talk] == ["Ready?"] for ears in outside)
        for player in players:
            await done(player, "POST", f"{path}/resign")
        again = f"/v1/matches/{(await done(ada, 'POST', f'{path}/rematch'))['match_id']}"
        for player in players[1:]:
            await done(player, "POST", f"{path}/rematch")
        ways = [f"{path}{more}" for more in ("", "/messages", "/events?limit=500", "/record")] + [
            f"{again}/messages",
            again,
            f"{again}/events",
        ]
        others = {client: list(ways) for client in (cid, dan, hal, eve, nobody)}
        others[operator] = [path.replace("/v1/", "/v1/operator/"), "/v1/operator/actions", *ways]
        await unheard(others)
        for player in players:
            assert (await done(player, "GET", f"{again}/messages"))["items"] == [], "the next match is another one"
        await done(ada, "DELETE", "/v1/players/me")
        assert (await done(bob, "GET", f"{path}/messages"))["items"][0]["pledge"], "words go, and what was pledged stays"
        assert "to Bob" not in (await bob.get(f"{path}/messages")).text
        await unheard(others)
        assert all(SECRET not in answer for ears in outside for answer in ears.answers)


async def unheard(asked: dict[httpx.AsyncClient, list[str]]) -> None:
    """None of these clients is told the secret by any of these addresses."""
    for client, addresses in asked.items():
        for each in addresses:
            assert SECRET not in (await client.get(each)).text


async def test_a_stream_says_that_it_is_there_at_the_same_moments_whatever_happens_behind_the_delay(
    app: Litestar, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were the next comment put off by what happens, the reader would know when that was, and might hear nothing at all for long."""
    monkeypatch.setattr(heartbeat, "HEARTBEAT_SECONDS", 0.3)
    async with house(app) as here:
        players, path = await seated(here, ("Ada", "Bob"), {"game": "little-train"}, spectators="delayed")
        ears = await here.listen(here.client(), path)
        moves = 0
        while not any("still here" in each for each in ears.answers):
            moves += 1
            assert moves < 18, "the stream is silent as long as the match goes on"
            seen = [(player, await done(player, "GET", path)) for player in players]
            [(player, view)] = [(player, view) for player, view in seen if view["decisions"]]
            await done(player, "POST", f"{path}/commands", {"command": view["decisions"][0]["choices"][0]})
            await asyncio.sleep(0.05)
