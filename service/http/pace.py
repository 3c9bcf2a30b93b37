"""How many requests of one address begin in one turn of the loop, whatever they ask for and whoever sends them.

A request that needs nobody else is answered in one step, and so is one that is refused. Whoever sends a thousand of them in one moment
would have all others wait for a thousand steps; like this they wait for a few, and the thousand for each other.
"""

import asyncio
from collections import deque

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Receive, Scope, Send

from service.http.limits import address

IN_A_TURN = 16
"""What is left to do in a turn is little beside so many requests, so that nobody who is alone loses by it."""


class Pace:
    """Lets requests in by turns. Nobody is refused here, and nobody waits but for others of their own address."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._begun: dict[str, int] = {}
        """In this turn, by address."""
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == ScopeType.HTTP:
            await self._turn_of(address(scope))
        await self._app(scope, receive, send)

    async def _turn_of(self, name: str) -> None:
        loop = asyncio.get_running_loop()
        if not self._begun:
            loop.call_soon(self._turn)
        begun = self._begun.get(name, 0)
        if begun < IN_A_TURN:
            self._begun[name] = begun + 1
            return
        place = loop.create_future()
        self._waiting.setdefault(name, deque()).append(place)
        await place

    def _turn(self) -> None:
        """The loop has turned."""
        self._begun = {}
        for name, waiting in list(self._waiting.items()):
            self._begun[name] = min(IN_A_TURN, len(waiting))
            for _ in range(self._begun[name]):
                place = waiting.popleft()
                if not place.done():
                    place.set_result(None)
            if not waiting:
                del self._waiting[name]
        if self._begun:
            asyncio.get_running_loop().call_soon(self._turn)
