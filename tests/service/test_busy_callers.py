"""So many requests of one caller are worked on at once, whichever way they come, and others notice nothing of them."""

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
import pytest_asyncio
from litestar import Litestar, get
from litestar.response import Stream

from service import settings
from service.accounts.players import Player
from service.app import create_app
from service.http import auth, heartbeat, work
from service.http.assembly import http_app
from service.http.limits import Limits
from service.http.views import Views
from tests.service.conftest import bearing, inside, running
from tests.service.documented import Documented
from tests.service.raw import BODY, GOOD, Server
from tests.service.routes import Guests, mine, send
from tests.service.test_direct import BY_THE_FRAMEWORK

SOON = 20.0
"""Seconds, on a machine that is busy."""


@pytest_asyncio.fixture
async def narrow(database_url: str) -> AsyncIterator[Litestar]:
    """The whole app, with two places for each caller."""
    async with running(create_app(settings.read({"DATABASE_URL": database_url, "LUDICITUDE_REQUESTS_AT_ONCE": "2"}))) as made:
        yield made


async def joined(app: Litestar) -> httpx.AsyncClient:
    nobody = httpx.AsyncClient(transport=Documented(inside(app)), base_url="http://ludicitude.test")
    made = (await nobody.post("/v1/players", json={"display_name": "Ada"})).json()
    return bearing(Documented(inside(app)), made["token"])


