"""Follows a match to its end, whatever becomes of the connection."""

import json
import random
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import httpx

Record: TypeAlias = dict[str, Any]

SILENCE_SECONDS = 45
"""The server says something every 15 seconds: a line that is silent for so long is dead."""

PAUSE_SECONDS = 1.0
"""The pause before it is tried again; it doubles up to ten times this."""


class Refused(Exception):
    """The server says no, and would say so again: a `problem`, unless it was not our server that spoke."""

    def __init__(self, status: int, content: bytes) -> None:
        try:
            self.problem: Record = dict(json.loads(content))
        except (TypeError, ValueError):
            self.problem = {}
        super().__init__(self.problem.get("code", f"HTTP {status}"))
        self.status = status


class Later(Exception):
    """The server cannot answer now, but wants to be asked again after so many seconds."""

    def __init__(self, status: int, seconds: float) -> None:
        super().__init__(f"HTTP {status}")
        self.seconds = seconds


def follow(
    client: httpx.Client,
    match_id: str,
    lost: Callable[[str, float, str], None] = lambda why, seconds, detail: None,
    found: Callable[[], None] = lambda: None,
    after: int | None = None,
    stop: threading.Event | None = None,
) -> Iterator[tuple[list[Record], Record]]:
    """The steps of a match until it is over: what has happened since the last one, in order, and the view as it stands after that.

    The client has the server's address, and the player's token among its headers. `lost` is called when the line is cut, and tried
    again in so many seconds: `reason.<why>` is a label for it, and the detail is for a log. `found` is called when it is there again.
    With `after` the first step has what has happened since that version, with 0 all of it. Once `stop` is set it ends: at once while it
    pauses, else with the next line from the server, which is at most 15 seconds away.
    """
    path = f"/v1/matches/{match_id}"
    stop = stop or threading.Event()
    items: list[Record] = []
    view: Record | None = None
    last = after  # The version that we have: the id of the last message.
    failures = 0
    while not stop.is_set():
        why, wait, detail = "unavailable", 0.0, "cut"
        try:
            since = {} if last is None else {"Last-Event-ID": str(last)}
            patience = httpx.Timeout(10, read=SILENCE_SECONDS)
            with client.stream("GET", f"{path}/stream", headers=since, timeout=patience) as answer:
                checked(answer)
                if failures:
                    found()
                if answer.status_code == 204:
                    return  # It is over, and we have all of it.
                for frame in frames(answer, stop):
                    failures = 0
                    match frame:
                        case {"frame": "bye", "reason": "ended"}:
                            return
                        case {"frame": "bye", "reason": reason}:
                            why, detail = reason, "bye"
                        case {"frame": "snapshot" | "reset", "view": view}:
                            items, last = [], view["version"]
                            yield items, view
                        case {"frame": "event", "item": item}:
                            items, last = [*items, item], item["version"]
                    if not items and (view is not None or frame["frame"] != "resumed"):
                        continue
                    # Events come one by one; a view that is as far as the last of them is what they lead to.
                    if view is None or view["version"] < last:
                        view = checked(client.get(path, timeout=10)).json()
                    if view["version"] == last:
                        yield items, view
                        items = []
        except Later as later:
            wait, detail = later.seconds, str(later)
        except httpx.TransportError as cut:
            detail = repr(cut)
        if why == "rotate" or stop.is_set():
            continue  # Ten minutes are up, or it was stopped; nothing is wrong.
        wait = max(wait, PAUSE_SECONDS * min(2**failures, 10) * random.uniform(0.8, 1.2))
        failures += 1
        lost(why, wait, detail)
        stop.wait(wait)


def checked(answer: httpx.Response) -> httpx.Response:
    if answer.is_success:
        return answer
    answer.read()
    if answer.status_code >= 500 or answer.status_code in (408, 429):
        raise Later(answer.status_code, retry_after(answer.headers))
    raise Refused(answer.status_code, answer.content)


def retry_after(headers: Mapping[str, str]) -> float:
    """The seconds that the server asks to wait; a proxy that says a date instead is taken to say nothing."""
    asked = headers.get("Retry-After", "")
    return float(asked) if asked.isdecimal() else 0.0


def frames(answer: httpx.Response, stop: threading.Event) -> Iterator[Record]:
    data = ""
    for line in answer.iter_lines():
        if stop.is_set():
            return
        if line.startswith("data: "):
            data = line.removeprefix("data: ")
        elif not line and data:  # An empty line ends a message; before that not all of it has come.
            yield json.loads(data)
            data = ""
