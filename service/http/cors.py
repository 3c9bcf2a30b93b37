"""Calls from pages of other sites. They are allowed without cookies, which the service does not know anyway."""

from collections.abc import Collection

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

ANY = "*"

EXPOSED = (b"access-control-expose-headers", b"ETag, Location, Retry-After, RateLimit, RateLimit-Policy, Request-Id")
FOR_PREFLIGHTS = (
    (b"access-control-allow-methods", b"GET, HEAD, POST, PUT, PATCH, DELETE"),
    (b"access-control-allow-headers", b"Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Request-Id"),
    (b"access-control-max-age", b"7200"),
)

_Headers = list[tuple[bytes, bytes]]


def mark(origins: Collection[str], origin: bytes) -> _Headers:
    """What tells the browser whether to show an answer to the page. A foreign page's calls are answered, but not shown.

    `origins` holds whole origins, or `*` for all.
    """
    if ANY in origins:
        return [(b"access-control-allow-origin", ANY.encode())]
    vary = (b"vary", b"Origin")
    return [vary, (b"access-control-allow-origin", origin)] if origin.decode("latin-1") in origins else [vary]


class CrossOrigin:
    """Marks every answer for the browser, also one to a request that failed on its way."""

    def __init__(self, app: ASGIApp, origins: Collection[str]) -> None:
        self._app, self._origins = app, frozenset(origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            return await self._app(scope, receive, send)
        marks = mark(self._origins, next((value for name, value in scope["headers"] if name == b"origin"), b""))

        async def marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *marks, EXPOSED]
            await send(message)

        return await self._app(scope, receive, marked)
