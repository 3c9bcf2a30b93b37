"""Those who wait for something as a player, with a stream or a long-poll, and are let go when the token that they came by has ended.

However many wait, a process asks one question for all of them: what has changed of accounts. Only the tokens of those of whom something
has are looked at again.
"""

import asyncio
import time
from collections.abc import Collection
from datetime import UTC, datetime
from typing import Self

import structlog

from service.accounts.lately import FRESH_SECONDS
from service.accounts.players import Player, Players
from service.accounts.tokens import HeldToken, Revoked
from service.bells import rings
from service.ongoing import Ongoing
from service.store.away import is_away

log = structlog.get_logger()


class Listener:
    """Somebody who waits for a bell, within `async with listener:`. It rings, and `ended` is true, when they may wait no longer."""

    __slots__ = ("_bell", "_ends_at", "_listeners", "_timer", "ended", "player_id", "token")

    def __init__(self, listeners: "Listeners", player_id: str, token: HeldToken, bell: asyncio.Event) -> None:
        self._listeners, self._bell, self._ends_at = listeners, bell, token.ends_at
        self._timer: asyncio.TimerHandle | None = None
        self.player_id, self.token, self.ended = player_id, token.hash, False

    async def __aenter__(self) -> Self:
        if self.player_id:
            self._listeners.add(self)
        if self._ends_at is not None:
            seconds = (self._ends_at - datetime.now(UTC)).total_seconds()
            self._timer = asyncio.get_running_loop().call_later(seconds, self.end)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self.player_id:
            self._listeners.drop(self)
        if self._timer is not None:
            self._timer.cancel()

    def end(self) -> None:
        """Let them go."""
        self.ended = True
        self._bell.set()

    def require(self) -> None:
        """Raises `Revoked` for who may wait no longer."""
        if self.ended:
            raise Revoked(self.player_id)


class Listeners(Ongoing):
    """Those of one process. `async with listeners:` looks after them for as long as it is open.

    A database that is away ends nobody's waiting: they are looked at when it is there again.
    """

    def __init__(self, players: Players) -> None:
        super().__init__()
        self._players = players
        self._of: dict[str, set[Listener]] = {}
        """By player."""
        self._doubted: set[Listener] = set()
        """Whose tokens are to be looked at: of them something has changed, or they have only just come, by what was known a moment ago."""
        self._stirred = asyncio.Event()
        players.changes.tell(self)

    def listener(self, caller: Player | None, token: HeldToken, bell: asyncio.Event) -> Listener:
        """Somebody who is about to wait for this bell, and the token that they came by. One of an outside issuer ends when it expires, and
        with the account. Nobody in particular may wait for as long as they want.
        """
        return Listener(self, "" if caller is None else caller.player_id, token, bell)

    def add(self, listener: Listener) -> None:
        """Look after this one too."""
        self._of.setdefault(listener.player_id, set()).add(listener)
        self._doubted.add(listener)

    def drop(self, listener: Listener) -> None:
        """This one has left."""
        self._doubted.discard(listener)
        others = self._of[listener.player_id]
        others.discard(listener)
        if not others:
            del self._of[listener.player_id]

    def forget(self, players: Collection[str] | None) -> None:
        """Look again at the tokens of these players, or (None) of all."""
        doubted = [listener for player_id in (self._of if players is None else players) for listener in self._of.get(player_id, ())]
        self._doubted.update(doubted)
        if doubted:
            self._stirred.set()

    def _stop(self) -> None:
        super()._stop()
        self._stirred.set()

    async def _run(self) -> None:
        while not self._stopping.is_set():
            due = time.monotonic() + FRESH_SECONDS
            try:
                if self._of:
                    await self._look()
                else:
                    self._stirred.clear()  # Whom it was about has left.
            except Exception as error:  # Whatever it was, those who wait need the next look.
                if is_away(error):
                    log.warning("listeners_store_away", reason=str(error))
                else:
                    log.exception("listeners_look_failed")
                self._stirred.clear()
            await rings(self._stirred, due - time.monotonic())

    async def _look(self) -> None:
        await self._players.changes.look()
        self._stirred.clear()
        doubted, self._doubted = self._doubted, set()
        try:
            tokens = await self._players.holders({each.token for each in doubted if each.token is not None})
            names = await self._players.names({each.player_id for each in doubted if each.token is None})
        except BaseException:
            self._doubted.update(each for each in doubted if each in self._of.get(each.player_id, ()))
            raise
        for each in doubted:
            if (each.player_id not in names) if each.token is None else (each.token not in tokens):
                each.end()
