"""The busiest routes answer alike on both ways: called directly, and by the framework."""

import re
from typing import Any

import httpx
import pytest

from service.http.direct import Direct
from service.http.views import Views
from tests.service.conftest import Join

BY_THE_FRAMEWORK = [("X-Twice", "1"), ("X-Twice", "2")]
"""A header that is given twice is not plain."""

PASSING = {"request-id": "", "ratelimit": ""}


async def both(client: httpx.AsyncClient, method: str, path: str, headers: dict[str, str] | None = None, **how: Any) -> httpx.Response:
    """The answer to a request that changes nothing, or is answered again: the same on both ways, to the last header."""
    ways: tuple[list[tuple[str, str]], ...] = ([], BY_THE_FRAMEWORK)
    answers = [await client.request(method, path, headers=[*(headers or {}).items(), *more], **how) for more in ways]
    seen = [
        (
            answer.status_code,
            re.sub(r'"(request_id|server_time)":"[^"]*"', "", answer.text),
            {**answer.headers, **PASSING, "content-length": len(answer.content) if answer.status_code != 304 else None},
        )
        for answer in answers
    ]
    assert seen[0] == seen[1]
    return answers[0]


@pytest.fixture
def way(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """One word for each call that did not go the framework's way from the first."""
    taken: list[str] = []
    answer = Direct._answer

    async def directly(*arguments: Any) -> None:
        taken.append("direct")
        await answer(*arguments)

    monkeypatch.setattr(Direct, "_answer", directly)
    return taken


async def begun(ada: httpx.AsyncClient, bob: httpx.AsyncClient, **terms: Any) -> Any:
    """A match of Pico, as ada sees it."""
    match = (await ada.post("/v1/matches", json={"options": {"game": "pico"}, **terms})).json()["match_id"]
    assert (await bob.post(f"/v1/matches/{match}/seats", json={})).status_code == 200
    return (await ada.get(f"/v1/matches/{match}")).json()


async def test_views_and_events(join: Join, client: httpx.AsyncClient, way: list[str]) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    match = f"/v1/matches/{(await begun(ada, bob))['match_id']}"
    way.clear()
    for caller in (ada, bob, client):
        seen = await both(caller, "GET", match)
        assert seen.json()["version"] > 0
        known = await both(caller, "GET", match, {"If-None-Match": seen.headers["ETag"]})
        assert (known.status_code, known.content) == (304, b"")
        assert (await both(caller, "GET", match, {"If-None-Match": 'W/"other", "more"'})).status_code == 200
        page = await both(caller, "GET", f"{match}/events?after=2&limit=3")
        assert [item["version"] for item in page.json()["items"]] == [3, 4, 5]
        assert (await both(caller, "GET", f"{match}/events")).json()["items"][0]["version"] == 1
    assert way == ["direct"] * 15


async def test_a_command_is_played_once_and_answered_alike(join: Join, way: list[str]) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    view = await begun(ada, bob)
    [decision] = view["decisions"]
    way.clear()
    for key, headers in (("one", {}), ("two", {"If-Match": f'"v{view["version"]}"'})):
        body = {"command": decision["choices"][0], "decision": decision["decision"]}
        how: dict[str, Any] = {"headers": {"Idempotency-Key": key, **headers}, "json": body}
        answer = await both(ada, "POST", f"/v1/matches/{view['match_id']}/commands", **how)
        assert answer.status_code == {"one": 200, "two": 412}[key]
    assert way == ["direct"] * 2


WRONG: list[tuple[str, str, dict[str, str], dict[str, Any], int | None]] = [
    ("GET", "/v1/matches/mat_x", {}, {}, 404),
    ("GET", "/v1/matches/", {}, {}, 200),
    ("GET", "{match}/", {}, {}, 200),
    ("GET", "{match}?at_version=1", {}, {}, 200),
    ("GET", "{match}?at_version=x", {}, {}, 400),
    ("GET", "{match}/events?after=-1", {}, {}, 400),
    ("GET", "{match}/events?limit=0", {}, {}, 400),
    ("GET", "{match}/events?after=007", {}, {}, 400),
    ("GET", "{match}/events?after=1.0&wait=1e0", {}, {}, 200),
    ("GET", "{match}/events?wait=26", {}, {}, 400),
    ("GET", "{match}/events?after=1&after=2", {}, {}, None),
    ("GET", "{match}/events?after=9007199254740992", {}, {}, 400),
    ("GET", "{match}?colour=red", {}, {}, 400),
    ("GET", "{match}?at_version=1&colour=red", {}, {}, 400),
    ("GET", "{match}/events?after=1&colour=red", {}, {}, 400),
    ("GET", "{match}/events?After=1", {}, {}, 400),
    ("GET", "{match}/events?after", {}, {}, 400),
    ("GET", "{match}/events?&", {}, {}, 200),
    ("GET", "{match}/stream?after=1ticket=tkt_x", {}, {}, 400),
    ("GET", "{match}/stream?after=1&after=2ticket=tkt_x", {}, {}, 400),
    ("POST", "{match}/commands?after=1", {}, {"json": {"command": {"type": "pico.commit_card", "card": 99}}}, 400),
    ("GET", "{match}", {"Authorization": "Bearer lud_nobody"}, {}, 401),
    ("GET", "{match}", {"Authorization": "Basic x"}, {}, 401),
    ("PUT", "{match}", {}, {}, 405),
    ("POST", "{match}/commands", {}, {"json": {}}, 422),
    ("POST", "{match}/commands", {}, {"content": b"{"}, 415),
    ("POST", "{match}/commands", {"Content-Type": "application/json"}, {"content": b"{"}, 400),
    ("POST", "{match}/commands", {"Content-Type": "application/json"}, {"content": b""}, 400),
    ("POST", "{match}/commands", {"Content-Type": "application/json; charset=utf-8"}, {"content": b"[]"}, 422),
    ("POST", "{match}/commands", {"Content-Type": "text/plain"}, {"content": b"{}"}, 415),
    ("POST", "{match}/commands", {"Idempotency-Key": "a b"}, {"json": {"command": {"type": "pico.commit_card", "card": 7}}}, 400),
    ("POST", "{match}/commands", {"Idempotency-Key": ""}, {"json": {"command": {"type": "pico.commit_card", "card": 7}}}, 400),
    ("POST", "{match}/commands", {"Idempotency-Key": "k" * 256}, {"json": {"command": {"type": "pico.commit_card", "card": 7}}}, 400),
    ("POST", "{match}/commands", {"If-Match": "12"}, {"json": {"command": {"type": "pico.commit_card", "card": 7}}}, 400),
    ("POST", "{match}/commands", {}, {"json": {"command": {"type": "pico.commit_card", "card": 99}}}, 422),
    ("POST", "{match}/commands", {}, {"json": {"command": {"type": "wolves.nothing"}}}, 422),
    ("POST", "/v1/matches/mat_x/commands", {}, {"json": {"command": {"type": "pico.commit_card", "card": 7}}}, 404),
    ("POST", "{match}/commands", {"Content-Type": "application/json"}, {"content": b" " * 20_000}, 413),
]


async def test_what_is_wrong_is_told_alike(join: Join) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    match = f"/v1/matches/{(await begun(ada, bob))['match_id']}"
    for method, path, headers, how, status in WRONG:
        answer = await both(ada, method, path.format(match=match), headers, **how)
        assert status in (None, answer.status_code), (method, path, answer.text)


async def test_nobody_is_refused_alike(join: Join, client: httpx.AsyncClient) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    private = (await begun(ada, bob, visibility="public", spectators="none"))["match_id"]
    assert (await both(client, "GET", f"/v1/matches/{private}")).status_code == 403
    body = {"command": {"type": "pico.commit_card", "card": 7}}
    assert (await both(client, "POST", f"/v1/matches/{private}/commands", json=body)).status_code == 401


async def test_a_bug_is_a_problem_on_both_ways(join: Join, monkeypatch: pytest.MonkeyPatch) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    match = f"/v1/matches/{(await begun(ada, bob))['match_id']}"

    async def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError

    monkeypatch.setattr(Views, "answered", broken)
    assert (await both(ada, "GET", match)).status_code == 500


async def test_streams_begin_alike(join: Join, client: httpx.AsyncClient, way: list[str]) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    match = f"/v1/matches/{(await begun(ada, bob, spectators='none'))['match_id']}"
    ended = (await ada.post(f"{match}/resign")).json()
    way.clear()
    for path, headers, status in (
        (f"{match}/stream", {}, 200),
        (f"{match}/stream?after=0", {}, 200),
        (f"{match}/stream", {"Last-Event-ID": "1"}, 200),
        (f"{match}/stream?after=3", {"Last-Event-ID": str(ended["version"])}, 204),
        (f"{match}/stream?after={ended['version']}", {}, 204),
        (f"{match}/stream?ticket=tkt_nobody", {}, 401),
    ):
        assert (await both(ada, "GET", path, headers)).status_code == status
    assert (await both(client, "GET", f"{match}/stream")).status_code == 403
    assert way == ["direct"] * 7
    assert (await both(ada, "GET", f"{match}/stream?after=x")).status_code == 400
    assert (await both(ada, "GET", f"{match}/stream?else=1")).status_code == 400
    assert way == ["direct"] * 7
