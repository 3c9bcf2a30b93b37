"""Who may see what of a match: strangers, former seats and spectators, in every route."""

from typing import Any

import httpx
import pytest

from tests.service.conftest import Join
from tests.service.documented import document

FRIENDS = {"options": {"game": "pico"}, "visibility": "private"}


def routes_of_a_match() -> list[tuple[str, str]]:
    """Every operation below a match, by method and path."""
    return [
        (method.upper(), path)
        for path, item in document()["paths"].items()
        if path.startswith("/v1/matches/{match_id}")
        for method in item
        if method in ("get", "post", "put", "delete")
    ]


BODIES = {
    "/v1/matches/{match_id}/seats": {"seat": 0},
    "/v1/matches/{match_id}/commands": {"command": {"type": "pico.commit_card", "card": 4}},
    "/v1/matches/{match_id}/clock": {"forward_seconds": 1},
    "/v1/matches/{match_id}/seats/{seat}/bot": {"level": "easy"},
    "/v1/matches/{match_id}/invite": {},
    "/v1/matches/{match_id}/messages": {"text": "hello"},
}


async def ask(client: httpx.AsyncClient, method: str, path: str, match_id: str) -> httpx.Response:
    body = BODIES.get(path) if method in ("POST", "PUT") else None
    return await client.request(method, path.format(match_id=match_id, seat=0, message_id="msg_0"), json=body)


async def private_match(ada: httpx.AsyncClient, bob: httpx.AsyncClient) -> str:
    """A private match of ada and bob in play."""
    opened = (await ada.post("/v1/matches", json=FRIENDS)).json()
    await bob.post(f"/v1/matches/{opened['match_id']}/seats", json={"invite": opened["invite"]})
    return str(opened["match_id"])


@pytest.mark.parametrize("begun", [False, True], ids=["before the start", "in play"])
async def test_a_private_match_is_unknown_to_strangers_in_every_route(join: Join, begun: bool) -> None:
    """The same answer, byte for byte but for the request's id, as for a match that is not there."""
    ada, bob, eve = [await join(name) for name in ("Ada", "Bob", "Eve")]
    hidden = await private_match(ada, bob) if begun else (await ada.post("/v1/matches", json=FRIENDS)).json()["match_id"]
    for method, path in routes_of_a_match():
        answers = [await ask(eve, method, path, match_id) for match_id in (hidden, "mat_" + "0" * 32)]
        told = [{**answer.json(), "request_id": ""} for answer in answers]
        assert [answer.status_code for answer in answers] == [404, 404], f"{method} {path}: {answers[0].text}"
        assert told[0] == told[1], f"{method} {path}"


async def test_a_private_match_is_unknown_to_who_has_left_it(join: Join) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    opened = (await ada.post("/v1/matches", json={**FRIENDS, "start": "by_host"})).json()
    path = f"/v1/matches/{opened['match_id']}"
    await bob.post(f"{path}/seats", json={"invite": opened["invite"]})
    assert (await bob.get(path)).status_code == 200
    assert (await bob.delete(f"{path}/seats/me")).status_code == 204
    for method, route in routes_of_a_match():
        assert (await ask(bob, method, route, opened["match_id"])).status_code == 404, f"{method} {route}"


async def test_the_code_of_a_private_match_admits_until_it_is_renewed(join: Join) -> None:
    ada, bob, cid = [await join(name) for name in ("Ada", "Bob", "Cid")]
    asked = {"options": {"game": "black-sheep"}, "seats": 3, "visibility": "private"}
    opened = (await ada.post("/v1/matches", json=asked)).json()
    path = f"/v1/matches/{opened['match_id']}"
    for wrong in (None, "", "x", opened["invite"][:-1]):
        assert (await bob.post(f"{path}/seats", json={"invite": wrong})).status_code == 404
    renewed = (await ada.post(f"{path}/invite", json={})).json()
    assert renewed["invite"] not in (None, opened["invite"])
    assert (await bob.post(f"{path}/seats", json={"invite": opened["invite"]})).status_code == 404
    seated = (await bob.post(f"{path}/seats", json={"invite": renewed["invite"]})).json()
    assert seated["you"] == 1
    assert seated["invite"] is None, "only the host has the code"
    assert (await cid.post(f"{path}/seats", json={"invite": renewed["invite"]})).json()["status"] == "playing"


