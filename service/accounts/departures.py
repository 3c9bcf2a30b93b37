"""Players who have been erased, and whose matches are looked at once more: other processes let them in for a moment longer.

They are rows, written with the erasure itself. Any process sees to them, so it takes no notice of one that dies.
"""

from datetime import timedelta
from typing import NamedTuple

from sqlalchemy import Double, bindparam, delete, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from service.accounts.lately import FRESH_SECONDS
from service.store.account_tables import player_departures

ONCE_MORE_SECONDS = FRESH_SECONDS + 1
"""By then no process knows the player any more, and what they were let in to do has been done, as a rule."""

AGAIN_SECONDS = 5.0
"""By then it has without exception, since no statement takes so long. A look that failed is repeated after so long too, then after twice
as long, and so on."""

SELDOM_SECONDS = 3_600.0
"""No longer than that."""

LOOKS = 2
BATCH = 25


class Departure(NamedTuple):
    """A player who has been erased, and how many looks at their matches have begun since."""

    player_id: str
    looks: int

    @property
    def is_last(self) -> bool:
        """Whether no other look is needed, if this one comes to its end."""
        return self.looks >= LOOKS


class Departures:
    """The departures in the database."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine.execution_options(isolation_level="AUTOCOMMIT")

    async def due(self) -> tuple[Departure, ...]:
        """Some of those whose matches are to be looked at now. They are due again later, unless they are `over`."""
        async with self._engine.connect() as connection:
            rows = await connection.execute(_TAKEN, {"again": AGAIN_SECONDS})
            return tuple(Departure(row.player_id, row.looks) for row in rows)

    async def over(self, player_id: str) -> None:
        """Nothing is left to be looked at."""
        async with self._engine.connect() as connection:
            await connection.execute(delete(player_departures).where(player_departures.c.player_id == player_id))


async def depart(connection: AsyncConnection, player_id: str) -> None:
    """Have the matches of this player looked at, who is erased in the same transaction."""
    first = {"looks": 0, "due_at": func.now() + timedelta(seconds=ONCE_MORE_SECONDS)}
    departing = insert(player_departures).values(player_id=player_id, **first)
    await connection.execute(departing.on_conflict_do_update(index_elements=["player_id"], set_=first))


_DUE = (
    select(player_departures.c.player_id)
    .where(player_departures.c.due_at <= func.now())
    .order_by(player_departures.c.due_at)
    .limit(BATCH)
    .with_for_update(skip_locked=True)
)
_SECONDS = func.least(bindparam("again", type_=Double) * func.power(2.0, func.least(player_departures.c.looks, 20)), SELDOM_SECONDS)
_TAKEN = (
    update(player_departures)
    .where(player_departures.c.player_id.in_(_DUE))
    .values(looks=player_departures.c.looks + 1, due_at=func.now() + func.make_interval(0, 0, 0, 0, 0, 0, _SECONDS))
    .returning(player_departures.c.player_id, player_departures.c.looks)
)
