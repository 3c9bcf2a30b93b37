"""Follows a match to its end, whatever becomes of the connection: `follow_async`, and `follow` for a program that is not async."""

import asyncio
import json
import random
import threading
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping
from contextlib import aclosing
from typing import Any, TypeAlias, TypeVar

import httpx

Record: TypeAlias = dict[str, Any]
Step = TypeVar("Step")

Lost: TypeAlias = Callable[[str, float, str], None]
"""Called when the line is cut, and tried again in so many seconds: `reason.<why>` is a label for it, the detail is for a log."""

Found: TypeAlias = Callable[[], None]
"""Called when the line is there again."""

PATIENCE = httpx.Timeout(10, read=45)
"""In seconds. The server says something every 15 seconds: a line that is silent for so long is dead."""

PAUSE_SECONDS = 1.0
"""The pause before it is tried again; it doubles up to ten times this."""

GLANCE_SECONDS = 0.2
"""How often a program that is not async looks whether it is to stop."""


class Refused(Exception):
    """The server says no, with a `problem`. It may have asked to come back in so many seconds.

    There is no problem where it was not our server that spoke, whatever the status; that is tried again like a line that was cut.
    """

    def __init__(self, status: int, content: bytes, headers: Mapping[str, str]) -> None:
        problem = told(content)
        self.problem: Record = problem if isinstance(problem, dict) and isinstance(problem.get("code"), str) else {}
        super().__init__(self.problem.get("code", f"HTTP {status}"))
        self.status = status
        asked = headers.get("Retry-After", "")
        self.seconds = float(asked) if asked.isdecimal() else 0.0  # A proxy that says a date instead is taken to say nothing.

    @property
    def why(self) -> str:
        """What `lost` is told when it is tried again: nothing is wrong with the line for who is too fast."""
        return "rate_limited" if self.problem and self.status == 429 else "unavailable"


class Bye(Exception):
    """The server ends a stream, and says why."""

    def __init__(self, reason: str) -> None:
        super().__init__("bye")
        self.reason = reason


class Line:
    """The line to a server, whether it has failed, and what one asks over it."""

    def __init__(self, http: httpx.AsyncClient, found: Found) -> None:
        self.http, self.found, self.failures = http, found, 0
        self.asked, self.hasty = 0.0, 0

    @property
    def patience(self) -> int:
        """For how many seconds the server is to wait for news: not at all when we do not know yet whether it is there again."""
        return 0 if self.failures else 25

    async def ask(self, address: str, query: Mapping[str, str | int], headers: Mapping[str, str] | None = None) -> httpx.Response:
        """An answer that is no problem; at 304 nothing has changed."""
        self.asked = time.monotonic()
        answer = await self.http.get(address, params=query, headers=headers)
        return answer if answer.status_code == 304 else await checked(answer)

    async def json(self, address: str, **query: str | int) -> Record:
        """The body of an answer."""
        body = body_of(await self.ask(address, query))
        self.holds()
        return body

    async def idle(self) -> None:
        """To be called when an answer has brought nothing new. One that did not wait for news, as where a server stops, is none to
        ask for again at once."""
        self.hasty = self.hasty + 1 if time.monotonic() - self.asked < PAUSE_SECONDS else 0
        if self.hasty:
            wait = backoff(self.hasty - 1)
            await asyncio.sleep(wait)

    def holds(self) -> None:
        """To be called whenever the server has said something."""
        if self.failures:
            self.found()
        self.failures = 0


def backoff(failures: int) -> float:
    """The seconds until the next try."""
    return PAUSE_SECONDS * min(2.0**failures, 10) * random.uniform(0.8, 1.2)


