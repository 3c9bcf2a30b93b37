"""Invitation codes of private matches: who holds one may sit down."""

import hmac
from datetime import timedelta
from uuid import UUID

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from service import chance
from service.calls import Call, before, note
from service.store.tables import match_invites


class Invites:
    """The one code that each private match has at a time."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def code(self, stream: UUID) -> str | None:
        """The match's code, made now if it never had one; None when it has expired."""
        fresh = insert(match_invites).values(stream_id=stream, code=chance.new_invite()).on_conflict_do_nothing()
        valid = select(match_invites.c.code).where(match_invites.c.stream_id == stream, _is_valid())
        async with self._engine.begin() as connection:
            await connection.execute(fresh)
            code: str | None = await connection.scalar(valid)
        return code

    async def renewed(self, stream: UUID, call: Call) -> int | None:
        """At which version of the match this very call has replaced the code before, if it has."""
        async with self._engine.connect() as connection:
            version = await before(connection, stream, call)
        return None if version is None else int(version)

    async def renew(self, stream: UUID, call: Call, version: int, lasts: timedelta | None) -> None:
        """Replace the code, once for this call; the old one is void at once. The new one lasts so long, None: while the match is open."""
        row = {"code": chance.new_invite(), "expires_at": None if lasts is None else func.now() + lasts}
        made = insert(match_invites).values(stream_id=stream, **row)
        async with self._engine.begin() as connection:
            if await note(connection, stream, call, str(version)) is None:
                await connection.execute(made.on_conflict_do_update(index_elements=["stream_id"], set_=row))

    async def admits(self, stream: UUID, code: str | None) -> bool:
        """Whether this is the match's code."""
        if code is None:
            return False
        async with self._engine.connect() as connection:
            right: str | None = await connection.scalar(
                select(match_invites.c.code).where(match_invites.c.stream_id == stream, _is_valid())
            )
        return right is not None and hmac.compare_digest(right.encode(), code.encode())


def _is_valid() -> ColumnElement[bool]:
    return match_invites.c.expires_at.is_(None) | (match_invites.c.expires_at > func.now())
