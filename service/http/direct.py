"""The busiest routes, called without the framework's machinery between the server and the handler.

The handlers are the very same, and so are the reading of bodies, the caller, and the problems. What is anything but plain (a
parameter that is not as it should be, a header given twice, a body in pieces) goes the framework's way, which says what is wrong.
"""

import re
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

import msgspec
from litestar import Litestar, Request, Response
from litestar.enums import ScopeType
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp, HTTPReceiveMessage, HTTPScope, Receive, Scope, Send

from service.http import problems
from service.http.acting import Acting
from service.http.auth import Authentication
from service.http.body import BODY_MAX_BYTES, decode
from service.http.commands import SendCommand, send_command
from service.http.idempotency import KEY_MAX, KEY_PATTERN
from service.http.log import VERSION_MAX, WAIT_MAX_SECONDS, list_events
from service.http.matches import get_match

MATCHES = "/v1/matches/"
TEMPLATE = "/v1/matches/{match_id}"

Headers: TypeAlias = Mapping[bytes, bytes]


class Call(NamedTuple):
    """A request as it came."""

    scope: HTTPScope
    headers: Headers
    body: bytes


Take: TypeAlias = Callable[[Litestar, Call], dict[str, Any] | None]
"""What the handler takes from a call besides the match's id; None for a call that is not plain."""


def _of_command(app: Litestar, call: Call) -> dict[str, Any] | None:
    key, if_match = _text(call, b"idempotency-key"), _text(call, b"if-match")
    bad_key = key is not None and not (len(key) <= KEY_MAX and _KEY.fullmatch(key))
    plain = call.body and not call.scope["query_string"] and call.headers.get(b"content-type") == b"application/json"
    if bad_key or not plain or call.scope["user"] is None:
        return None
    acting = Acting(app.state["matches"], app.state["views"], call.scope["user"], key, if_match)
    return {"data": decode(call.body, SendCommand), "acting": acting}


def _of_view(app: Litestar, call: Call) -> dict[str, Any] | None:
    if call.scope["query_string"]:
        return None
    return {**_seeing(app, call), "if_none_match": _text(call, b"if-none-match")}


def _of_events(app: Litestar, call: Call) -> dict[str, Any] | None:
    asked: dict[str, int] = {}
    for each in call.scope["query_string"].split(b"&") if call.scope["query_string"] else ():
        found = _NUMBER.fullmatch(each)
        if found is None or found[1].decode() in asked:
            return None
        asked[found[1].decode()] = int(found[2])
    if asked.get("after", 0) > VERSION_MAX or asked.get("limit", 1) < 1 or asked.get("wait", 0) > WAIT_MAX_SECONDS:
        return None
    return {**_seeing(app, call), "watch": app.state["watch"], **asked}


def _text(call: Call, name: bytes) -> str | None:
    value = call.headers.get(name)
    return None if value is None else value.decode("latin-1")


def _seeing(app: Litestar, call: Call) -> dict[str, Any]:
    return {"caller": call.scope["user"], "matches": app.state["matches"], "views": app.state["views"]}


_KEY = re.compile(KEY_PATTERN)
_NUMBER = re.compile(rb"(after|limit|wait)=(0|[1-9]\d{0,15})")

ROUTES: Mapping[tuple[str, str], tuple[HTTPRouteHandler, Take]] = {
    ("POST", "/commands"): (send_command, _of_command),
    ("GET", ""): (get_match, _of_view),
    ("GET", "/events"): (list_events, _of_events),
}
"""By method and what follows the match's id."""


class Direct:
    """Calls the handlers of `ROUTES` itself, and lets `framework` do everything else."""

    def __init__(self, app: Litestar, framework: ASGIApp, authentication: Authentication) -> None:
        self._app, self._framework, self._authentication = app, framework, authentication

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP or not scope["path"].startswith(MATCHES):
            return await self._framework(scope, receive, send)
        match_id, slash, rest = scope["path"][len(MATCHES) :].partition("/")
        route = ROUTES.get((scope["method"], slash + rest))
        fields = list(scope["headers"])
        headers = dict(fields)
        length = headers.get(b"content-length", b"0")
        plain = match_id and len(headers) == len(fields) and length.isdigit() and int(length) <= BODY_MAX_BYTES
        if route is None or not plain:
            return await self._framework(scope, receive, send)
        body, again = await _received(receive)
        if body is None:
            return await self._framework(scope, again, send)
        return await self._answer(route, match_id, Call(scope, headers, body), again, send)

    async def _answer(self, route: tuple[HTTPRouteHandler, Take], match_id: str, call: Call, receive: Receive, send: Send) -> None:
        (handler, take), scope = route, call.scope
        scope["path_template"] = TEMPLATE + scope["path"][len(MATCHES) + len(match_id) :]
        scope["path_params"] = {"match_id": match_id}
        response: Response[Any]
        try:
            await self._authentication.admit(scope)
            taken = take(self._app, call)
            if taken is None:
                return await self._framework(scope, receive, send)
            response = await handler.fn(match_id=match_id, **taken)
        except Exception as error:
            response = problems.answer(Request(scope), error)
        return await _send(response, send)


async def _send(response: Response[Any], send: Send) -> None:
    content, bodiless = response.content, response.status_code == 304
    body = b"" if bodiless else content if isinstance(content, bytes) else msgspec.json.encode(content)
    headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in response.headers.items()]
    if not bodiless:
        headers += [(b"content-type", (response.media_type or "application/json").encode()), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": response.status_code or 200, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})


async def _received(receive: Receive) -> tuple[bytes | None, Receive]:
    """The body of a call (None where it ends too early or is too long), and the way to receive all of that once more."""
    body, messages, more = b"", deque[HTTPReceiveMessage](), True
    while more and len(body) <= BODY_MAX_BYTES:
        message = await receive()
        messages.append(message)  # type: ignore[arg-type]
        body += message.get("body", b"")  # type: ignore[operator]
        more = bool(message.get("more_body", False))

    async def again() -> HTTPReceiveMessage:
        return messages.popleft() if messages else await receive()  # type: ignore[return-value]

    whole = not more and messages[-1]["type"] == "http.request" and len(body) <= BODY_MAX_BYTES
    return body if whole else None, again
