"""Sends a request until it is answered, with one key for all tries, so that it is carried out once. Stands beside `follow.py`."""

import asyncio
import json
import random
import threading
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping
from concurrent import futures
from typing import Protocol, TypeVar

import httpx
from follow import GLANCE_SECONDS, Found, Lost, Refused, told

PATIENCE_SECONDS = 45.0
"""For all tries and the pauses between them."""

TRY_SECONDS = 20.0
"""For one try: no answer comes any more that has not come by then."""

PAUSES_SECONDS = (1, 2, 4, 10)
"""Before the further tries; the last one before each that follows."""

NOT_OURS = (json.JSONDecodeError, UnicodeDecodeError)
"""So a generated client fails on what a proxy says in the server's place."""

FAILURES = (Refused, TimeoutError, httpx.TimeoutException, httpx.NetworkError, httpx.RemoteProtocolError, *NOT_OURS)
"""A no, or no answer."""


class Unanswered(Exception):
    """No answer came for as long as one had patience, and nobody knows whether it was carried out. To send the same again with this
    `key` can do no harm."""

    def __init__(self, key: str) -> None:
        super().__init__("no answer")
        self.key = key


class Answer(Protocol):
    """What httpx and generated clients give."""

    @property
    def status_code(self) -> int: ...

    @property
    def headers(self) -> Mapping[str, str]: ...

    @property
    def content(self) -> bytes: ...


Answered = TypeVar("Answered", bound=Answer)


class Tries:
    """The tries of one request, and the key that they share."""

    def __init__(self, lost: Lost, found: Found, key: str | None, patience: float) -> None:
        self.key, self.lost, self.found, self.failures = key or new_key(), lost, found, 0
        self.end = time.monotonic() + patience

    def seconds(self) -> float:
        """How long the next one may take."""
        return max(0.0, min(TRY_SECONDS, self.end - time.monotonic()))

    def heard(self, answer: Answered) -> Answered:
        """An answer that is no problem. Raises `Refused` if it is one, or comes from something else than our server."""
        well = answer.status_code in (204, 304) or (answer.status_code < 300 and isinstance(told(answer.content), dict))
        no = None if well else Refused(answer.status_code, answer.content, answer.headers)
        if self.failures and not (no and passes(no)):
            self.found()
        if no:
            raise no
        return answer

    def pause(self, failure: Exception) -> float:
        """The seconds until the next one. Raises `Refused` when that would be no use, and `Unanswered` when it would be too late."""
        why, asked, detail = "unavailable", 0.0, repr(failure)
        if isinstance(failure, Refused):
            why, asked, detail = failure.why, failure.seconds, f"HTTP {failure.status}"
        wait = max(asked, PAUSES_SECONDS[min(self.failures, len(PAUSES_SECONDS) - 1)] * random.uniform(0.8, 1.2))
        late = time.monotonic() + wait > self.end
        if not passes(failure) or (late and why == "rate_limited"):
            raise failure
        if late:
            raise Unanswered(self.key) from failure
        self.failures += 1
        self.lost(why, wait, detail)
        return wait


def send(
    ask: Callable[[str], Answered],
    lost: Lost = lambda why, seconds, detail: None,
    found: Found = lambda: None,
    key: str | None = None,
    patience: float = PATIENCE_SECONDS,
    stop: threading.Event | None = None,
) -> Answered:
    """The answer to what `ask` sends with this `Idempotency-Key`, which is a new one unless you give the `key` of an earlier request.

    `lost` is called before each further try, `found` when there is an answer after all. Raises `Refused` when the server says no,
    and `Unanswered` after so many seconds of `patience`, or when `stop` is set, by whatever thread.
    """
    tries, stop = Tries(lost, found, key, patience), stop or threading.Event()
    while True:
        try:
            return tries.heard(beside(ask, tries, stop))
        except FAILURES as failure:
            if stop.wait(tries.pause(failure)):
                raise Unanswered(tries.key) from failure


async def send_async(
    ask: Callable[[str], Awaitable[Answered]],
    lost: Lost = lambda why, seconds, detail: None,
    found: Found = lambda: None,
    key: str | None = None,
    patience: float = PATIENCE_SECONDS,
) -> Answered:
    """The same for a program that is async. Cancel the task to end it at once."""
    tries = Tries(lost, found, key, patience)
    while True:
        try:
            return tries.heard(await asyncio.wait_for(ask(tries.key), tries.seconds()))
        except FAILURES as failure:
            await asyncio.sleep(tries.pause(failure))


def new_key() -> str:
    """A key for one request. Who keeps it can send that request again at any time."""
    return str(uuid.uuid4())


def beside(ask: Callable[[str], Answered], tries: Tries, stop: threading.Event) -> Answered:
    """One try, in a thread of its own, so that a line that hangs holds up nobody. Raises TimeoutError if it takes too long."""
    answer: futures.Future[Answered] = futures.Future()

    def trying() -> None:
        try:
            answer.set_result(ask(tries.key))
        except BaseException as failure:  # Whatever it is, it is raised to whoever waits.
            answer.set_exception(failure)

    end = time.monotonic() + tries.seconds()
    threading.Thread(target=trying, daemon=True).start()
    while not answer.done() and time.monotonic() < end:
        if stop.is_set():
            raise Unanswered(tries.key)
        futures.wait([answer], timeout=min(GLANCE_SECONDS, end - time.monotonic()))
    return answer.result(0)


def passes(failure: Exception) -> bool:
    """Whether another try can fare better."""
    if not isinstance(failure, Refused) or not failure.problem:
        return True
    return failure.status in (408, 429, 502, 503, 504) or failure.problem.get("code") == "key_in_flight"
