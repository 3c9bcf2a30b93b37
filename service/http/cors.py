"""Calls from pages of other sites. They are allowed without cookies, which the service does not know anyway."""

from collections.abc import Collection

from litestar.datastructures import Headers, MutableScopeHeaders
from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

ANY = "*"
METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE"
REQUEST_HEADERS = "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Request-Id"
EXPOSED = "ETag, Location, Retry-After, RateLimit, RateLimit-Policy, Request-Id"
MAX_AGE_SECONDS = 7200


class CrossOrigin:
    """Answers preflights, and marks every other answer for the browser. `origins` holds whole origins, or `*` for all."""

    def __init__(self, app: ASGIApp, origins: Collection[str]) -> None:
        self._app, self._origins = app, frozenset(origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            return await self._app(scope, receive, send)
        headers = Headers.from_scope(scope)
        origin = headers.get("origin")
        if origin and scope["method"] == "OPTIONS" and "access-control-request-method" in headers:
            return await self._preflight(origin, send)

        async def marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._mark(MutableScopeHeaders.from_message(message), origin)
            await send(message)

        return await self._app(scope, receive, marked)

    def _mark(self, headers: MutableScopeHeaders, origin: str | None) -> None:
        """A refused origin gets its answer like everybody; without the mark the browser does not show it to the page."""
        if ANY in self._origins:
            headers["Access-Control-Allow-Origin"] = ANY
        else:
            headers.extend_header_value("Vary", "Origin")
            if origin in self._origins:
                headers["Access-Control-Allow-Origin"] = str(origin)
        headers["Access-Control-Expose-Headers"] = EXPOSED

    async def _preflight(self, origin: str, send: Send) -> None:
        message: Message = {"type": "http.response.start", "status": 204, "headers": []}
        headers = MutableScopeHeaders.from_message(message)
        self._mark(headers, origin)
        if "Access-Control-Allow-Origin" in headers:
            headers["Access-Control-Allow-Methods"] = METHODS
            headers["Access-Control-Allow-Headers"] = REQUEST_HEADERS
            headers["Access-Control-Max-Age"] = str(MAX_AGE_SECONDS)
        del headers["Access-Control-Expose-Headers"]
        await send(message)
        await send({"type": "http.response.body", "body": b"", "more_body": False})
