"""Who calls: a Bearer token, looked up before anything else about the request is judged.

A request without a token comes from nobody, which is enough for everything public. A token that is not valid is never taken
for nobody: the client believes to be somebody, and must hear that it is not.
"""

import asyncio
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any, cast

from litestar.connection import ASGIConnection
from litestar.handlers import HTTPRouteHandler
from litestar.handlers.base import BaseRouteHandler
from litestar.middleware import ASGIMiddleware
from litestar.types import ASGIApp, Receive, Scope, Send

from service.accounts.issuer import Issuer, NoKeys, NotVouchedFor, Vouched
from service.accounts.names import NAME_MAX, BadName, display_name
from service.accounts.operators import Operator, Operators
from service.accounts.players import Player, Players
from service.accounts.signups import TooManySignups
from service.accounts.tokens import Erased, HeldToken, held_token
from service.chance import OPERATOR_PREFIX
from service.http.body import StrictRequest, received, too_long
from service.http.limits import Limits, address
from service.http.problems import Trouble
from service.http.work import Work

ANONYMOUS = {"anonymous": True}
"""The `opt` of routes that never look at who calls, so that probes and docs need no database."""

NAMELESS = "Player"
"""What a newcomer is called whose issuer tells no name that will do."""

REFUSED_SECONDS = 1.0
"""Who sends too much hears of it after so long, and has to wait that long anyway: one who asks again at once would else keep the process
busy with saying no.
"""

NOT_VALID = "The token is not valid, or not valid any more."


class Authentication(ASGIMiddleware):
    """Puts whose token came with the request into its scope, and counts the request.

    A player comes as `user`, an operator as `auth`; None stands for who did not come.
    """

    exclude_opt_key = "anonymous"

    def __init__(self, players: Players, operators: Operators, issuer: Issuer | None, limits: Limits) -> None:
        self._players, self._operators, self._issuer, self._limits = players, operators, issuer, limits

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        handler = scope["route_handler"]
        if isinstance(handler, HTTPRouteHandler) and handler.parsed_data_field is not None and not too_long(scope):
            # First of all: while a client takes its time to send a body, its token may end, and it must not take a place from its others.
            _, receive = await received(receive)
        try:
            await self.admit(scope)
            await next_app(scope, receive, partial(cast("Work", scope["work"]).give, send))  # type: ignore[typeddict-item]
        finally:
            leave(scope)

    async def admit(self, scope: Scope) -> None:
        """Find out who calls, count the request, and be at work on it until `leave`. Raises `Trouble` or `Erased` for a token that is not
        valid, `Trouble` for too many requests, and `TooManySignups` for too many newcomers from outside.
        """
        try:
            scope["user"], scope["auth"] = caller, operator = await self._caller(scope)
        except (Trouble, Erased, TooManySignups):  # A request with a token that is not valid is nobody's.
            await self._charge(scope, None, None)
            raise
        await self._charge(scope, caller, operator)
        scope["work"] = work = self._limits.work(scope, caller, operator)  # type: ignore[typeddict-unknown-key]
        if await work.begin():
            scope["user"], scope["auth"] = await self._caller(scope)  # The token may have ended meanwhile.

    async def _charge(self, scope: Scope, caller: Player | None, operator: Operator | None) -> None:
        try:
            self._limits.charge(scope, caller, operator)
        except Trouble:
            await asyncio.sleep(REFUSED_SECONDS)
            raise

    async def _caller(self, scope: Scope) -> tuple[Player | None, Operator | None]:
        token = bearer(scope)
        if token is None:
            return None, None
        caller: tuple[Player | None, Operator | None] = (None, self._operators.by_token(token))
        if self._issuer is not None and token.count(".") == 2:
            caller = await self._vouched(self._issuer, token, scope), None
        elif not token.startswith(OPERATOR_PREFIX):
            caller = await self._players.by_token(token), None
        if caller == (None, None):
            raise Trouble("not_authenticated", NOT_VALID)
        return caller

    async def _vouched(self, issuer: Issuer, token: str, scope: Scope) -> Player:
        try:
            vouched = await issuer.vouched(token)
        except NotVouchedFor as reason:
            raise Trouble("not_authenticated", f"{NOT_VALID} {reason}") from None
        except NoKeys:
            raise Trouble("unavailable", "The keys of the tokens' issuer cannot be had just now.") from None
        scope["token_ends_at"] = vouched.ends_at  # type: ignore[typeddict-unknown-key]
        return await self._players.by_identity(vouched.identity, _name_of(vouched), vouched.issued_at, address(scope))


def leave(scope: Scope) -> None:
    """Whatever has become of a request, it is not at work any more."""
    if (work := scope.get("work")) is not None:
        cast("Work", work).end()


def bearer(scope: Scope) -> str | None:
    """The token that came with a request; empty where something else came in its place, and None where nothing did."""
    for name, value in scope["headers"]:
        if name == b"authorization":
            scheme, _, token = value.decode("latin-1").partition(" ")
            return token.strip() if scheme.lower() == "bearer" else ""
    return None


def _name_of(newcomer: Vouched) -> str:
    """The first of the names that the issuer tells which can be a display name, cut to its length."""
    for name in newcomer.names:
        with suppress(BadName):
            return display_name(name.strip()[:NAME_MAX])
    return NAMELESS


async def signed_in(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
    """The guard of routes for players: 401 without a token. (The framework would run one that is not async in a thread.)"""
    require_player(connection.scope)


def require_player(scope: Scope) -> Player:
    """The player who calls. Raises `Trouble` where nobody does whom we know."""
    player = scope.get("user")
    if player is None:
        raise Trouble("not_authenticated", "Send a player's token as `Authorization: Bearer <token>`.")
    return cast("Player", player)


async def reading_numbers(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
    """The guard of the service's numbers: for operators and for programs that may read them, unless they are open to anybody."""
    if not connection.app.state["operators"].numbers_open:
        _require(connection.scope, "operator", "numbers")


async def operating(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
    """The guard of routes for operators: 401 without a token, 403 with one of somebody else."""
    _require(connection.scope, "operator")


def _require(scope: Scope, *roles: str) -> None:
    """Raises `Trouble` unless an operator with one of these roles calls."""
    operator = scope.get("auth")
    if operator is None and scope.get("user") is None:
        raise Trouble("not_authenticated", "Send an operator's token as `Authorization: Bearer <token>`.")
    if not isinstance(operator, Operator) or operator.role not in roles:
        raise Trouble("not_operator")


async def caller(request: StrictRequest) -> Player | None:
    """The dependency `caller`: who calls, or None for nobody."""
    return request.user


async def player(request: StrictRequest) -> Player:
    """The dependency `player`: who calls, on routes that `signed_in` guards."""
    assert request.user is not None, "a route that takes the player is guarded by signed_in"
    return request.user


def token_of(scope: Scope) -> HeldToken:
    """The token that a call came with, once it has been let in."""
    return held_token(bearer(scope) or "", cast("datetime | None", scope.get("token_ends_at")))


async def held(request: StrictRequest) -> HeldToken:
    """The dependency `held`: the token that a call came with."""
    return token_of(request.scope)


async def work(request: StrictRequest) -> Work:
    """The dependency `work`: this request among those of its caller that are at work."""
    return request.work


async def operator(request: StrictRequest) -> Operator:
    """The dependency `operator`: who calls, on routes that `operating` guards."""
    assert isinstance(request.auth, Operator), "a route that takes the operator is guarded by operating"
    return request.auth
