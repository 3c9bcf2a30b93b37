"""The answer that is a stream of frames: each goes out as it is made, for as long as there is somebody who takes them.

The framework's own streams take six tasks each, and ours are many and last long: this takes two.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from typing import Any

from litestar.response import Stream
from litestar.response.streaming import ASGIStreamingResponse
from litestar.types import Message, Receive, Send

MEDIA_TYPE = "text/event-stream"

SLOW_SECONDS = 15.0
"""A reader who takes nothing for so long is told goodbye. The server's edge cuts those off who do not take that either."""


class Frames(Stream):
    """A stream of `frames` as text. Who is too slow is told `goodbye` in place of the next one, and comes back with a cursor."""

    def __init__(self, frames: AsyncGenerator[bytes], goodbye: Callable[[], bytes]) -> None:
        super().__init__(frames, media_type=MEDIA_TYPE, headers={"X-Accel-Buffering": "no"}, status_code=200)
        self._frames, self._goodbye = frames, goodbye

    async def tell(self, send: Send, receive: Receive) -> None:
        """Send the frames, which follow the head of the answer, until they end, or their reader leaves or is too slow."""
        telling, stays = asyncio.current_task(), True
        assert telling is not None, "an answer is given within a task"

        def leave(_: object) -> None:
            if stays:
                telling.cancel()

        left = asyncio.ensure_future(_left(receive))
        left.add_done_callback(leave)
        try:
            await self._tell(send)
        except asyncio.CancelledError:
            if not left.done() or telling.uncancel():
                raise
        finally:
            stays = False
            left.cancel()
            await self._frames.aclose()

    async def discard(self) -> None:
        """Nobody will read this."""
        await self._frames.aclose()

    async def _tell(self, send: Send) -> None:
        async for frame in self._frames:
            try:
                async with asyncio.timeout(SLOW_SECONDS):
                    await send(_body(frame, more=True))
            except TimeoutError:
                return await send(_body(self._goodbye(), more=False))
        return await send(_body(b"", more=False))

    def to_asgi_response(
        self, app: Any, request: Any, *, headers: Mapping[str, str] | None = None, is_head_response: bool = False, **_: Any
    ) -> ASGIStreamingResponse:
        """The same for the framework."""
        return _Told(self, {**(headers or {}), **self.headers}, is_head_response)


class _Told(ASGIStreamingResponse):
    """What the framework calls to give the answer."""

    def __init__(self, frames: Frames, headers: dict[str, str], is_head_response: bool) -> None:
        super().__init__(iterator=(), headers=headers, media_type=MEDIA_TYPE, status_code=200, is_head_response=is_head_response)
        self._told = frames

    async def send_body(self, send: Send, receive: Receive) -> None:
        await self._told.tell(send, receive)


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _body(text: bytes, *, more: bool) -> Message:
    return {"type": "http.response.body", "body": text, "more_body": more}
