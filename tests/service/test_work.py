"""So many requests of one caller are at work at once: more wait for a place, too many are told to come back, and others notice nothing."""

import asyncio
import random
import time
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
import pytest_asyncio
from litestar import Litestar, get

from service import settings
from service.app import create_app
from service.http import heartbeat, work
from service.http.assembly import http_app
from service.http.limits import Limits
from service.http.problems import Trouble
from service.http.views import Views
from service.http.work import AtWork, Work
from tests.service.conftest import bearing, inside, running
from tests.service.documented import Documented
from tests.service.raw import BODY, GOOD, Server
from tests.service.routes import Guests, send
from tests.service.test_direct import BY_THE_FRAMEWORK

SOON = 20.0
"""Seconds, on a machine that is busy."""


def of(callers: AtWork, name: str = "ada", long_polls_max: int = 3) -> Work:
    return callers.work(name, long_polls_max)


async def settled() -> None:
    """Everything has gone on that could."""
    for _ in range(10):
        await asyncio.sleep(0)


async def test_who_comes_when_all_places_are_taken_waits_for_the_first_that_is_free() -> None:
    callers = AtWork(2)
    first, second, third, fourth = (of(callers) for _ in range(4))
    await first.begin()
    await second.begin()
    waiting = [asyncio.create_task(each.begin()) for each in (third, fourth)]
    other = of(callers, "bob")
    await asyncio.wait_for(other.begin(), SOON)
    await settled()
    assert [each.done() for each in waiting] == [False, False], "the places of one caller are no others'"
    second.end()
    await settled()
    assert [each.done() for each in waiting] == [True, False], "who came first is first"
    third.end()
    await asyncio.wait_for(waiting[1], SOON)
    for each in (first, fourth, other):
        each.end()
    assert not callers._callers, "of those who have nothing here nothing is kept"


async def test_who_waits_too_long_or_behind_too_many_is_told_when_to_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    callers = AtWork(1)
    first = of(callers)
    await first.begin()
    monkeypatch.setattr(work, "WAIT_SECONDS", 0.01)
    with pytest.raises(Trouble, match="too_many_at_once") as late:
        await of(callers).begin()
    assert (late.value.kind.status, late.value.headers) == (429, {"Retry-After": "2"})
    monkeypatch.setattr(work, "WAIT_SECONDS", 60)
    monkeypatch.setattr(work, "WAITING_MAX", 3)
    waiting = [asyncio.create_task(of(callers).begin()) for _ in range(3)]
    await settled()
    with pytest.raises(Trouble, match="too_many_at_once"):
        await of(callers).begin()
    for each in waiting:
        each.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    first.end()
    await asyncio.wait_for(of(callers).begin(), SOON)


async def test_a_page_that_asks_everything_at_once_gets_it_all() -> None:
    """As many as come over one connection of HTTP/2, from a few devices."""
    limits, answered = Limits(), 0

    async def ask() -> None:
        nonlocal answered
        asked = limits.work({"client": ("192.0.2.1", 1)}, None)  # type: ignore[arg-type]
        await asked.begin()
        await asyncio.sleep(0)
        answered += 1
        asked.end()

    await asyncio.gather(*(ask() for _ in range(500)))
    assert answered == 500


async def test_a_place_is_freed_once_whatever_becomes_of_its_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is done, it fails, its client goes away while it waits, works or listens, or it waits for too long: for any of a thousand."""
    monkeypatch.setattr(work, "WAIT_SECONDS", 0.02)
    callers, chance = AtWork(4), random.Random(7)
    at_work = most = 0

    async def ask(bell: asyncio.Event) -> None:
        nonlocal at_work, most
        asked = of(callers, chance.choice(("ada", "bob")), 5)
        try:
            await asked.begin()
            if chance.random() < 0.3:
                await asked.rings(bell, time.monotonic() + chance.random() / 200)
            if chance.random() < 0.2:
                asked.pause()
                await asyncio.sleep(chance.random() / 200)
                await asked.begin()
            at_work += 1
            most = max(most, at_work)
            try:
                await asyncio.sleep(chance.random() / 500)
            finally:
                at_work -= 1
            if chance.random() < 0.2:
                raise ValueError
        finally:
            asked.end()

    bell = asyncio.Event()
    asking: list[asyncio.Task[None]] = []
    for number in range(1000):
        asking.append(asyncio.create_task(ask(bell)))
        if chance.random() < 0.3:
            chance.choice(asking).cancel()
        if number % 20 == 0:
            bell.set()
            await asyncio.sleep(0.002)
            bell.clear()
    found = await asyncio.gather(*asking, return_exceptions=True)
    ends = {type(each) for each in found}
    assert ends == {type(None), ValueError, Trouble, asyncio.CancelledError}
    assert 4 < most <= 8
    assert not callers._callers
    again = [of(callers) for _ in range(4)]
    for each in again:
        await asyncio.wait_for(each.begin(), SOON)


async def test_a_long_poll_takes_no_place_while_it_waits_and_there_are_so_many_of_them() -> None:
    callers, bell = AtWork(1), asyncio.Event()

    async def poll() -> bool:
        asked = of(callers)
        try:
            await asked.begin()
            return await asked.rings(bell, time.monotonic() + SOON)
        finally:
            asked.end()

    polling = [asyncio.create_task(poll()) for _ in range(3)]
    await settled()
    with pytest.raises(Trouble, match="too_many_long_polls") as one_more:
        await poll()
    assert (one_more.value.kind.status, one_more.value.headers) == (429, {"Retry-After": "5"})
    bell.set()
    assert await asyncio.wait_for(asyncio.gather(*polling), SOON) == [True] * 3
    assert not callers._callers


def test_it_costs_next_to_nothing() -> None:
    """Measured at two microseconds; the bound is for machines that have other things to do."""
    limits, scope = Limits(), {"client": ("192.0.2.7", 1)}

    def once() -> None:
        asked = limits.work(scope, None)  # type: ignore[arg-type]
        with pytest.raises(StopIteration):
            asked.begin().send(None)
        asked.end()

    def seconds() -> float:
        began = time.perf_counter()
        for _ in range(100):
            once()
        return (time.perf_counter() - began) / 100

    assert min(seconds() for _ in range(20)) < 50e-6


@pytest_asyncio.fixture
async def narrow(database_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Litestar]:
    """The whole app, with two places for each caller, in which nobody waits for long."""
    async with running(create_app(settings.read({"DATABASE_URL": database_url, "LUDICITUDE_REQUESTS_AT_ONCE": "2"}))) as made:
        monkeypatch.setattr(work, "WAIT_SECONDS", 0.05)
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
    for address in polls:
        refused = await ada.get(address, headers=way)
        assert (refused.status_code, refused.json()["code"]) == (429, "too_many_long_polls")
        assert refused.headers["Retry-After"] == "5"
    assert [(await ada.get(match, headers=way)).status_code for _ in range(3)] == [200] * 3
    for watch in (narrow.state["watch"], narrow.state["talk"].watch, narrow.state["turns"].watch):
        watch.close()
    assert {answer.status_code for answer in await asyncio.wait_for(asyncio.gather(*streams, *polling), SOON)} == {200}
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
    await settled()
    assert not limits._at_work._callers