async def test_a_match_without_spectators_is_seen_before_it_begins_and_not_after(join: Join, client: httpx.AsyncClient) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    opened = (await ada.post("/v1/matches", json={"options": {"game": "pico"}, "spectators": "none"})).json()
    path = f"/v1/matches/{opened['match_id']}"
    assert (await client.get(path)).status_code == 200
    await bob.post(f"{path}/seats", json={})
    for reader in (client, await join("Eve")):
        for route in ("", "/events", "/record"):
            answer = await reader.get(path + route)
            assert (answer.status_code, answer.json()["code"]) == (403, "no_spectators")
    assert (await bob.get(path)).status_code == 200


async def test_a_match_without_spectators_tells_nobody_else_how_far_it_is_or_who_resigned(client: httpx.AsyncClient, join: Join) -> None:
    ada, bob, cid = [await join(name) for name in ("Ada", "Bob", "Cid")]
    terms = {"options": {"game": "wolves"}, "seats": 3, "spectators": "none"}
    match_id = (await ada.post("/v1/matches", json=terms)).json()["match_id"]
    for other in (bob, cid):
        await other.post(f"/v1/matches/{match_id}/seats", json={})

    async def listed(who: httpx.AsyncClient) -> Any:
        [item] = (await who.get("/v1/matches")).json()["items"]
        return item

    before = await listed(client)
    [decision] = (await ada.get(f"/v1/matches/{match_id}")).json()["decisions"]
    await ada.post(f"/v1/matches/{match_id}/commands", json={"command": decision["choices"][0]})
    assert (await cid.post(f"/v1/matches/{match_id}/resign")).status_code == 200
    assert await listed(client) == before
    seen = await listed(bob)
    assert seen["seats"][2]["stand_in"]
    assert seen["version"] >= before["version"] + 2, "Ada's choice and the resignation; the stand-in may have chosen since"


async def test_spectators_who_are_shown_the_play_with_a_delay_are_told_of_nothing_newer(join: Join, client: httpx.AsyncClient) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    opened = (await ada.post("/v1/matches", json={"options": {"game": "pico"}, "spectators": "delayed"})).json()
    path = f"/v1/matches/{opened['match_id']}"
    view = (await bob.post(f"{path}/seats", json={})).json()
    for _ in range(6):
        for player in (ada, bob):
            [decision] = (await player.get(path)).json()["decisions"]
            view = (await player.post(f"{path}/commands", json={"command": decision["choices"][0]})).json()["view"]
    seen = (await client.get(path)).json()
    assert seen["version"] == view["version"] - 20
    assert seen["table"]["last_trick"] != view["table"]["last_trick"]
    page = (await client.get(f"{path}/events", params={"limit": 500})).json()
    assert page["version"] == page["items"][-1]["version"] == seen["version"]
    assert (await client.get(path, params={"at_version": view["version"]})).status_code == 400
    assert (await client.get(f"{path}/events", params={"after": seen["version"]})).json()["items"] == []


async def test_a_host_who_watches_with_a_delay_learns_of_nothing_newer_by_a_condition(join: Join) -> None:
    host, ada, bob = await join("Host"), await join("Ada"), await join("Bob")
    terms = {"options": {"game": "pico"}, "visibility": "private", "spectators": "delayed", "sit": False}
    opened = (await host.post("/v1/matches", json=terms)).json()
    path, version = f"/v1/matches/{opened['match_id']}", 0
    for player in (ada, bob):
        await player.post(f"{path}/seats", json={"invite": opened["invite"]})
    for _ in range(4):
        for player in (ada, bob):
            [decision] = (await player.get(path)).json()["decisions"]
            chosen = await player.post(f"{path}/commands", json={"command": decision["choices"][0]})
            version = chosen.json()["view"]["version"]
    asked: list[tuple[str, str, Any]] = [
        *(("POST", "/invite", {}), ("POST", "/start", {}), ("POST", "/seats", {}), ("POST", "/seats/0/bot", {"level": "easy"})),
        *(("DELETE", "", None), ("DELETE", "/seats/me", None), ("DELETE", "/seats/0/bot", None), ("DELETE", "/seats/0/player", None)),
        *(("POST", "/resign", None), ("POST", "/clock", {"forward_seconds": 1})),
    ]
    for method, route, body in asked:
        for condition in ('"v1"', f'"v{version}"'):
            answer = await host.request(method, path + route, json=body, headers={"If-Match": condition})
            assert (answer.status_code, answer.json()["detail"]) == (412, "This is not the version that you see."), route