@pytest.mark.parametrize("way", [[], BY_THE_FRAMEWORK], ids=["direct", "framework"])
async def test_it_holds_on_both_ways(narrow: Litestar, monkeypatch: pytest.MonkeyPatch, way: list[tuple[str, str]]) -> None:
    ada, bob = await joined(narrow), await joined(narrow)
    match = f"/v1/matches/{(await ada.post('/v1/matches', json={'options': {'game': 'pico'}})).json()['match_id']}"
    gate, within, seen, hangs = asyncio.Event(), asyncio.Semaphore(0), Views.seen, ada

    async def slow(*arguments: Any) -> Any:
        if hangs is ada:
            within.release()
            await gate.wait()
        return await seen(*arguments)

    monkeypatch.setattr(Views, "seen", slow)
    asking = [asyncio.create_task(ada.get(match, headers=way)) for _ in range(2)]
    for _ in asking:
        await asyncio.wait_for(within.acquire(), SOON)
    monkeypatch.setattr(work, "WAIT_SECONDS", 0.05)
    for refused in (await ada.get(match, headers=way), await ada.get("/v1/players/me")):
        assert (refused.status_code, refused.json()["code"]) == (429, "too_many_at_once")
        assert refused.headers["Retry-After"] == refused.json()["message_params"]["seconds"] == "2"
        assert refused.headers["RateLimit"].startswith('"player"')
    hangs = bob
    assert (await bob.get(match, headers=way)).status_code == 200
    gate.set()
    assert [answer.status_code for answer in await asyncio.gather(*asking)] == [200, 200]

    async def fails(*_: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(Views, "seen", fails)
    assert [(await ada.get(match, headers=way)).status_code for _ in range(5)] == [500] * 5
    monkeypatch.setattr(Views, "seen", seen)
    assert [(await ada.get(match, headers=way)).status_code for _ in range(3)] == [200] * 3


@pytest.mark.parametrize("way", [[], BY_THE_FRAMEWORK], ids=["direct", "framework"])
async def test_long_polls_and_streams_take_no_place(narrow: Litestar, monkeypatch: pytest.MonkeyPatch, way: list[tuple[str, str]]) -> None:
    ada = await joined(narrow)
    monkeypatch.setattr("service.http.limits.LONG_POLLS_MAX", 3)
    monkeypatch.setattr(heartbeat, "HEARTBEAT_SECONDS", 0.01)
    opened = (await ada.post("/v1/matches", json={"options": {"game": "pico"}})).json()
    match, version = f"/v1/matches/{opened['match_id']}", opened["version"]
    streams = [asyncio.create_task(ada.get(address, headers=way)) for address in (f"{match}/stream", "/v1/players/me/turns/stream") * 2]
    polls = [f"{match}/events?after={version}&wait=20", f"{match}/messages?wait=20", "/v1/players/me/turns?wait=20"]
    polling = [asyncio.create_task(ada.get(address, headers=way)) for address in polls]
    callers = narrow.state["streams"]._open, narrow.state["watch"]
    for _ in range(2000):
        found = next(iter(_callers(narrow).values()), None)
        if found is not None and found.long_polls == 3 and sum(callers[0].values()) == 4:
            break
        await asyncio.sleep(0.005)
    else:
        raise AssertionError("they do not all wait")
    monkeypatch.setattr(work, "WAIT_SECONDS", 0.05)
    for address in polls:
        refused = await ada.get(address, headers=way)
        assert (refused.status_code, refused.json()["code"]) == (429, "too_many_long_polls")
        assert refused.headers["Retry-After"] == "5"
    assert [(await ada.get(match, headers=way)).status_code for _ in range(3)] == [200] * 3
    monkeypatch.setattr(work, "WAIT_SECONDS", SOON)
    for watch in (narrow.state["watch"], narrow.state["talk"].watch, narrow.state["turns"].watch):
        watch.close()
    assert {answer.status_code for answer in await asyncio.wait_for(asyncio.gather(*streams, *polling), SOON)} == {200}
    await asyncio.sleep(0)
    assert not _callers(narrow)


def _callers(app: Litestar) -> dict[str, Any]:
    [authentication] = [each for each in app.middleware if hasattr(each, "admit")]
    callers: dict[str, Any] = authentication._limits._at_work._callers  # type: ignore[union-attr]
    return callers


async def test_a_client_that_is_slow_to_send_takes_no_place(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a few slow ones would keep all others of a household from being heard."""
    monkeypatch.setattr(work, "WAIT_SECONDS", 0.05)
    server.serve(http_app([send], players=Guests(), services=(), limits=Limits(at_once=1)))  # type: ignore[arg-type]
    slow = [await server.open() for _ in range(3)]
    for each in slow:
        await each.send(GOOD.removesuffix(BODY))
    quick = await server.open()
    await quick.send(GOOD)
    assert (await quick.answer())[0] == 200
    for each in slow:
        await each.send(BODY)
        assert (await each.answer())[0] == 200


async def test_a_client_that_goes_away_leaves_its_place_when_its_request_is_done(server: Server) -> None:
    limits, gate, within = Limits(at_once=1), asyncio.Event(), asyncio.Event()

    @get("/hangs")
    async def hangs() -> str:
        within.set()
        await gate.wait()
        return ""

    server.serve(http_app([hangs], players=Guests(), services=(), limits=limits))  # type: ignore[arg-type]
    client = await server.open()
    await client.send(b"GET /hangs HTTP/1.1\r\nHost: h\r\n\r\n")
    await asyncio.wait_for(within.wait(), SOON)
    other = await server.open()
    client.writer.close()
    gate.set()
    await other.send(b"GET /hangs HTTP/1.1\r\nHost: h\r\n\r\n")
    assert (await other.answer())[0] == 200
    await asyncio.sleep(0)
    assert not limits._at_work._callers


class Revocable(Guests):
    """The same, until the token is revoked."""

    revoked = False

    async def by_token(self, secret: str) -> Player | None:
        return None if self.revoked else await super().by_token(secret)


MINE = GOOD.replace(b"/sent", b"/mine").replace(b"Host: h", b"Host: h\r\nAuthorization: Bearer good")


async def test_who_is_slow_to_send_a_body_gets_nothing_by_a_token_that_has_ended_meanwhile(server: Server) -> None:
    """Whoever stole it would else act for as long as they may take to send a request."""
    guests = Revocable()
    server.serve(http_app([mine, send], players=guests, services=()))  # type: ignore[arg-type]
    slow = await server.open()
    await slow.send(MINE.removesuffix(BODY))
    quick = await server.open()
    await quick.send(GOOD)
    assert (await quick.answer())[0] == 200
    guests.revoked = True
    await slow.send(BODY)
    assert (await slow.answer())[0] == 401


async def test_who_waits_for_a_place_gets_nothing_by_a_token_that_has_ended_meanwhile(server: Server) -> None:
    guests, limits, gate, within = Revocable(), Limits(at_once=1), asyncio.Event(), asyncio.Event()

    @get("/hangs")
    async def hangs() -> str:
        within.set()
        await gate.wait()
        return ""

    server.serve(http_app([mine, hangs], players=guests, services=(), limits=limits))  # type: ignore[arg-type]
    first, second = await server.open(), await server.open()
    await first.send(b"GET /hangs HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer good\r\n\r\n")
    await asyncio.wait_for(within.wait(), SOON)
    await second.send(MINE)
    async with asyncio.timeout(SOON):
        while not sum(caller.waiting for caller in limits._at_work._callers.values()):  # noqa: ASYNC110 - nobody tells.
            await asyncio.sleep(0.001)
    guests.revoked = True
    gate.set()
    assert [(await each.answer())[0] for each in (first, second)] == [200, 401]


async def test_a_client_that_is_slow_to_read_takes_no_place(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even of what is told while it is read, as records of long matches are; and who reads on gets all of it."""
    monkeypatch.setattr(work, "SLOW_SECONDS", 0.02)
    limits, pieces = Limits(at_once=1), 300

    async def told() -> AsyncIterator[bytes]:
        for _ in range(pieces):
            yield b"." * 65_536

    @get("/long")
    async def long() -> Stream:
        return Stream(told())

    server.serve(http_app([long, send], players=Guests(), services=(), limits=limits))  # type: ignore[arg-type]
    slow, quick = await server.open(), await server.open()
    await slow.send(b"GET /long HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
    for _ in range(2):
        await quick.send(GOOD)
        assert (await quick.answer())[0] == 200
    assert len(await asyncio.wait_for(slow.reader.read(-1), SOON)) > pieces * 65_536
    await asyncio.sleep(0)
    assert not limits._at_work._callers


async def test_who_sends_too_much_is_told_so_in_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auth, "REFUSED_SECONDS", 0.3)
    app = http_app([send], players=Guests(), services=(), limits=Limits(per_address=1))  # type: ignore[arg-type]
    async with httpx.AsyncClient(transport=inside(app), base_url="http://ludicitude.test") as client:
        began = time.monotonic()
        assert (await client.post("/sent", content=BODY, headers={"Content-Type": "application/json"})).status_code == 200
        assert time.monotonic() - began < 0.3
        for _ in range(2):
            began = time.monotonic()
            assert (await client.post("/sent", content=BODY, headers={"Content-Type": "application/json"})).status_code == 429
            assert time.monotonic() - began >= 0.3
