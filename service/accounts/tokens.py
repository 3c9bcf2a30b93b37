"""The tokens of players as the database holds them: which are active, who adds to them, who ends them."""

from datetime import datetime
from hashlib import sha256
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, Update, and_, delete, select
from sqlalchemy.ext.asyncio import AsyncConnection

from service import chance
from service.store.account_tables import player_tokens, players
from service.store.tables import stream_tickets


class Erased(Exception):
    """The player has been erased in this very moment."""


class Revoked(Exception):
    """The token that a player calls with has been revoked, or has expired, in this very moment."""


class HeldToken(NamedTuple):
    """The token that somebody was let in by: one of ours by its `hash`, or one of an outside issuer by when it `ends_at`."""

    hash: bytes | None
    ends_at: datetime | None = None


async def require_held(connection: AsyncConnection, player_id: str, held: HeldToken, *, alone: bool = False) -> None:
    """Let nobody end a token of the player until the transaction ends, and `alone` let nobody else ask for that meanwhile.

    Raises `Erased`, and `Revoked` when `held`, the token that they call with, is theirs no more: a process lets one in for a moment after
    it was revoked, and that must get them nothing that lasts.
    """
    there = locked(player_id) if alone else select(players.c.player_id).where(is_there(player_id)).with_for_update(read=True)
    if (await connection.execute(there)).one_or_none() is None:
        raise Erased(player_id)
    active = select(player_tokens.c.token_id).where(player_tokens.c.hash == held.hash, *active_of(player_id))
    # Those of an outside issuer are not ours to revoke.
    if held.hash is not None and (await connection.execute(active)).one_or_none() is None:
        raise Revoked(player_id)


async def end(connection: AsyncConnection, player_id: str, tokens: Update) -> int | None:
    """How many tokens of the player this ends, and with them every ticket, which may be theirs; None if there is no such player."""
    there = (await connection.execute(locked(player_id))).one_or_none()
    ended = (await connection.execute(tokens)).rowcount
    await connection.execute(delete(stream_tickets).where(stream_tickets.c.player_id == player_id))
    return None if there is None else ended


def locked(player_id: str) -> Select[Any]:
    """The player, whose tokens nobody else adds to or ends before the transaction is over. Whatever else names them meanwhile may."""
    return select(players.c.player_id).where(is_there(player_id)).with_for_update(key_share=True)


def is_there(player_id: str) -> ColumnElement[bool]:
    return and_(players.c.player_id == player_id, players.c.erased_at.is_(None))


def active_of(player_id: str) -> tuple[ColumnElement[bool], ...]:
    return player_tokens.c.player_id == player_id, player_tokens.c.revoked_at.is_(None)


def held_token(secret: str, ends_at: datetime | None = None) -> HeldToken:
    """What is kept in mind of the token that somebody calls with; `ends_at` is told of one of an outside issuer."""
    return HeldToken(hashed(secret) if chance.is_token(secret) else None, ends_at)


def hashed(secret: str) -> bytes:
    """A token has 256 random bits, so one plain round of SHA-256 cannot be guessed backwards."""
    return sha256(secret.encode()).digest()
