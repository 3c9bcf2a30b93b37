"""Tickets to streams: a secret that is good once, for a minute, for one player and one stream: a match's, or the player's own."""

from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import delete, func, insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from service import chance
from service.accounts.players import Player, player_of
from service.accounts.tokens import HeldToken, hashed, is_there, require_held
from service.moments import whole_seconds
from service.store.account_tables import players
from service.store.tables import stream_tickets

TICKET_SECONDS = 60


class Tickets:
    """The tickets that are out, in the database: whichever process gets one knows it."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def issue(self, player_id: str, held: HeldToken, stream: UUID | None) -> tuple[str, datetime]:
        """A new ticket to the stream of a match, or to the player's own (None), and when it expires; they call with the token `held`.

        Those that have expired unused are swept away on the way. Raises what `require_held` raises.
        """
        ticket = chance.new_token()
        row = {
            "hash": hashed(ticket),
            "player_id": player_id,
            "stream_id": stream,
            "token_hash": held.hash,
            "token_ends_at": held.ends_at,
            "expires_at": func.least(func.now() + timedelta(seconds=TICKET_SECONDS), held.ends_at),
        }
        async with self._engine.begin() as connection:
            await require_held(connection, player_id, held)
            await connection.execute(_SWEPT)
            expires_at: datetime = (
                await connection.execute(insert(stream_tickets).values(row).returning(stream_tickets.c.expires_at))
            ).scalar_one()
        return ticket, whole_seconds(expires_at)

    async def redeem(self, ticket: str, stream: UUID | None) -> tuple[Player, HeldToken] | None:
        """Whose ticket to this stream it is, and the token that it was had by; and the ticket is used up. None for any other."""
        used = (
            delete(stream_tickets)
            .where(
                stream_tickets.c.hash == hashed(ticket),
                stream_tickets.c.stream_id.is_not_distinct_from(stream),
                stream_tickets.c.expires_at >= func.now(),
            )
            .returning(stream_tickets.c.player_id, stream_tickets.c.token_hash, stream_tickets.c.token_ends_at)
        )
        async with self._engine.begin() as connection:
            taken = (await connection.execute(used)).one_or_none()
            if taken is None:
                return None
            row = (await connection.execute(select(players).where(is_there(taken.player_id)))).one_or_none()
        return None if row is None else (player_of(row), HeldToken(taken.token_hash, taken.token_ends_at))


_EXPIRED = select(stream_tickets.c.hash).where(stream_tickets.c.expires_at < func.now()).with_for_update(skip_locked=True)
"""Those that somebody else takes away just now are left to them: who waited for each other could wait for ever."""
_SWEPT = delete(stream_tickets).where(stream_tickets.c.hash.in_(_EXPIRED))
