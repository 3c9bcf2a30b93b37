"""Invitation codes of private matches: who holds one may sit down.

A code carries 80 random bits, so that nobody finds one by trying: a thousand callers at the limit of their requests would need a
hundred thousand years to come upon one of a million matches.
"""

import hmac
from datetime import timedelta
from uuid import UUID

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from service import chance
from service.calls import Call, before, note
from service.store.tables import match_invites

_READ_AS = str.maketrans({"o": "0", "i": "1", "l": "1", " ": None, "-": None})
"""Crockford's reading of his alphabet, which codes are written in: what looks alike is alike, and what groups does not count."""


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

    async def match_of(self, code: str) -> UUID | None:
        """The stream of the match whose code this is; None when it is none's, or not valid any more."""
        async with self._engine.connect() as connection:
            found: UUID | None = await connection.scalar(with_code(code))
        return found

    async def admits(self, stream: UUID, code: str | None) -> bool:
        """Whether this is the match's code."""
        if code is None:
            return False
        async with self._engine.connect() as connection:
            right: str | None = await connection.scalar(
                select(match_invites.c.code).where(match_invites.c.stream_id == stream, _is_valid())
            )
        return right is not None and hmac.compare_digest(right.encode(), _read(code).encode())


def with_code(code: str) -> Select[tuple[UUID]]:
    """Asks for the stream of the match whose code this is."""
    return select(match_invites.c.stream_id).where(match_invites.c.code == _read(code), _is_valid())


def _read(code: str) -> str:
    """The code as it was made, of what somebody has heard and typed."""
    return code.lower().translate(_READ_AS)


def _is_valid() -> ColumnElement[bool]:
    return match_invites.c.expires_at.is_(None) | (match_invites.c.expires_at > func.now())
