"""The longest that anybody waits for an answer to begin: a database that says nothing at all must not make the service silent too."""

import asyncio
from contextlib import suppress
from urllib.parse import parse_qs

import msgspec
import structlog
from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPScope, Message, Receive, ReceiveMessage, Scope, Send

from service.http.problems import Trouble, send_instead

BEGIN_SECONDS = 1.8
"""From the request until the answer begins, without the time that the client takes to send it, or has asked us to wait."""

WAIT_MAX_SECONDS = 25
"""How long a long-poll is held; proxies give up at thirty seconds and more."""

log = structlog.get_logger()


class Deadline:
    """Answers 503 in the place of an app that is late, and lets it finish what it is at: a command may still be stored.

    Whoever sends it again with its key learns what became of it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            return await self._app(scope, receive, send)
        loop = asyncio.get_running_loop()
        ends = loop.time() + patience(scope)
        answer_late: asyncio.Task[None] | None = None
        begun = False

        def give_up() -> None:
            nonlocal answer_late
            answer_late = asyncio.create_task(send_instead(late(), str(scope.get("request_id", "")), send))

        timer = loop.call_at(ends, give_up)

        async def take() -> ReceiveMessage:
            nonlocal timer, ends
            timer.cancel()
            left = ends - loop.time()
            message = await receive()
            ends = loop.time() + left
            if not begun and answer_late is None:
                timer = loop.call_at(ends, give_up)
            return message

        async def answer(message: Message) -> None:
            nonlocal begun
            if answer_late is None:
                begun = True
                timer.cancel()
                await send(message)

        try:
            await self._app(scope, take, answer)
        finally:
            timer.cancel()
            if answer_late is not None:
                await answer_late
        return None


def patience(scope: HTTPScope) -> float:
    """For how many seconds this client waits for an answer to begin."""
    return BEGIN_SECONDS + (_asked(scope["query_string"]) if scope["query_string"] else 0)


def late() -> Trouble:
    """What is answered then."""
    log.warning("answer_late", seconds=BEGIN_SECONDS)
    return Trouble("unavailable", "The service did not find an answer in time. What was asked for may still be done; ask again.")


def _asked(query: bytes) -> int:
    """How many seconds the client asks us to wait, however it writes that (the framework takes 3.0 too); no more than any route grants."""
    asked = 0
    for each in parse_qs(query.decode("latin-1")).get("wait", ()):
        with suppress(msgspec.ValidationError):
            asked = max(asked, min(msgspec.convert(each, int, strict=False), WAIT_MAX_SECONDS))
    return asked