async def kept(
    once: Callable[[Line], AsyncGenerator[Step, None]], token: str | None, lost: Lost, found: Found
) -> AsyncGenerator[Step, None]:
    """What `once` gives, begun again whenever the line is cut, until the server says that it is over."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with httpx.AsyncClient(headers=headers, timeout=PATIENCE) as http:
        line = Line(http, found)
        while True:
            why, wait, detail = "unavailable", 0.0, "cut"
            try:
                async with aclosing(once(line)) as steps:
                    async for step in steps:
                        yield step
            except Bye as bye:
                why, detail = bye.reason, str(bye)
            except Refused as no:
                if no.problem and no.status < 500 and no.status not in (408, 429):
                    raise
                why, wait, detail = no.why, no.seconds, f"HTTP {no.status}"
            except httpx.TransportError as cut:
                detail = repr(cut)
            if why == "ended":
                return
            if why in ("rotate", "gone"):
                continue  # Ten minutes are up, or we may not see it any more, which the server says when it is asked again.
            wait = max(wait, backoff(line.failures))
            line.failures += 1
            lost(why, wait, detail)
            await asyncio.sleep(wait)


def follow_async(
    address: str,
    token: str | None = None,
    lost: Lost = lambda why, seconds, detail: None,
    found: Found = lambda: None,
    after: int | None = None,
) -> AsyncGenerator[tuple[list[Record], Record], None]:
    """The steps of the match at this address, such as http://localhost:8000/v1/matches/mat_..., until it is over.

    Each is what has happened since the last one, in order, and the view as it stands after that. With `after` the first step has what
    has happened since that version, with 0 all of it. Raises `Refused`. Cancel the task that waits for a step to end it all.
    """
    items: list[Record] = []
    view: Record | None = None
    last = after  # The version that we have: the id of the last message.

    async def once(line: Line) -> AsyncGenerator[tuple[list[Record], Record], None]:
        nonlocal items, view, last
        since = {} if last is None else {"Last-Event-ID": str(last)}
        async with line.http.stream("GET", f"{address}/stream", headers=since) as answer:
            async for frame in frames(await checked(answer)):
                line.holds()
                match frame:
                    case {"frame": "snapshot" | "reset", "view": view}:
                        items, last = [], view["version"]
                        yield items, view
                    case {"frame": "event", "item": item}:
                        items, last = [*items, item], item["version"]
                if items or (view is None and frame["frame"] == "resumed"):
                    # Events come one by one; a view that is as far as the last of them is what they lead to.
                    if view is None or view["version"] < last:
                        view = await line.json(address)
                    if view["version"] == last:
                        yield items, view
                        items = []
                if frame["frame"] == "bye":
                    raise Bye(frame["reason"])

    return kept(once, token, lost, found)


def follow(
    address: str,
    token: str | None = None,
    lost: Lost = lambda why, seconds, detail: None,
    found: Found = lambda: None,
    after: int | None = None,
    stop: threading.Event | None = None,
) -> Iterator[tuple[list[Record], Record]]:
    """The same for a program that is not async. It waits for each step, and ends at once when `stop` is set, by whatever thread."""
    return one_by_one(follow_async(address, token, lost, found, after), stop)


def one_by_one(steps: AsyncGenerator[Step, None], stop: threading.Event | None = None) -> Iterator[Step]:
    """Steps for a program that is not async."""

    async def following() -> Step | None:
        waiting = asyncio.ensure_future(anext(steps, None))
        try:
            while not waiting.done() and not (stop and stop.is_set()):
                await asyncio.wait([waiting], timeout=GLANCE_SECONDS)
            return waiting.result() if waiting.done() else None
        finally:
            waiting.cancel()
            await asyncio.wait([waiting])

    with asyncio.Runner() as runner:
        try:
            while (step := runner.run(following())) is not None:
                yield step
        finally:
            runner.run(steps.aclose())


async def checked(answer: httpx.Response) -> httpx.Response:
    """An answer that is no problem."""
    if answer.is_success:
        return answer
    raise Refused(answer.status_code, await answer.aread(), answer.headers)


def body_of(answer: httpx.Response) -> Record:
    """The record in it. Raises `Refused` where a proxy says something else in the server's place."""
    body = told(answer.content)
    if not isinstance(body, dict):
        raise Refused(answer.status_code, answer.content, answer.headers)
    return body


def told(content: bytes) -> Any:
    """What this JSON says; None where it is none."""
    try:
        return json.loads(content)
    except ValueError:
        return None


async def frames(answer: httpx.Response) -> AsyncIterator[Record]:
    """What a stream says; when the match is over and we have all of it, that is bye."""
    if answer.status_code == 204:
        yield {"frame": "bye", "reason": "ended"}
    data = ""
    async for line in answer.aiter_lines():
        if line.startswith("data: "):
            data = line.removeprefix("data: ")
        elif not line and data:  # An empty line ends a message; before that not all of it has come.
            yield json.loads(data)
            data = ""
