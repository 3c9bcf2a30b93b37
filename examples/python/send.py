"""Sends a request until it is answered, with one key for all tries, so that it is carried out once. Stands beside `follow.py`."""

import random
import time
import uuid
from collections.abc import Callable, Mapping
from typing import Protocol, TypeVar

import httpx
from follow import Refused, retry_after

PAUSES_SECONDS = (1, 2, 4, 10, 10, 10, 10)
"""Before each further try; when all have failed, it is over."""

LONGEST_SECONDS = 60
"""Who is to come back later than that does not wait here."""

NO_ANSWER = (httpx.TimeoutException, httpx.NetworkError, httpx.RemoteProtocolError)


class Answer(Protocol):
    """What httpx and generated clients give."""

    @property
    def status_code(self) -> int: ...

    @property
    def headers(self) -> Mapping[str, str]: ...

    @property
    def content(self) -> bytes: ...


Answered = TypeVar("Answered", bound=Answer)


def send(ask: Callable[[str], Answered], lost: Callable[[str, float, str], None] = lambda why, seconds, detail: None) -> Answered:
    """The answer to what `ask` sends with this `Idempotency-Key`.

    `lost` is called before each further try. Raises `Refused` when the server says no, and what httpx raised when it does not
    answer to the end.
    """
    key, pauses = str(uuid.uuid4()), iter(PAUSES_SECONDS)
    while True:
        pause, asked = next(pauses, None), 0.0
        try:
            answer = ask(key)
            if answer.status_code < 400:
                return answer
            refused, asked = Refused(answer.status_code, answer.content), retry_after(answer.headers)
            if pause is None or asked > LONGEST_SECONDS or not passes(refused):
                raise refused
            detail = f"HTTP {answer.status_code}"
        except NO_ANSWER as cut:
            if pause is None:
                raise
            detail = repr(cut)
        wait = max(asked, pause * random.uniform(0.8, 1.2))
        lost("unavailable", wait, detail)
        time.sleep(wait)


def passes(refused: Refused) -> bool:
    """Whether another try can fare better."""
    return refused.status in (429, 502, 503, 504) or refused.problem.get("code") == "key_in_flight"
