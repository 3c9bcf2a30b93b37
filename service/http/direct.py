"""The busiest routes, called without the framework's machinery between the server and the handler.

The handlers are the very same, and so are the reading of bodies, the caller, and the problems. What is anything but plain (a
parameter that is not as it should be, a header given twice, a body in pieces) goes the framework's way, which says what is wrong.
"""

import asyncio
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import msgspec
from litestar import Litestar, Request, Response
from litestar.enums import ScopeType
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send

from service.http import problems
from service.http.access import Header, Requested
from service.http.acting import Acting
from service.http.auth import Authentication, leave, require_player, token_of
from service.http.body import StrictRequest, decode, received
from service.http.cors import EXPOSED, mark
from service.http.deadline import WAIT_MAX_SECONDS, late, patience
from service.http.frames import MEDIA_TYPE, Frames
from service.http.idempotency import KEY_MAX, KEY_PATTERN
from service.http.routes.commands import SendCommand, send_command
from service.http.routes.log import VERSION_MAX, list_events
from service.http.routes.matches import get_match
from service.http.routes.stream import stream_events

MATCHES = "/v1/matches/"
TEMPLATE = "/v1/matches/{match_id}"

Headers: TypeAlias = Mapping[bytes, bytes]

Written: TypeAlias = tuple[int, Sequence[Header], bytes]
"""Status, headers of its own and body of an answer."""

_WITH_A_BODY = {b"content-length", b"transfer-encoding"}


class Call(NamedTuple):
    """A request as it came."""

    scope: HTTPScope
    headers: Headers
    body: bytes


Read: TypeAlias = Callable[[Call], dict[str, Any] | None]
"""What is read off the head of a call; None for a call that is not plain."""

Take: TypeAlias = Callable[[Litestar, Call, dict[str, Any]], dict[str, Any]]
"""What the handler takes besides the match's id, once it is known who calls. May raise what becomes a problem."""


class Route(NamedTuple):
    """A handler, and how it comes by what it takes."""

    handler: HTTPRouteHandler
    read: Read
    take: Take


def _read_command(call: Call) -> dict[str, Any] | None:
    key, if_match = _text(call, b"idempotency-key"), _text(call, b"if-match")
    bad_key = key is not None and not (len(key) <= KEY_MAX and _KEY.fullmatch(key))
    plain = call.body and not call.scope["query_string"] and call.headers.get(b"content-type") == b"application/json"
    if bad_key or not plain:
        return None
    return {"key": key, "if_match": if_match}


def _take_command(app: Litestar, call: Call, read: dict[str, Any]) -> dict[str, Any]:
    player = require_player(call.scope)
    return {"data": decode(call.body, SendCommand), "acting": Acting(app.state["matches"], app.state["views"], player, **read)}


def _read_view(call: Call) -> dict[str, Any] | None:
    return None if call.scope["query_string"] else {"if_none_match": _text(call, b"if-none-match")}


def _take_view(app: Litestar, call: Call, read: dict[str, Any]) -> dict[str, Any]:
    return {"caller": call.scope["user"], "matches": app.state["matches"], "views": app.state["views"], **read}


def _read_events(call: Call) -> dict[str, Any] | None:
    asked: dict[str, int] = {}
    for each in call.scope["query_string"].split(b"&") if call.scope["query_string"] else ():
        found = _NUMBER.fullmatch(each)
        if found is None or found[1].decode() in asked:
            return None
        asked[found[1].decode()] = int(found[2])
    if asked.get("after", 0) > VERSION_MAX or asked.get("limit", 1) < 1 or asked.get("wait", 0) > WAIT_MAX_SECONDS:
        return None
    return asked


def _take_events(app: Litestar, call: Call, read: dict[str, Any]) -> dict[str, Any]:
    services = {name: app.state[name] for name in ("watch", "listeners")}
    return {**_take_view(app, call, read), "held": token_of(call.scope), "work": call.scope["work"], **services}  # type: ignore[typeddict-item]


def _read_stream(call: Call) -> dict[str, Any] | None:
    asked = _STREAM_QUERY.fullmatch(call.scope["query_string"])
    if asked is None:
        return None
    after, ticket = asked["after"], asked["ticket"]
    return {
        "last_event_id": _text(call, b"last-event-id"),
        "after": None if after is None else int(after),
        "ticket": None if ticket is None else ticket.decode(),
    }


def _take_stream(app: Litestar, call: Call, read: dict[str, Any]) -> dict[str, Any]:
    services = {name: app.state[name] for name in ("views", "streams", "tickets")}
    return {"caller": call.scope["user"], "held": token_of(call.scope), "request": StrictRequest(call.scope), **services, **read}


def _text(call: Call, name: bytes) -> str | None:
    value = call.headers.get(name)
    return None if value is None else value.decode("latin-1")


