"""Players: guest accounts, made in one call and held by tokens."""

from collections.abc import Collection, Iterable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from sqlalchemy import (
    ARRAY,
    ColumnElement,
    Executable,
    LargeBinary,
    Row,
    Text,
    Update,
    bindparam,
    delete,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.sql.dml import ReturningInsert
from sqlalchemy.types import TypeEngine

from service import chance
from service.accounts.departures import depart
from service.accounts.lately import Changes, Lately
from service.accounts.signups import PER_HOUR, Signups
from service.accounts.tokens import Erased, HeldToken, active_of, end, hashed, is_there, require_held
from service.moments import Timestamp, whole_seconds
from service.store.account_tables import player_identities, player_tokens, players
from service.together import Asked

TOKENS_MAX = 20
"""Active tokens of one player."""

USED_AGAIN_AFTER = timedelta(minutes=1)
"""`last_used_at` is this coarse, so that reading does not write."""


class TooManyTokens(Exception):
    """The player holds `TOKENS_MAX` active tokens."""


class _Known(Exception):
    """The identity is some player's already."""


class Player(msgspec.Struct, frozen=True):
    """A player, as everybody may know them."""

    player_id: Annotated[str, Meta(description="The player's id.")]
    display_name: Annotated[str, Meta(description="The name as it is shown.")]
    created_at: Annotated[Timestamp, Meta(description="When the account was made.")]


class Token(msgspec.Struct, frozen=True):
    """A token of a player: all but its secret, which nobody has but whom it was handed to."""

    token_id: Annotated[str, Meta(description="Names the token; no secret.")]
    created_at: Annotated[Timestamp, Meta(description="When it was handed out.")]
    last_used_at: Annotated[Timestamp | None, Meta(description="When it was last used, give or take a minute; null before that.")]


class Players:
    """The accounts in the database. Every method is one transaction, but for `create`, which counts first."""

    def __init__(self, engine: AsyncEngine, per_address: int = PER_HOUR) -> None:
        self._engine, self._signups = engine, Signups(engine, per_address)
        self._single = engine.execution_options(isolation_level="AUTOCOMMIT")
        self.changes = Changes(engine)
        self._tokens: Lately[bytes, Player] = Lately(self._by_tokens, lambda _, player: player.player_id, self.changes)
        self._names: Lately[str, str] = Lately(self._names_of, lambda player_id, _: player_id, self.changes)
        self._identities = Asked(self._identified)

    async def create(self, name: str, address: str) -> tuple[Player, Token, str]:
        """A new player called `name` (see `names.display_name`), their first token, and its secret, which is not kept.

        `address` is where they come from. Raises `TooManySignups`.
        """
        await self._signups.count(address)
        async with self._engine.begin() as connection:
            row = (
                await connection.execute(
                    insert(players).values(player_id=chance.new_id("ply"), display_name=name, created_at=func.now()).returning(*_PLAYER)
                )
            ).one()
            secret = chance.new_token()
            token = (await connection.execute(_new_token(row.player_id, secret))).one()
        return player_of(row), _token(token), secret

    async def by_token(self, secret: str) -> Player | None:
        """Who holds this token; None if nobody does, for a second at most after it was revoked in another process."""
        asked = hashed(secret)
        if known := self._tokens.known(asked):
            return known
        return (await self._tokens.get([asked])).get(asked) if chance.is_token(secret) else None

    async def holders(self, hashes: Collection[bytes]) -> dict[bytes, Player]:
        """Who holds the tokens with these hashes; those that nobody holds any more are left out, after a second at most."""
        return await self._tokens.get(hashes)

    async def _by_tokens(self, hashes: Collection[bytes]) -> dict[bytes, Player]:
        async with self._single.connect() as connection:
            rows = (await connection.execute(_HELD, {"hashes": list(hashes)})).all()
            if used := [row.token_id for row in rows if row.used_again]:
                await connection.execute(_USED, {"ids": used})
        return {row.hash: player_of(row) for row in rows}

    async def by_identity(self, identity: bytes, name: str, issued_at: datetime, address: str) -> Player:
        """The player whom an outside issuer knows as `identity`; who comes for the first time is made one.

        `name` is what newcomers are called (see `display_name`), and `address` where they come from. Raises `Erased` for what was
        issued before the player was erased, and `TooManySignups`.
        """
        while True:
            row = await self._identities(identity)
            if row is not None and row.player_id is not None:
                return player_of(row)
            if row is not None and issued_at <= row.since:
                raise Erased
            with suppress(_Known):
                return await self._newcomer(identity, name, address)

    async def _identified(self, identity: bytes) -> Row[*tuple[Any, ...]] | None:
        """Whom this identity is, if it is known; asked once for all requests of one moment, since it is before they wait for each other."""
        found = select(*_PLAYER, player_identities.c.since).select_from(_IDENTIFIED).where(player_identities.c.identity == identity)
        async with self._single.connect() as connection:
            return (await connection.execute(found)).one_or_none()

    async def _newcomer(self, identity: bytes, name: str, address: str) -> Player:
        """A new player for this identity. Raises `_Known` when another request of theirs was first, and `TooManySignups`."""
        async with self._engine.begin() as connection:
            made = insert(players).values(player_id=chance.new_id("ply"), display_name=name, created_at=func.now()).returning(*_PLAYER)
            new = (await connection.execute(made)).one()
            if (await connection.execute(_bind(identity, new.player_id))).one_or_none() is None:
                raise _Known
            await self._signups.count_within(connection, address)
        return player_of(new)

    async def get(self, player_id: str) -> Player | None:
        """The player with this id, if there is one; none that has been erased."""
        if not chance.is_id("ply", player_id):
            return None
        async with self._single.connect() as connection:
            row = (await connection.execute(select(*_PLAYER).where(is_there(player_id)))).one_or_none()
        return None if row is None else player_of(row)

    async def names(self, ids: Iterable[str]) -> dict[str, str]:
        """The display names of these players, by id; ids of nobody and of those who have been erased are left out.

        A name may have been changed in another process for a second.
        """
        return await self._names.get(set(ids))

    async def _names_of(self, ids: Collection[str]) -> dict[str, str]:
        async with self._single.connect() as connection:
            rows = await connection.execute(_NAMED, {"ids": list(ids)})
            return {row.player_id: row.display_name for row in rows}

    async def rename(self, player_id: str, name: str) -> Player:
        """The player under their new name (see `names.display_name`). Raises `Erased`."""
        statement = update(players).where(is_there(player_id)).values(display_name=name).returning(*_PLAYER)
        async with self._single.connect() as connection:
            row = (await connection.execute(statement)).one_or_none()
        if row is None:
            raise Erased(player_id)
        self.changes.note({player_id})
        return player_of(row)

    async def erase(self, player_id: str) -> None:
        """Take away the name and every token of a player, for good; once more changes nothing. The id stays, for old matches, which are
        looked at once more (see `Departures`).
        """
        async with self._engine.begin() as connection:
            await connection.execute(update(players).where(is_there(player_id)).values(display_name=None, erased_at=func.now()))
            await connection.execute(delete(player_tokens).where(player_tokens.c.player_id == player_id))
            known = player_identities.c.player_id == player_id
            await connection.execute(update(player_identities).where(known).values(player_id=None, since=func.now()))
            await depart(connection, player_id)
        self.changes.note({player_id})

    async def create_token(self, player_id: str, held: HeldToken) -> tuple[Token, str]:
        """A further token of a player who calls with the token `held`, and its secret, which is not kept.

        Raises `TooManyTokens`, `Erased` and `Revoked`.
        """
        secret = chance.new_token()
        async with self._engine.begin() as connection:
            await require_held(connection, player_id, held, alone=True)
            active = (await connection.execute(select(func.count()).where(*active_of(player_id)))).scalar_one()
            if active >= TOKENS_MAX:
                raise TooManyTokens(player_id)
            row = (await connection.execute(_new_token(player_id, secret))).one()
        return _token(row), secret

    async def tokens(self, player_id: str) -> tuple[Token, ...]:
        """The active tokens of a player, the oldest first."""
        statement = select(*_TOKEN).where(*active_of(player_id)).order_by(player_tokens.c.created_at, player_tokens.c.token_id)
        async with self._single.connect() as connection:
            return tuple(_token(row) for row in await connection.execute(statement))

    async def revoke_all(self, player_id: str) -> bool:
        """End every token of this player for good, and every ticket. False if there is no such player."""
        return await self._revoke(player_id, update(player_tokens).where(*active_of(player_id)).values(revoked_at=func.now())) is not None

    async def revoke_token(self, player_id: str, token_id: str) -> bool:
        """End a token of this player for good, and every ticket, which may be that token's; once more changes nothing. False if the
        player never had it.
        """
        if not chance.is_id("tok", token_id):
            return False
        statement = (
            update(player_tokens)
            .where(player_tokens.c.player_id == player_id, player_tokens.c.token_id == token_id)
            .values(revoked_at=func.coalesce(player_tokens.c.revoked_at, func.now()))
        )
        return await self._revoke(player_id, statement) == 1

    async def _revoke(self, player_id: str, tokens: Update) -> int | None:
        """How many tokens this ends, and with them every ticket of the player; None if there is no such player."""
        async with self._engine.begin() as connection:
            ended = await end(connection, player_id, tokens)
        self.changes.note({player_id})
        return ended


def _any(name: str, of: type[TypeEngine[Any]]) -> ColumnElement[Any]:
    """One of the values of an array, so that the statement stays the same however many there are."""
    return func.any(bindparam(name, type_=ARRAY(of)))


_IDENTIFIED = player_identities.outerjoin(players, players.c.player_id == player_identities.c.player_id)
_PLAYER = (players.c.player_id, players.c.display_name, players.c.created_at)
_TOKEN = (player_tokens.c.token_id, player_tokens.c.created_at, player_tokens.c.last_used_at)

_STALE = func.coalesce(player_tokens.c.last_used_at < func.now() - USED_AGAIN_AFTER, True)

_HELD = (
    select(*_PLAYER, player_tokens.c.hash, player_tokens.c.token_id, _STALE.label("used_again"))
    .join(player_tokens, player_tokens.c.player_id == players.c.player_id)
    .where(player_tokens.c.hash == _any("hashes", LargeBinary), player_tokens.c.revoked_at.is_(None), players.c.erased_at.is_(None))
)
_FREE = select(player_tokens.c.token_id).where(player_tokens.c.token_id == _any("ids", Text), _STALE).with_for_update(skip_locked=True)
"""Whoever else changes some of them right now may want the others next, and we must not wait for each other."""
_USED = update(player_tokens).where(player_tokens.c.token_id.in_(_FREE)).values(last_used_at=func.now())

_NAMED = select(players.c.player_id, players.c.display_name).where(players.c.player_id == _any("ids", Text), players.c.erased_at.is_(None))


def _new_token(player_id: str, secret: str) -> ReturningInsert[Any]:
    values = {"token_id": chance.new_id("tok"), "player_id": player_id, "hash": hashed(secret), "created_at": func.now()}
    return insert(player_tokens).values(values).returning(*_TOKEN)


def _bind(identity: bytes, player_id: str) -> Executable:
    """Makes this identity the player's, unless it is another one's already."""
    bound = upsert(player_identities).values(identity=identity, player_id=player_id)
    anew = bound.on_conflict_do_update(
        index_elements=["identity"], set_={"player_id": player_id, "since": func.now()}, where=player_identities.c.player_id.is_(None)
    )
    return anew.returning(player_identities.c.player_id)


def player_of(row: Row[*tuple[Any, ...]]) -> Player:
    return Player(row.player_id, row.display_name, whole_seconds(row.created_at))


def _token(row: Row[*tuple[Any, ...]]) -> Token:
    return Token(row.token_id, whole_seconds(row.created_at), whole_seconds(row.last_used_at) if row.last_used_at else None)
