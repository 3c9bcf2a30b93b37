"""Sends a request until it is answered, with one key for all tries, so that it is carried out once. Stands beside `follow.py`."""

import asyncio
import random
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol, TypeVar

import httpx
from follow import Lost, Refused

PAUSES_SECONDS = (1, 2, 4, 10, 10, 10, 10)
"""Before each further try; when all have failed, it is over."""

LONGEST_SECONDS = 60
"""Who is to come back later than that does not wait here."""

FAILURES = (Refused, httpx.TimeoutException, httpx.NetworkError, httpx.RemoteProtocolError)
"""A no, or no answer."""


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

    def __init__(self, lost: Lost) -> None:
        self.key, self.lost, self.pauses = str(uuid.uuid4()), lost, iter(PAUSES_SECONDS)

    def pause(self, failure: Exception) -> float:
        """The seconds until the next try. Raises the failure if there is none."""
        pause, asked, detail = next(self.pauses, None), 0.0, repr(failure)
        if isinstance(failure, Refused):
            asked, detail = failure.seconds, f"HTTP {failure.status}"
        if pause is None or asked > LONGEST_SECONDS or not passes(failure):
            raise failure
        wait = max(asked, pause * random.uniform(0.8, 1.2))
        self.lost("unavailable", wait, detail)
        return wait


def send(ask: Callable[[str], Answered], lost: Lost = lambda why, seconds, detail: None) -> Answered:
    """The answer to what `ask` sends with this `Idempotency-Key`.

    `lost` is called before each further try. Raises `Refused` when the server says no, and what httpx raised when it does not
    answer to the end.
    """
    tries = Tries(lost)
    while True:
        try:
            return accepted(ask(tries.key))
        except FAILURES as failure:
            time.sleep(tries.pause(failure))


async def send_async(ask: Callable[[str], Awaitable[Answered]], lost: Lost = lambda why, seconds, detail: None) -> Answered:
    """The same for a program that is async."""
    tries = Tries(lost)
    while True:
        try:
            return accepted(await ask(tries.key))
        except FAILURES as failure:
            await asyncio.sleep(tries.pause(failure))


def accepted(answer: Answered) -> Answered:
    """An answer that is no problem."""
    if answer.status_code < 400:
        return answer
    raise Refused(answer.status_code, answer.content, answer.headers)


def passes(failure: Exception) -> bool:
    """Whether another try can fare better."""
    if not isinstance(failure, Refused):
        return True
    return failure.status in (429, 502, 503, 504) or failure.problem.get("code") == "key_in_flight"