_KEY = re.compile(KEY_PATTERN)
_STREAM_QUERY = re.compile(rb"(?:after=(?P<after>0|[1-9]\d{0,15})(?:&|$))?(?:ticket=(?P<ticket>[0-9A-Za-z_]+))?")
_BODILESS = (204, 304)
_NUMBER = re.compile(rb"(after|limit|wait)=(0|[1-9]\d{0,15})")

ROUTES: Mapping[tuple[str, str], Route] = {
    ("POST", "/commands"): Route(send_command, _read_command, _take_command),
    ("GET", ""): Route(get_match, _read_view, _take_view),
    ("GET", "/events"): Route(list_events, _read_events, _take_events),
    ("GET", "/stream"): Route(stream_events, _read_stream, _take_stream),
}
"""By method and what follows the match's id."""


class Direct:
    """Calls the handlers of `ROUTES` itself, and leaves everything else to `layers`.

    It does itself what the layers around the framework do: the request's id, the limits, the deadline, the headers of every answer and
    the line in the log.
    """

    def __init__(self, app: Litestar, layers: ASGIApp, authentication: Authentication, origins: Collection[str]) -> None:
        self._app, self._layers, self._authentication, self._origins = app, layers, authentication, frozenset(origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP or not scope["path"].startswith(MATCHES):
            return await self._layers(scope, receive, send)
        match_id, slash, rest = scope["path"][len(MATCHES) :].partition("/")
        route = ROUTES.get((scope["method"], slash + rest))
        headers = dict(scope["headers"])
        if route is None or not match_id or len(headers) != len(scope["headers"]):  # type: ignore[arg-type]
            return await self._layers(scope, receive, send)
        body: bytes | None = b""
        if not headers.keys().isdisjoint(_WITH_A_BODY):
            body, receive = await received(receive)
        call = Call(scope, headers, body or b"")
        read = None if body is None else route.read(call)
        if read is None:
            return await self._layers(scope, receive, send)
        scope["path_template"] = TEMPLATE + slash + rest
        scope["path_params"] = {"match_id": match_id}
        return await self._answer(route, match_id, call, read, receive, send)

    async def _answer(self, route: Route, match_id: str, call: Call, read: dict[str, Any], receive: Receive, send: Send) -> None:
        scope = call.scope
        with Requested(scope) as request:
            answer = _Answer(request, send, (*mark(self._origins, call.headers.get(b"origin", b"")), EXPOSED))
            timer = asyncio.get_running_loop().call_later(patience(scope), answer.give_up)
            try:
                await self._authentication.admit(scope)
                response = await route.handler.fn(match_id=match_id, **route.take(self._app, call, read))
                written = _written(response)
            except Exception as error:
                response = problems.answer(Request(scope), error)
                written = _written(response)
            finally:
                timer.cancel()
                leave(scope)
            if isinstance(response, Frames):
                await answer.stream(written, response, receive)
            else:
                await answer.give(written)


class _Answer:
    """The one answer to a request: what its handler says, or that it says nothing in time."""

    __slots__ = ("_late", "_marks", "_request", "_send")

    def __init__(self, request: Requested, send: Send, marks: Sequence[Header]) -> None:
        self._request, self._send, self._marks = request, send, marks
        self._late: asyncio.Task[None] | None = None

    def give_up(self) -> None:
        """Answer now that it is too late. What the handler is at goes on, and a command may still be stored."""
        self._late = asyncio.create_task(self._give(_written(problems.told(late(), self._request.request_id))))

    async def give(self, written: Written) -> None:
        """Answer this, if nothing has been answered yet."""
        await (self._late or self._give(written))

    async def stream(self, written: Written, frames: Frames, receive: Receive) -> None:
        """Answer these frames, if nothing has been answered yet."""
        if self._late:
            await frames.discard()
            return await self._late
        await self._send(self._beginning(written))
        return await frames.tell(self._send, receive)

    async def _give(self, written: Written) -> None:
        await self._send(self._beginning(written))
        await self._send({"type": "http.response.body", "body": written[2], "more_body": False})

    def _beginning(self, written: Written) -> Message:
        status, headers, _ = written
        self._request.status = status
        return {"type": "http.response.start", "status": status, "headers": self._request.headers((*headers, *self._marks))}


def _written(response: Response[Any]) -> Written:
    status, content = response.status_code or 200, response.content
    headers = [_header(name, value) for name, value in response.headers.items()]
    if status in _BODILESS:
        return status, headers, b""
    if isinstance(response, Frames):
        return status, [*headers, (b"content-type", f"{MEDIA_TYPE}; charset=utf-8".encode())], b""
    body = content if isinstance(content, bytes) else _encode(content)
    headers += [(b"content-type", (response.media_type or "application/json").encode()), (b"content-length", b"%d" % len(body))]
    return status, headers, body


@lru_cache(1_000)
def _header(name: str, value: str) -> Header:
    return name.lower().encode("latin-1"), value.encode("latin-1")


_encode = msgspec.json.Encoder().encode
