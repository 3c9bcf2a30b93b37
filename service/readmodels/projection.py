"""What a projection is, and the one way it goes on: read, think, and then one short transaction that writes and says how far."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import msgspec
from sqlalchemy import Table, TextClause, bindparam, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from service.readmodels import checkpoints
from service.readmodels.checkpoints import Checkpoint
from service.store import EventStore, Logged

Write: TypeAlias = tuple[TextClause, dict[str, Any]]
"""A statement and its parameters."""

Project: TypeAlias = Callable[[AsyncConnection, int, Sequence[Logged]], Awaitable[Sequence[Write]]]
"""What a generation of the projection writes for these events, which follow those that it has written for already.

It may read its own tables by the connection, and writes nothing itself. Events that come a second time make no difference.
"""


@dataclass(frozen=True)
class Projection:
    """A read model made of the log: its name, the tables it alone writes, each with a column `generation`, and how.

    Events of the types `passes_over` make no difference to it, and it is not given them.
    """

    name: str
    tables: tuple[Table, ...]
    project: Project
    passes_over: frozenset[str] = frozenset()


async def advance(store: EventStore, engine: AsyncEngine, projection: Projection, before: Checkpoint, limit: int) -> tuple[Checkpoint, int]:
    """Take a projection on by up to `limit` events: where it stands then, and how many there were.

    Raises `Overtaken` when somebody else did. While a transaction is open that has written something, no reader of the log
    sees what came after it; so nothing is read or thought over in it.
    """
    page = await store.read_all(before.cursor, limit, projection.passes_over)
    if not page.count:
        return before, 0
    async with engine.connect() as connection:
        connection = await connection.execution_options(isolation_level="AUTOCOMMIT")
        writes = await projection.project(connection, before.generation, page.items)
    async with engine.begin() as connection:
        # What a crash takes away it takes with the checkpoint, and it is made again.
        await connection.execute(text("SET LOCAL synchronous_commit = off"))
        await checkpoints.move(connection, projection.name, before, page.cursor)
        for statement, parameters in writes:
            await connection.execute(statement, parameters)
    return Checkpoint(before.generation, page.cursor), page.count


def upsert(table: Table, rows: Sequence[msgspec.Struct], grows: str) -> Write:
    """All these rows in one statement. A row that is there is replaced if the column `grows` is less in it."""
    columns = ", ".join(column.name for column in table.columns)
    key = ", ".join(column.name for column in table.primary_key)
    update = ", ".join(f"{column.name} = excluded.{column.name}" for column in table.columns if not column.primary_key)
    statement = text(f"""
        INSERT INTO {table.fullname} AS t ({columns})
        SELECT {columns} FROM jsonb_populate_recordset(NULL::{table.fullname}, :rows) ORDER BY {key}
        ON CONFLICT ({key}) DO UPDATE SET {update} WHERE t.{grows} < excluded.{grows}
    """)
    return statement.bindparams(bindparam("rows", type_=JSONB)), {"rows": rows}
