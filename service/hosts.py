"""How many matches that have not ended one player may host: what a server has to look after for one account has a bound."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from service.matches import RACE_SECONDS, Busy

BOTS_ONLY_PART = 5
"""One in so many of them may be without a person at the table: there bots play on by themselves."""

_HOSTED = text("""
SELECT count(*) AS hosted, count(*) FILTER (WHERE NOT jsonb_path_exists(shown, '$.chairs[*].player_id ? (@ != null)')) AS unmanned
FROM (SELECT shown FROM public.match_current WHERE shown->>'host' = :player_id AND status <> 'ended' LIMIT :most) AS m
""")


class TooManyMatches(Exception):
    """The player hosts as many matches that have not ended as one can."""


class Hosts:
    """Those who open matches. `most` is how many that have not ended one of them may host."""

    def __init__(self, engine: AsyncEngine, most: int) -> None:
        self._engine, self._most = engine.execution_options(isolation_level="AUTOCOMMIT"), most
        self._queues: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def room(self, player_id: str, *, sits: bool = True) -> AsyncIterator[None]:
        """Room for one match more of this player, who `sits` at it or not. Raises `TooManyMatches` and `Busy`.

        The openings of one player wait for each other, so that many at once find no more room than there is. Processes do not
        wait for each other: each may let one too many in.
        """
        queue = self._queues.setdefault(player_id, asyncio.Lock())
        try:
            async with asyncio.timeout(RACE_SECONDS):
                await queue.acquire()
        except TimeoutError:
            raise Busy from None
        try:
            async with self._engine.connect() as connection:
                now = (await connection.execute(_HOSTED, {"player_id": player_id, "most": self._most})).one()
            if now.hosted >= self._most or (not sits and now.unmanned >= max(1, self._most // BOTS_ONLY_PART)):
                raise TooManyMatches
            yield
        finally:
            queue.release()
