"""HEAD is GET without the body (RFC 9110, 9.3.2), for every route at once; the framework would answer 405."""

from litestar.enums import HttpMethod, ScopeType
from litestar.types import ASGIApp, HTTPReceiveMessage, Message, Receive, Scope, Send


class HeadAsGet:
    """Answers HEAD with the status and headers of GET."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP or scope["method"] != HttpMethod.HEAD:
            return await self._app(scope, receive, send)
        scope["method"] = HttpMethod.GET
        asked = False

        async def once() -> HTTPReceiveMessage:
            """The request, and then that the client has gone: it waits for no body, so a stream ends here."""
            nonlocal asked
            if asked:
                return {"type": "http.disconnect"}
            asked = True
            return {"type": "http.request", "body": b"", "more_body": False}

        async def without_body(message: Message) -> None:
            # The server counts the bytes of an answer against its Content-Length, unless it sees a HEAD.
            scope["method"] = HttpMethod.HEAD
            if message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        return await self._app(scope, once, without_body)
