"""Nobody waits for long to be told that there is no answer, and what they asked for goes on."""

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from litestar import Litestar
from litestar.types import ASGIApp, Receive, Scope, Send

from service.http import deadline
from service.http.deadline import Deadline
from service.matches import Matches
from service.store.codec import Record
from tests.service.conftest import Join, inside

URL = "http://ludicitude.test/"


class Slow:
    """An app that takes its time and then answers."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.done = seconds, asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await asyncio.sleep(self.seconds)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"an answer", "more_body": False})
        self.done.set()


@pytest.fixture(autouse=True)
def _brief(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadline, "BEGIN_SECONDS", 0.2)


async def asked(app: ASGIApp, query: str = "") -> httpx.Response:
    async with httpx.AsyncClient(transport=inside(Deadline(app))) as client:
        return await client.get(URL + query)


async def test_who_is_answered_in_time_notices_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadline, "BEGIN_SECONDS", 60)
    assert (await asked(Slow(0))).text == "an answer"


async def test_a_late_answer_is_a_503_that_says_when_to_ask_again_and_the_work_goes_on() -> None:
    app = Slow(0.5)
    began = time.monotonic()
    answer = await asked(app)
    assert time.monotonic() - began >= 0.2
    assert (answer.status_code, answer.json()["code"], answer.headers["Retry-After"]) == (503, "unavailable", "2")
    assert answer.headers["Content-Type"] == "application/problem+json"
    await asyncio.wait_for(app.done.wait(), 30)


async def test_who_asked_to_wait_is_given_that_time_too() -> None:
    assert (await asked(Slow(0.5), "?after=3&wait=20")).status_code == 200
    assert (await asked(Slow(0.5), "?wait=0")).status_code == 503


@pytest.mark.parametrize("query", ["?wait=20.0", "?w%61it=20", "?wait=%32%30", "?wait=0&wait=20", "?x=%ff&wait=20"])
async def test_however_it_is_written(query: str) -> None:
    assert (await asked(Slow(0.5), query)).status_code == 200


async def test_nobody_is_given_more_than_a_route_grants(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadline, "WAIT_MAX_SECONDS", 0)
    assert (await asked(Slow(0.5), "?wait=99")).status_code == 503


async def test_an_answer_that_has_begun_may_take_its_time() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await asyncio.sleep(0.5)
        await send({"type": "http.response.body", "body": b"all of it", "more_body": False})

    assert (await asked(app)).text == "all of it"


async def test_a_client_that_is_slow_to_ask_loses_nothing_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadline, "BEGIN_SECONDS", 20)
    sent, loop, passed = list[Any](), asyncio.get_running_loop(), 0
    now = loop.time
    monkeypatch.setattr(loop, "time", lambda: now() + passed)

    async def receive() -> Any:
        nonlocal passed
        passed += 60
        return {"type": "http.request", "body": b"{}", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    scope: Any = {"type": "http", "query_string": b"", "headers": []}
    await Deadline(Slow(0.01))(scope, receive, send)
    assert [message.get("status") for message in sent] == [200, None]


async def test_it_holds_for_the_whole_service(app: Litestar, client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch) -> None:
    async def hangs(*_: object) -> None:
        await asyncio.sleep(0.5)

    monkeypatch.setattr(app.state["readiness"], "check", hangs)
    answer = await client.get("/v1/ready", headers={"Origin": "https://play.example.org"})
    assert answer.status_code == 503
    assert answer.headers["Request-Id"] == answer.json()["request_id"]
    assert answer.headers["Access-Control-Allow-Origin"] == "*"


async def test_what_is_told_of_a_whole_match_begins_before_all_of_it_has_been_read(
    app: Litestar, join: Join, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long somebody has made it."""
    monkeypatch.setattr(deadline, "BEGIN_SECONDS", 60)
    ada = await join("Ada")
    opened = (await ada.post("/v1/matches", json={"options": {"game": "pico"}, "bots": ["easy"]})).json()
    path, pages, begun = f"/v1/matches/{opened['match_id']}", Matches.pages, asyncio.Event()
    await ada.post(f"{path}/resign")

    async def once_it_has_begun(*asked: Any) -> AsyncIterator[tuple[Record, ...]]:
        async for page in pages(*asked):
            async with asyncio.timeout(20):
                await begun.wait()
            yield page

    async def noting(scope: Scope, receive: Receive, send: Send) -> None:
        async def note(message: Any) -> None:
            begun.set()
            await send(message)

        begun.clear()
        await app(scope, receive, note)

    monkeypatch.setattr(Matches, "pages", once_it_has_begun)
    async with httpx.AsyncClient(transport=inside(noting), base_url=URL) as client:
        answers = [await client.get(f"{path}/{route}") for route in ("record", "proof")]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].json()["proof"] == answers[1].json()["proof"]
