"""Calls that change something: how one that comes again is known again, also where what it did stands in no match's log."""

from uuid import UUID

import msgspec
from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from service import chance
from service.store import KeyReused
from service.store.tables import match_calls


class Call(msgspec.Struct, frozen=True):
    """One call of one caller, so that a repeated one is known again.

    `id` comes of the caller, the operation and the Idempotency-Key, or is random without a key (`keyed` false).
    `fingerprint` is a hash of what was asked for. `expected` is the version that the caller insists on.
    """

    id: UUID
    fingerprint: bytes
    keyed: bool
    actor: str
    expected: int | None = None


def house_call(actor: str = "") -> Call:
    """A call of the house itself: for its clocks and bots, or for this actor, where to ask again changes nothing, as to erase or stop."""
    return Call(chance.new_uuid(), b"", keyed=False, actor=actor)


async def before(connection: AsyncConnection, stream: UUID, call: Call) -> str | None:
    """What a call about this match, which left nothing in its log, came to when it came before; None if it is the first.

    Raises `KeyReused` when it asked for something else then.
    """
    noted = select(match_calls).where(match_calls.c.stream_id == stream, match_calls.c.command_id == call.id)
    row = (await connection.execute(noted)).one_or_none() if call.keyed else None
    if row is None:
        return None
    if row.fingerprint != call.fingerprint:
        raise KeyReused
    return str(row.came_to)


async def note(connection: AsyncConnection, stream: UUID, call: Call, came_to: str = "") -> str | None:
    """Note what such a call comes to, with the transaction it is in; what an earlier twin came to instead, None if there is none."""
    if not call.keyed:
        return None
    row = {"stream_id": stream, "command_id": call.id, "fingerprint": call.fingerprint, "came_to": came_to}
    noted = insert(match_calls).values(row).on_conflict_do_nothing().returning(match_calls.c.command_id)
    if (await connection.execute(noted)).one_or_none() is not None:
        return None
    return await before(connection, stream, call)
