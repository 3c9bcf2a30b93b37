"""Mutes: whose messages a player does not want to read. Nobody else ever learns of them."""

from typing import Annotated

import msgspec
from msgspec import Meta
from sqlalchemy import delete, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from service import chance
from service.moments import Timestamp, whole_seconds
from service.store.account_tables import player_mutes, players

MUTES_MAX = 200
"""Players that one player may mute."""


class TooManyMutes(Exception):
    """The player has muted `MUTES_MAX` others."""


class Mute(msgspec.Struct, frozen=True):
    """A player whose messages you do not read."""

    player_id: Annotated[str, Meta(description="The muted player's id.")]
    display_name: Annotated[str, Meta(description="Their name as it is shown.")]
    muted_at: Annotated[Timestamp, Meta(description="When you muted them.")]


class Mutes:
    """The mutes in the database."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def mute(self, player_id: str, muted_id: str) -> None:
        """Leave out the messages of `muted_id`, a known player, from what `player_id` reads. Raises `TooManyMutes`."""
        fresh = insert(player_mutes).values(player_id=player_id, muted_id=muted_id).on_conflict_do_nothing()
        async with self._engine.begin() as connection:
            # Not the whole row: who is muted is held by the key meanwhile, and two players may mute each other in the same moment.
            await connection.execute(select(players.c.player_id).where(players.c.player_id == player_id).with_for_update(key_share=True))
            await connection.execute(fresh)
            muted = (await connection.execute(select(func.count()).where(player_mutes.c.player_id == player_id))).scalar_one()
            if muted > MUTES_MAX:
                raise TooManyMutes(player_id)

    async def unmute(self, player_id: str, muted_id: str) -> None:
        """Show them again; nothing happens if they were not muted."""
        if not chance.is_id("ply", muted_id):
            return
        mutes = player_mutes.c
        async with self._engine.begin() as connection:
            await connection.execute(delete(player_mutes).where(mutes.player_id == player_id, mutes.muted_id == muted_id))

    async def of(self, player_id: str) -> tuple[Mute, ...]:
        """Whom this player has muted, the first one first."""
        mutes = player_mutes.c
        statement = (
            select(mutes.muted_id, players.c.display_name, mutes.at)
            .join(players, players.c.player_id == mutes.muted_id)
            .where(mutes.player_id == player_id)
            .order_by(mutes.at, mutes.muted_id)
        )
        async with self._engine.connect() as connection:
            rows = await connection.execute(statement)
            return tuple(Mute(row.muted_id, row.display_name, whole_seconds(row.at)) for row in rows)
