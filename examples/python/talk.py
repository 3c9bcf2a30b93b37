"""Follows the talk at a match, whatever becomes of the connection. Stands beside `follow.py`."""

import threading
from collections.abc import AsyncGenerator, Iterator

from follow import Found, Line, Lost, Record, kept, one_by_one


def follow_talk_async(
    address: str,
    token: str | None = None,
    lost: Lost = lambda why, seconds, detail: None,
    found: Found = lambda: None,
) -> AsyncGenerator[Record, None]:
    """The pages of what is said at the match at this address, such as http://localhost:8000/v1/matches/mat_..., from the beginning on.

    It has no end of its own. A page with nothing new comes now and then. Raises `Refused`. Cancel the task that waits for a page to
    end it.
    """
    cursor: str | None = None

    async def once(line: Line) -> AsyncGenerator[Record, None]:
        nonlocal cursor
        while True:
            page = await line.json(f"{address}/messages", wait=line.patience, **({"after": cursor} if cursor else {}))
            before, cursor = cursor, page["next_cursor"]
            yield page
            if cursor == before:
                await line.idle()

    return kept(once, token, lost, found)


def follow_talk(
    address: str,
    token: str | None = None,
    lost: Lost = lambda why, seconds, detail: None,
    found: Found = lambda: None,
    stop: threading.Event | None = None,
) -> Iterator[Record]:
    """The same for a program that is not async. It waits for each page, and ends at once when `stop` is set, by whatever thread."""
    return one_by_one(follow_talk_async(address, token, lost, found), stop)
