"""Who runs the service: operators, and programs that read its numbers. The settings name them by the hashes of their tokens.

An operator is no player and sits at no match. What one changes stands in the log of the match it changes, or among the `actions`,
which are written before anything is done: an action without `done_at` was begun and may not have been finished.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from hashlib import sha256
from types import MappingProxyType
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Meta
from sqlalchemy import Row, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from service import chance
from service.moments import Timestamp, whole_seconds
from service.store.account_tables import operator_actions

Role: TypeAlias = Literal["operator", "numbers"]
"""An operator may do all that operators do; the other one may read the numbers of the service and nothing else."""

Deed: TypeAlias = Literal["stop_match", "sign_out_player", "erase_player"]


class Operator(msgspec.Struct, frozen=True):
    """Somebody who runs the service, as the settings name them."""

    name: str
    role: Role


class OperatorAction(msgspec.Struct, frozen=True):
    """What an operator did."""

    action_id: Annotated[str, Meta(description="The action's id.")]
    at: Annotated[Timestamp, Meta(description="When it was begun.")]
    operator: Annotated[str, Meta(description="The operator's name in the settings.")]
    deed: Annotated[Deed, Meta(description="The operation.")]
    subject: Annotated[str, Meta(description="Id of the match or the player that it was done to.")]
    note: Annotated[str, Meta(description="Why, in the operator's words.")]
    done_at: Annotated[Timestamp | None, Meta(description="When it was done; null when it was begun and may not have been finished.")]


class Operators:
    """The operators, by the hashes of their tokens. With `numbers_open` anybody may read the numbers of the service."""

    def __init__(self, named: Mapping[str, Operator] = MappingProxyType({}), numbers_open: bool = False) -> None:
        self._named, self.numbers_open = named, numbers_open

    def by_token(self, secret: str) -> Operator | None:
        """Who holds this token; None if nobody does. It asks no database."""
        if not secret.startswith(chance.OPERATOR_PREFIX) or not chance.is_token(secret, chance.OPERATOR_PREFIX):
            return None
        return self._named.get(token_hash(secret))


class Actions:
    """What operators did, in the database."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._single = engine.execution_options(isolation_level="AUTOCOMMIT")

    @asynccontextmanager
    async def noted(self, operator: Operator, deed: Deed, subject: str, note: str) -> AsyncIterator[str]:
        """Write down what the block does, before and after it; the action's id. A block that raises leaves it not done."""
        action_id = chance.new_id("act")
        row = {"action_id": action_id, "operator": operator.name, "deed": deed, "subject": subject, "note": note}
        async with self._single.connect() as connection:
            await connection.execute(insert(operator_actions).values(row))
        yield action_id
        done = update(operator_actions).where(operator_actions.c.action_id == action_id).values(done_at=func.now())
        async with self._single.connect() as connection:
            await connection.execute(done)

    async def get(self, action_id: str) -> OperatorAction:
        """The action with this id, which must be there."""
        async with self._single.connect() as connection:
            return _action((await connection.execute(_ACTIONS.where(operator_actions.c.action_id == action_id))).one())

    async def page(self, before: int, limit: int) -> list[tuple[int, OperatorAction]]:
        """Up to `limit` actions that stand before this number, each with its own, the newest first."""
        listed = _ACTIONS.where(operator_actions.c.number < before).order_by(operator_actions.c.number.desc()).limit(limit)
        async with self._single.connect() as connection:
            return [(row.number, _action(row)) for row in await connection.execute(listed)]


_ACTIONS = select(operator_actions)


def _action(row: Row[*tuple[Any, ...]]) -> OperatorAction:
    done_at = None if row.done_at is None else whole_seconds(row.done_at)
    return OperatorAction(row.action_id, whole_seconds(row.at), row.operator, row.deed, row.subject, row.note, done_at)


def token_hash(secret: str) -> str:
    """What the settings hold of a token. It has 256 random bits, so one plain round of SHA-256 cannot be guessed backwards."""
    return sha256(secret.encode()).hexdigest()
