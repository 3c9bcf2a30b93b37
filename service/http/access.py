"""What surrounds every request, also those that no route answers: its id, its line in the log, its numbers, its headers."""

import re
import time
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Self, TypeAlias, cast

import structlog
from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send
from prometheus_client import Counter, Histogram

from service import chance
from service.http.problems import failed, send_instead
from service.logs import ANSWERED, REQUEST_ID

log = structlog.get_logger("access")

REQUESTS = Counter("ludicitude_http_requests_total", "Requests answered.", ["method", "route", "status"])
SECONDS = Histogram("ludicitude_http_request_seconds", "Time to the end of the answer, in seconds.", ["method", "route"])

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
NO_ROUTE = "(none)"

Header: TypeAlias = tuple[bytes, bytes]

_SANE_ID = re.compile(rb"[A-Za-z0-9._:-]{1,64}")

DEFAULT_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cache-control", b"no-store"),
)
"""Sent with every answer whose route says nothing else."""


class Requested:
    """One request, from when it comes (`with` it) to its line in the log. `status` is that of the answer, once one has begun."""

    __slots__ = ("_before", "_began", "_method", "_scope", "request_id", "status")

    def __init__(self, scope: HTTPScope) -> None:
        self._scope, self._method, self._began = scope, scope["method"], time.perf_counter()
        self.request_id, self.status = _request_id(scope), 0
        scope["request_id"] = self.request_id  # type: ignore[typeddict-unknown-key]

    def __enter__(self) -> Self:
        self._before = REQUEST_ID.set(self.request_id)
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, Exception):  # The server ends the connection, so that nobody takes half an answer for a whole one.
            log.error("answer_broke_off", exc_info=error)
        _record(self._scope, self._method, self.status, time.perf_counter() - self._began)
        REQUEST_ID.reset(self._before)

    def headers(self, own: Iterable[Header]) -> list[Header]:
        """All headers of an answer that has these of its own."""
        headers = [*own]
        usual = _usual(tuple([name for name, _ in headers]))
        limits = cast("Sequence[Header]", self._scope.get("rate_limit", ()))
        return [*headers, (b"request-id", self.request_id.encode()), *limits, *usual]


class Access:
    """A request from its beginning to its end. It sees paths as route templates only, and neither queries, bodies nor tokens."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            return await self._app(scope, receive, send)
        request = Requested(scope)

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                request.status = message["status"]
                message["headers"] = request.headers(message["headers"])
            await send(message)

        with request:
            try:
                await self._app(scope, receive, answer)
            except Exception:
                if request.status:
                    raise
                log.exception("request_failed")
                await send_instead(failed(), request.request_id, answer)
        return None


def _request_id(scope: HTTPScope) -> str:
    """The client's own id where it is one that a log line can hold, else a new one."""
    for name, value in scope["headers"]:
        if name == b"request-id":
            return value.decode() if _SANE_ID.fullmatch(value) else chance.new_id("req")
    return chance.new_id("req")


@lru_cache(100)
def _usual(said: tuple[bytes, ...]) -> tuple[Header, ...]:
    """Those of `DEFAULT_HEADERS` of which an answer with these headers says nothing."""
    return tuple(header for header in DEFAULT_HEADERS if header[0] not in said)


@lru_cache(1_000)
def _counted(method: str, route: str, status: int) -> tuple[Callable[[], None], Callable[[float], None]]:
    """What counts such a request, and what takes its time."""
    return REQUESTS.labels(method, route, status).inc, SECONDS.labels(method, route).observe


def _record(scope: HTTPScope, method: str, status: int, seconds: float) -> None:
    """Count and log one request; `status` 0 is a client that left before it was answered."""
    method = method if method in METHODS else "other"
    route, caller, operator = scope.get("path_template") or NO_ROUTE, scope.get("user"), scope.get("auth")
    count, observe = _counted(method, route, status)
    count()
    observe(seconds)
    ANSWERED(method, route, status, round(seconds * 1000, 1), caller.player_id if caller else None, operator.name if operator else None)
