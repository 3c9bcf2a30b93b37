"""What is answered before anybody has looked at who calls: the docs, and whatever is not there.

It is nobody's, so it waits for a place of the address that it comes from. Probes alone do not: who asks whether a process is well must hear
so, whatever else comes from there.
"""

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from service.http.limits import Limits
from service.http.problems import Trouble, send_instead
from service.http.work import Work


class Uncounted:
    """Has such answers of an app wait for a place, and tells who waits too long to come back."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app, self._limits = app, limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            return await self._app(scope, receive, send)
        work: Work | None = None
        refused = False

        async def answer(message: Message) -> None:
            nonlocal work, refused
            if work is None and "work" not in scope and not _is_probe(scope):
                work = self._limits.work(scope, None)
                try:
                    await work.begin()
                except Trouble as why:
                    refused = True
                    return await send_instead(why, str(scope.get("request_id", "")), send)
            if not refused:
                await (send(message) if work is None else work.give(send, message))
            return None

        try:
            await self._app(scope, receive, answer)
        finally:
            if work is not None:
                work.end()
        return None


def _is_probe(scope: Scope) -> bool:
    handler = scope.get("route_handler")
    return handler is not None and bool(handler.opt.get("probe"))
