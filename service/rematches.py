"""Where calls for a rematch led, so that one that comes again leads to the same match, whatever has become of that."""

from sqlalchemy.ext.asyncio import AsyncEngine

from domain.match.state import AnyMatch
from service.calls import Call, before, note
from service.held import stream_of


class Rematches:
    """The calls that found a rematch which somebody else had opened; one that opened it is in that match's own log."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def led_to(self, match: AnyMatch, call: Call) -> str | None:
        """The id of the match that this call led to when it came before."""
        async with self._engine.connect() as connection:
            return await before(connection, stream_of(match.match_id), call)

    async def lead_to(self, match: AnyMatch, call: Call, successor: str) -> str:
        """Note that the call leads to this match, and answer with the one to which an earlier twin led."""
        async with self._engine.begin() as connection:
            return await note(connection, stream_of(match.match_id), call, successor) or successor
