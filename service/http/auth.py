"""Who calls: a Bearer token, looked up before anything else about the request is judged.

A request without a token comes from nobody, which is enough for everything public. A token that is not valid is never taken
for nobody: the client believes to be somebody, and must hear that it is not.
"""

from typing import Any

from litestar.connection import ASGIConnection
from litestar.handlers.base import BaseRouteHandler
from litestar.middleware import ASGIMiddleware
from litestar.types import ASGIApp, Receive, Scope, Send

from service.http.body import StrictRequest
from service.http.limits import Limits
from service.http.problems import Trouble
from service.players import Player, Players

ANONYMOUS = {"anonymous": True}
"""The `opt` of routes that never look at who calls, so that probes and docs need no database."""


class Authentication(ASGIMiddleware):
    """Puts the player whose token came with the request into its scope, or None where no token came, and counts the request."""

    exclude_opt_key = "anonymous"

    def __init__(self, players: Players, limits: Limits) -> None:
        self._players, self._limits = players, limits

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        scope["user"] = caller = await self._caller(scope)
        self._limits.charge(scope, caller)
        await next_app(scope, receive, send)

    async def _caller(self, scope: Scope) -> Player | None:
        header = next((value.decode("latin-1") for name, value in scope["headers"] if name == b"authorization"), None)
        if header is None:
            return None
        scheme, _, token = header.partition(" ")
        caller = await self._players.by_token(token.strip()) if scheme.lower() == "bearer" else None
        if caller is None:
            self._limits.charge(scope, None)
            raise Trouble("not_authenticated", "The token is not valid, or not valid any more.")
        return caller


async def signed_in(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
    """The guard of routes for players: 401 without a token. (The framework would run one that is not async in a thread.)"""
    if connection.scope.get("user") is None:
        raise Trouble("not_authenticated", "Send a player's token as `Authorization: Bearer <token>`.")


async def caller(request: StrictRequest) -> Player | None:
    """The dependency `caller`: who calls, or None for nobody."""
    return request.user


async def player(request: StrictRequest) -> Player:
    """The dependency `player`: who calls, on routes that `signed_in` guards."""
    assert request.user is not None, "a route that takes the player is guarded by signed_in"
    return request.user
