"""Calls from pages of other sites. They are allowed without cookies, which the service does not know anyway."""

from collections.abc import Collection

from litestar.enums import HttpMethod, ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

ANY = "*"

EXPOSED = (b"access-control-expose-headers", b"ETag, Location, Retry-After, RateLimit, RateLimit-Policy, Request-Id")
FOR_PREFLIGHTS = (
    (b"access-control-allow-methods", b"GET, HEAD, POST, PUT, PATCH, DELETE"),
    (b"access-control-allow-headers", b"Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Request-Id"),
    (b"access-control-max-age", b"7200"),
)

_Headers = list[tuple[bytes, bytes]]


class CrossOrigin:
    """Answers preflights, and marks every other answer for the browser. `origins` holds whole origins, or `*` for all."""

    def __init__(self, app: ASGIApp, origins: Collection[str]) -> None:
        self._app, self._origins = app, frozenset(origin.encode() for origin in origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            return await self._app(scope, receive, send)
        headers = dict(scope["headers"])
        marks = self.marks(headers.get(b"origin", b""))
        if scope["method"] == HttpMethod.OPTIONS and b"access-control-request-method" in headers:
            await send({"type": "http.response.start", "status": 204, "headers": [*marks, *FOR_PREFLIGHTS]})
            return await send({"type": "http.response.body", "body": b"", "more_body": False})

        async def marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *marks, EXPOSED]
            await send(message)

        return await self._app(scope, receive, marked)

    def marks(self, origin: bytes) -> _Headers:
        """What tells the browser whether to show the answer to the page. A foreign page's calls are answered, but not shown."""
        if ANY.encode() in self._origins:
            return [(b"access-control-allow-origin", b"*")]
        vary = (b"vary", b"Origin")
        return [vary, (b"access-control-allow-origin", origin)] if origin in self._origins else [vary]
