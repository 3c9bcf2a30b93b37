"""Readers of a stream who do not take what they are sent."""

import asyncio
from collections.abc import Callable

from litestar.types import ASGIApp, HTTPDisconnectEvent, Message, Receive, ReceiveMessage, Scope, Send

SLOW_SECONDS = 15.0
"""A reader who takes nothing for so long is told goodbye. The server's edge cuts those off who do not take that either."""


class Patience:
    """Middleware of a stream: ends it with `goodbye` when its reader is too slow. Nothing is lost: the reader comes back with a cursor."""

    def __init__(self, app: ASGIApp, goodbye: Callable[[], bytes]) -> None:
        self._app, self._goodbye = app, goodbye

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        over = asyncio.Event()

        async def send_patiently(message: Message) -> None:
            if over.is_set():
                return
            try:
                async with asyncio.timeout(SLOW_SECONDS):
                    await send(message)
            except TimeoutError:
                await send({"type": "http.response.body", "body": self._goodbye(), "more_body": False})
                over.set()

        async def receive_until_over() -> ReceiveMessage:
            """The app takes the end of the stream for the reader's own leaving, and stops making frames."""
            received, ended = asyncio.ensure_future(receive()), asyncio.ensure_future(over.wait())
            try:
                await asyncio.wait({received, ended}, return_when=asyncio.FIRST_COMPLETED)
                return await received if received.done() else HTTPDisconnectEvent(type="http.disconnect")
            finally:
                received.cancel()
                ended.cancel()

        await self._app(scope, receive_until_over, send_patiently)
