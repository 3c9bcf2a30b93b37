"""How many requests of one caller are worked on at once, so that nobody keeps the process and its database from all others.

What is too much waits for a place before it is refused: who sends a hundred requests in one moment, as a page does that has just been
opened, gets a hundred answers, and need not know of the bound. Each process counts for itself.
"""

import asyncio

from litestar.types import Message, Send

from service.bells import rings
from service.http.problems import Trouble

AT_ONCE = 16
"""More than it takes to keep one core and the connections to the database busy, so that nobody who is alone gains by a higher one."""

WAITING_MAX = 2_000
"""Requests of one caller that wait for a place. To let them wait costs less than to refuse them, when they come again at once."""

WAIT_SECONDS = 1.0
"""For so long they do. An answer begins within two seconds, so there must be some left for the work."""

AGAIN_SECONDS = 2

SLOW_SECONDS = 0.25
"""A client that takes longer over a piece of its answer is slow."""

LONG_POLLS_MAX = 100
"""Long-polls of one player that wait for something to happen: events, talk and turns on many devices."""

ADDRESS_LONG_POLLS_MAX = 500
"""The same of one address without a token, behind which there may be a whole school."""

LONG_POLL_AGAIN_SECONDS = 5
"""By then some of so many have ended, since none lasts longer than 25 seconds."""


class _Caller:
    """What one caller has here."""

    __slots__ = ("here", "long_polls", "places", "waiting")

    def __init__(self, at_once: int) -> None:
        self.places = asyncio.Semaphore(at_once)
        self.here = self.waiting = self.long_polls = 0


class AtWork:
    """The callers of this process who have requests here, of each of whom `at_once` are at work at once. Of others nothing is kept."""

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._callers: dict[str, _Caller] = {}

    def work(self, caller: str, long_polls_max: int) -> "Work":
        """A request of this caller, which has yet to begin, and has to end whatever becomes of it."""
        found = self._callers.get(caller)
        if found is None:
            found = self._callers[caller] = _Caller(self._at_once)
        found.here += 1
        return Work(self, caller, found, long_polls_max)

    def leave(self, caller: str, of: _Caller) -> None:
        """One request of theirs has ended."""
        of.here -= 1
        if not of.here:
            del self._callers[caller]


class Work:
    """One request of a caller: at work from where it begins, but for when it pauses, until it ends."""

    __slots__ = ("_all", "_at_work", "_caller", "_long_polls_max", "_name")

    def __init__(self, all_of_them: AtWork, name: str, caller: _Caller, long_polls_max: int) -> None:
        self._all, self._name, self._caller, self._long_polls_max = all_of_them, name, caller, long_polls_max
        self._at_work = False

    async def begin(self) -> bool:
        """Be at work, as soon as there is a place. Answers whether that had to be waited for. Raises `Trouble` when there is none for too
        long, or too many wait already.
        """
        caller = self._caller
        waits = caller.places.locked()
        if not waits:
            await caller.places.acquire()
        elif caller.waiting >= WAITING_MAX:
            raise _too_many()
        else:
            caller.waiting += 1
            try:
                async with asyncio.timeout(WAIT_SECONDS):
                    await caller.places.acquire()
            except TimeoutError:
                raise _too_many() from None
            finally:
                caller.waiting -= 1
        self._at_work = True
        return waits

    def pause(self) -> None:
        """Be at work no more for now, as what lasts for long and is counted elsewhere."""
        if self._at_work:
            self._at_work = False
            # When the loop has turned: of a thousand requests that take one step each, all others would else wait for every one.
            asyncio.get_running_loop().call_soon(self._caller.places.release)

    async def rings(self, bell: asyncio.Event, seconds: float) -> bool:
        """Whether the bell rings within so many seconds (see `bells.rings`); a long-poll that waits for it is not at work.

        Raises `Trouble` where its caller has as many of them as one can have, and like `begin`.
        """
        if seconds <= 0:
            return False
        if self._caller.long_polls >= self._long_polls_max:
            raise Trouble("too_many_long_polls", headers={"Retry-After": str(LONG_POLL_AGAIN_SECONDS)})
        self.pause()
        self._caller.long_polls += 1
        try:
            rung = await rings(bell, seconds)
        finally:
            self._caller.long_polls -= 1
        await self.begin()
        return rung

    async def give(self, send: Send, message: Message) -> None:
        """Send this to the client. A request is not at work while its client is slow to take that."""
        if not self._at_work:
            return await send(message)
        timer = asyncio.get_running_loop().call_later(SLOW_SECONDS, self.pause)
        try:
            await send(message)
        finally:
            timer.cancel()
        if not self._at_work and message.get("more_body"):
            await self._caller.places.acquire()
            self._at_work = True
        return None

    def end(self) -> None:
        """It is done, or will not be."""
        self.pause()
        asyncio.get_running_loop().call_soon(self._all.leave, self._name, self._caller)


def _too_many() -> Trouble:
    return Trouble("too_many_at_once", headers={"Retry-After": str(AGAIN_SECONDS)})
