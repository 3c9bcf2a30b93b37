"""Follows what waits for a player, in all matches, whatever becomes of the connection. Stands beside `follow.py`."""

import threading
from collections.abc import AsyncGenerator, Iterator

from follow import Found, Line, Lost, Record, body_of, kept, one_by_one


def follow_turns_async(
    api: str,
    token: str,
    lost: Lost = lambda why, seconds, detail: None,
    found: Found = lambda: None,
) -> AsyncGenerator[list[Record], None]:
    """What waits for the player of this token, at once and whenever it is something else: `api` is such as http://localhost:8000/v1.

    Each list stands for the one before, and has the hundred most urgent. It has no end of its own. Raises `Refused`. Cancel the task
    that waits for a list to end it.
    """
    items: list[Record] | None = None
    tag = ""

    async def once(line: Line) -> AsyncGenerator[list[Record], None]:
        nonlocal items, tag
        while True:
            query, had = ({"wait": line.patience}, {"If-None-Match": tag}) if tag else ({}, {})
            answer = await line.ask(f"{api}/players/me/turns", query, had)
            before, items = items, items if answer.status_code == 304 else body_of(answer)["items"]
            tag = answer.headers.get("ETag", "")
            line.holds()
            if items == before:
                await line.idle()
            elif items is not None:
                yield items

    return kept(once, token, lost, found)


def follow_turns(
    api: str,
    token: str,
    lost: Lost = lambda why, seconds, detail: None,
    found: Found = lambda: None,
    stop: threading.Event | None = None,
) -> Iterator[list[Record]]:
    """The same for a program that is not async. It waits for each list, and ends at once when `stop` is set, by whatever thread."""
    return one_by_one(follow_turns_async(api, token, lost, found), stop)
