"""HEAD and OPTIONS, for every route at once."""

from litestar.enums import HttpMethod, ScopeType
from litestar.types import ASGIApp, HTTPReceiveMessage, HTTPScope, Message, Receive, Scope, Send

from service.http.cors import FOR_PREFLIGHTS

_NO_METHOD = "TRACE"
"""No route has it."""


class EveryMethod:
    """HEAD is GET without the body (RFC 9110, 9.3.2), where the framework would answer 405.

    OPTIONS answers the preflights of browsers, and else tells the methods of an address, where the framework forgets those that were
    registered later.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == ScopeType.HTTP and scope["method"] == HttpMethod.HEAD:
            return await self._head(scope, send)
        if scope["type"] == ScopeType.HTTP and scope["method"] == HttpMethod.OPTIONS:
            asks_for_a_page = any(name == b"access-control-request-method" for name, _ in scope["headers"])
            return await (_preflight(send) if asks_for_a_page else self._options(scope, receive, send))
        return await self._app(scope, receive, send)

    async def _head(self, scope: HTTPScope, send: Send) -> None:
        scope["method"] = HttpMethod.GET
        asked = over = False

        async def once() -> HTTPReceiveMessage:
            """The request, and then that the client has gone: it waits for no body, so a stream ends here."""
            nonlocal asked
            if asked:
                return {"type": "http.disconnect"}
            asked = True
            return {"type": "http.request", "body": b"", "more_body": False}

        async def without_body(message: Message) -> None:
            nonlocal over
            # The server counts the bytes of an answer against its Content-Length, unless it sees a HEAD.
            scope["method"] = HttpMethod.HEAD
            if message["type"] == "http.response.start":
                await send(message)
            elif not over:
                over = True
                await send({"type": "http.response.body", "body": b"", "more_body": False})

        await self._app(scope, once, without_body)
        if not over:  # A stream whose client has gone says nothing more; but this one is waiting for its next answer.
            await without_body({"type": "http.response.body", "body": b"", "more_body": False})

    async def _options(self, scope: HTTPScope, receive: Receive, send: Send) -> None:
        """The 405 of a method that no route has names all the methods there are; that is the answer."""
        scope["method"] = _NO_METHOD  # type: ignore[typeddict-item]
        allowed = False

        async def allow(message: Message) -> None:
            nonlocal allowed
            scope["method"] = HttpMethod.OPTIONS
            if message["type"] == "http.response.start" and message["status"] == 405:
                allowed = True
                headers = [header for header in message["headers"] if header[0] == b"allow"]
                message = {**message, "status": 204, "headers": headers}
            elif allowed and message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        await self._app(scope, receive, allow)


async def _preflight(send: Send) -> None:
    await send({"type": "http.response.start", "status": 204, "headers": FOR_PREFLIGHTS})
    await send({"type": "http.response.body", "body": b"", "more_body": False})
