"""How far projections have come, and which generation of each is shown.

A checkpoint only moves by compare-and-set, in the transaction of what is written for it. So two runners, or a dead one that
comes back, never write for the same events twice, and there is no lock that anybody would have to let go.
"""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Table, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from service.store import Cursor

_DELETED_AT_ONCE = 5_000

_LIVE = text("SELECT generation, epoch, tx_id::text::bigint, position FROM es.checkpoints WHERE name = :name AND state = 'live'")

_MOVE = text("""
UPDATE es.checkpoints SET epoch = :to_epoch, tx_id = CAST(CAST(:to_tx AS text) AS xid8), position = :to_position, updated_at = now()
WHERE name = :name AND generation = :generation AND state <> 'retired'
  AND (epoch, tx_id, position) = (:epoch, CAST(CAST(:tx AS text) AS xid8), :position)
""")

_BEGIN = text("""
INSERT INTO es.checkpoints (name, generation, state)
SELECT :name, max(generation) + 1, 'building' FROM es.checkpoints WHERE name = :name
RETURNING generation
""")

_RETIRE_LIVE = text("""
UPDATE es.checkpoints SET state = 'retired', updated_at = now()
WHERE name = :name AND state = 'live' AND (epoch, tx_id, position) <= (
    SELECT epoch, tx_id, position FROM es.checkpoints WHERE name = :name AND generation = :generation
)
""")

_SHOW = text("""
UPDATE es.checkpoints SET state = 'live', updated_at = now()
WHERE name = :name AND generation = :generation AND state = 'building'
""")

_NOT_SHOWN = text("SELECT generation FROM es.checkpoints WHERE name = :name AND state <> 'live' ORDER BY generation")

_FORGET = text("DELETE FROM es.checkpoints WHERE name = :name AND generation = :generation AND state <> 'live'")


class Checkpoint(NamedTuple):
    """One generation of a projection, and how far it has read."""

    generation: int
    cursor: Cursor


class Overtaken(Exception):
    """Somebody else has moved this checkpoint, or retired it. Nothing was written."""


async def live(connection: AsyncConnection, name: str) -> Checkpoint:
    """The generation of a projection that is shown, and how far it has come."""
    generation, *cursor = (await connection.execute(_LIVE, {"name": name})).one()
    return Checkpoint(generation, Cursor(*cursor))


async def move(connection: AsyncConnection, name: str, before: Checkpoint, to: Cursor) -> None:
    """Move a checkpoint on within a transaction, which rivals then wait for. Raises `Overtaken` unless it stands as it did `before`."""
    at = {"name": name, "generation": before.generation, **_parameters(before.cursor)}
    moved = await connection.execute(_MOVE, {**at, **{f"to_{key}": value for key, value in _parameters(to).items()}})
    if moved.rowcount == 0:
        raise Overtaken(f"{name}, generation {before.generation}")


async def begin(engine: AsyncEngine, name: str) -> Checkpoint:
    """Begin a further generation, at the beginning of the log; nobody is shown it yet."""
    async with engine.begin() as connection:
        return Checkpoint((await connection.execute(_BEGIN, {"name": name})).scalar_one(), Cursor())


async def show(engine: AsyncEngine, name: str, generation: int) -> bool:
    """Show this generation from now on, in place of the one that was. False, and nothing done, where that one has read further.

    Raises `Overtaken` when somebody else has taken this generation away.
    """
    async with engine.begin() as connection:
        if (await connection.execute(_RETIRE_LIVE, {"name": name, "generation": generation})).rowcount == 0:
            return False
        if (await connection.execute(_SHOW, {"name": name, "generation": generation})).rowcount == 0:
            raise Overtaken(f"{name}, generation {generation}")
    return True


async def clear(engine: AsyncEngine, name: str, tables: Sequence[Table]) -> None:
    """Delete all generations that nobody is shown, a few rows at a time, so that nobody has to wait."""
    async with engine.connect() as connection:
        connection = await connection.execution_options(isolation_level="AUTOCOMMIT")
        for generation in (await connection.execute(_NOT_SHOWN, {"name": name})).scalars().all():
            for table in tables:
                while await _deleted(connection, table, generation):
                    pass
            await connection.execute(_FORGET, {"name": name, "generation": generation})


def _parameters(cursor: Cursor) -> dict[str, object]:
    return {**cursor._asdict(), "tx": str(cursor.tx)}


async def _deleted(connection: AsyncConnection, table: Table, generation: int) -> int:
    some = f"SELECT ctid FROM {table.fullname} WHERE generation = :generation LIMIT {_DELETED_AT_ONCE}"
    statement = text(f"DELETE FROM {table.fullname} WHERE ctid = ANY(ARRAY({some}))")
    return (await connection.execute(statement, {"generation": generation})).rowcount
