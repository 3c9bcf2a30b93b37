"""What was asked a moment ago is not asked again, and what many ask in the same moment is asked once, together.

What a process remembers of accounts holds for as long as nothing about them has changed, and of that it asks every moment: one
question for everything that it remembers.
"""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from typing import Generic, Protocol, TypeVar

from sqlalchemy import bindparam, func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from service.store.account_tables import player_changes

FRESH_SECONDS = 0.75
"""So old may the last look at what has changed be. With the time that it takes this is less than a second: what ends in one process ends
so soon in all."""

KEPT_SECONDS = 30.0
"""An answer of which nothing has changed is asked for again after so long, which tells the database that a token is in use."""

KEPT_MAX = 50_000

CHANGES_MAX = 1_000
"""So many are looked at one by one; where there were more, everything is forgotten."""

K = TypeVar("K")
V = TypeVar("V")


class Forgetful(Protocol):
    """Somebody who remembers something of players."""

    def forget(self, players: Collection[str] | None) -> None:
        """Ask again for everything that is about these players, or (None) about anybody."""


class Changes:
    """What has changed about players, in any process. Those who remember something of them hear of it by a look at the database."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine.execution_options(isolation_level="AUTOCOMMIT")
        self._forgetful: list[Forgetful] = []
        self._number: int | None = None
        """Of the last change that we know of; None before the first look."""
        self._looked_at = -FRESH_SECONDS
        self._looking: asyncio.Task[None] | None = None

    @property
    def known(self) -> bool:
        """Whether everything is known that changed before this moment, give or take `FRESH_SECONDS`."""
        return time.monotonic() - self._looked_at < FRESH_SECONDS

    def tell(self, forgetful: Forgetful) -> None:
        """From now on tell this one too."""
        self._forgetful.append(forgetful)

    def note(self, players: Collection[str] | None) -> None:
        """Say that something has changed about these players, or (None) about anybody."""
        for each in self._forgetful:
            each.forget(players)

    async def look(self) -> None:
        """Make sure that what has changed is known; all who ask meanwhile share one look."""
        if self._looking is None:
            self._looking = asyncio.create_task(self._look())
        await asyncio.shield(self._looking)

    async def _look(self) -> None:
        try:
            began = time.monotonic()
            await self._learn()
            self._looked_at = began
        finally:
            self._looking = None

    async def _learn(self) -> None:
        async with self._engine.connect() as connection:
            rows = [] if self._number is None else (await connection.execute(_SINCE, {"number": self._number})).all()
            if self._number is not None and not rows:
                return
            # Of what lies farther back than the database remembers, or than we care to read, we do not learn whom it was about.
            told = self._number is not None and rows[0].number == self._number + 1 and len(rows) <= CHANGES_MAX
            number = rows[-1].number if told else (await connection.execute(_LAST)).scalar_one()
        self.note({row.player_id for row in rows} if told else None)
        self._number = number


_LAST = select(func.coalesce(func.max(player_changes.c.number), 0))
_SINCE = (
    select(player_changes.c.number, player_changes.c.player_id)
    .where(player_changes.c.number > bindparam("number"))
    .order_by(player_changes.c.number)
    .limit(CHANGES_MAX + 1)
)


class Lately(Generic[K, V]):
    """Answers by their keys, which `ask` finds; it leaves out the keys of which there is nothing, and these are always asked again.

    `about` says which player an answer is about.
    """

    def __init__(self, ask: Callable[[Collection[K]], Awaitable[Mapping[K, V]]], about: Callable[[K, V], str], changes: Changes) -> None:
        self._ask, self._about, self._changes = ask, about, changes
        self._kept: dict[K, tuple[float, V]] = {}
        self._keys_about: dict[str, set[K]] = {}
        """By player, so that what is forgotten of one of them costs nobody a search through what is kept of all."""
        self._wanted: set[K] = set()
        self._asking: asyncio.Task[Mapping[K, V]] | None = None
        self._forgot = 0
        changes.tell(self)

    def known(self, key: K) -> V | None:
        """The answer if there is one at hand that still holds."""
        kept = self._kept.get(key) if self._changes.known else None
        return kept[1] if kept is not None and time.monotonic() - kept[0] < KEPT_SECONDS else None

    async def get(self, keys: Iterable[K]) -> dict[K, V]:
        """The answers for these keys. Raises what `ask` raises."""
        if not self._changes.known:
            await self._changes.look()
        found: dict[K, V] = {}
        missing: list[K] = []
        kept_since = time.monotonic() - KEPT_SECONDS if self._changes.known else math.inf
        for key in keys:
            kept = self._kept.get(key)
            if kept is None or kept[0] < kept_since:
                missing.append(key)
            else:
                found[key] = kept[1]
        if missing:
            answers = await self._asked(missing)
            found.update((key, answers[key]) for key in missing if key in answers)
        return found

    def forget(self, players: Collection[str] | None) -> None:
        """Ask again for everything that is about these players, or (None) about anybody. What is being asked now is not kept."""
        self._forgot += 1
        if players is None:
            self._kept.clear()
            self._keys_about.clear()
        for player_id in players or ():
            for key in self._keys_about.pop(player_id, ()):
                del self._kept[key]

    async def _asked(self, keys: Iterable[K]) -> Mapping[K, V]:
        """Ask together with all others who come before the loop turns."""
        self._wanted.update(keys)
        if self._asking is None:
            self._asking = asyncio.create_task(self._ask_now())
        return await asyncio.shield(self._asking)

    async def _ask_now(self) -> Mapping[K, V]:
        wanted, self._wanted, self._asking = self._wanted, set(), None
        asked_at, forgot = time.monotonic(), self._forgot
        answers = await self._ask(wanted)
        if forgot != self._forgot:
            return answers
        if len(self._kept) + len(answers) > KEPT_MAX:
            kept = {key: kept for key, kept in self._kept.items() if asked_at - kept[0] < KEPT_SECONDS}
            self._kept, self._keys_about = {}, {}
            self._keep(kept)
        if len(self._kept) + len(answers) <= KEPT_MAX:
            self._keep({key: (asked_at, answer) for key, answer in answers.items()})
        return answers

    def _keep(self, answers: Mapping[K, tuple[float, V]]) -> None:
        self._kept.update(answers)
        for key, (_, answer) in answers.items():
            self._keys_about.setdefault(self._about(key, answer), set()).add(key)
