"""Follows a match to its end, whatever becomes of the connection."""

import json
import random
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import httpx

Record: TypeAlias = dict[str, Any]

SILENCE_SECONDS = 45
"""The server says something every 15 seconds: a line that is silent for so long is dead."""

PAUSE_SECONDS = 1.0
"""The pause before it is tried again; it doubles up to ten times this."""


class Refused(Exception):
    """The server says no, and would say so again: a `problem`, unless it was not our server that spoke."""

    def __init__(self, status: int, problem: Record) -> None:
        super().__init__(problem.get("code", f"HTTP {status}"))
        self.status, self.problem = status, problem


class Later(Exception):
    """The server cannot answer now, but wants to be asked again after so many seconds."""

    def __init__(self, status: int, seconds: float) -> None:
        super().__init__(f"HTTP {status}")
        self.seconds = seconds


def follow(
    client: httpx.Client, match_id: str, lost: Callable[[str, float], None] = lambda why, seconds: None
) -> Iterator[tuple[list[Record], Record]]:
    """The steps of a match until it is over: what has happened since the last one, in order, and the view as it stands after that.

    The client has the server's address, and the player's token among its headers. `lost` is called when the line is cut, and tried
    again in so many seconds.
    """
    path = f"/v1/matches/{match_id}"
    items: list[Record] = []
    view: Record | None = None
    last: int | None = None  # The version that we have: the id of the last message.
    failures = 0
    while True:
        why, wait = "cut", 0.0
        try:
            since = {} if last is None else {"Last-Event-ID": str(last)}
            patience = httpx.Timeout(10, read=SILENCE_SECONDS)
            with client.stream("GET", f"{path}/stream", headers=since, timeout=patience) as answer:
                if checked(answer).status_code == 204:
                    return  # It is over, and we have all of it.
                for frame in frames(answer):
                    failures = 0
                    match frame:
                        case {"frame": "bye", "reason": "ended"}:
                            return
                        case {"frame": "bye", "reason": reason}:
                            why = reason
                        case {"frame": "snapshot" | "reset", "view": view}:
                            items, last = [], view["version"]
                            yield items, view
                        case {"frame": "event", "item": item}:
                            items, last = [*items, item], item["version"]
                    if not items or view is None:
                        continue
                    # Events come one by one; a view that is as far as the last of them is what they lead to.
                    if view["version"] < last:
                        view = checked(client.get(path, timeout=10)).json()
                    if view["version"] == last:
                        yield items, view
                        items = []
        except Later as later:
            why, wait = str(later), later.seconds
        except httpx.TransportError as cut:
            why = type(cut).__name__
        if why == "rotate":
            continue  # Ten minutes are up; nothing is wrong.
        wait = max(wait, PAUSE_SECONDS * min(2**failures, 10) * random.uniform(0.8, 1.2))
        failures += 1
        lost(why, wait)
        time.sleep(wait)


def checked(answer: httpx.Response) -> httpx.Response:
    if answer.is_success:
        return answer
    answer.read()
    if answer.status_code >= 500 or answer.status_code in (408, 429):
        raise Later(answer.status_code, float(answer.headers.get("Retry-After", 0)))
    try:
        raise Refused(answer.status_code, answer.json())
    except ValueError:
        raise Refused(answer.status_code, {}) from None


def frames(answer: httpx.Response) -> Iterator[Record]:
    data = ""
    for line in answer.iter_lines():
        if line.startswith("data: "):
            data = line.removeprefix("data: ")
        elif not line and data:  # An empty line ends a message; before that not all of it has come.
            yield json.loads(data)
            data = ""
