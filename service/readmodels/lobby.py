"""The list of matches, read off the matches' own rows, which are written with their events and so are never behind."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID

import msgspec
from sqlalchemy import Text, bindparam, text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncEngine

from domain.match.events import Visibility
from domain.match.state import Status
from service.held import Shown

_COLUMNS = "stream_id, version, game, status, visibility, seats_open, opened_at, shown"
_FROM = f"SELECT {_COLUMNS} FROM public.match_current WHERE"
_ME = "CAST(:player_id AS text)"
_NEWEST = "ORDER BY opened_at DESC, stream_id DESC LIMIT :limit"
_FITS = f"(NOT :open_seats OR seats_open > 0) AND (opened_at, stream_id) < (:opened_at, :stream_id) {_NEWEST}"
_ANY_OF = "status = ANY(:statuses) AND game = ANY(:games)"

_SEATED = f"shown @> jsonb_build_object('chairs', jsonb_build_array(jsonb_build_object('player_id', {_ME})))"
_OTHERS = f"(NOT :others OR NOT ({_SEATED}))"

# The rows of each game and status lie in their order in one index, so of each no more is read than fits on the page.
_PUBLIC = """
SELECT m.* FROM unnest(:statuses) AS s (status) CROSS JOIN unnest(:games) AS g (game)
CROSS JOIN LATERAL ({found} visibility = 'public' AND status = s.status AND game = g.game AND {fits}) AS m
"""
_PRIVATE = f"{_FROM} players @> ARRAY[{_ME}] AND visibility = 'private' AND {_ANY_OF} AND {_OTHERS} AND {_FITS}"

_LISTS = [bindparam("statuses", type_=ARRAY(Text)), bindparam("games", type_=ARRAY(Text))]
FOR_NOBODY = text(f"SELECT * FROM ({_PUBLIC.format(found=_FROM, fits=_FITS)}) AS m {_NEWEST}").bindparams(*_LISTS)
FOR_A_PLAYER = text(
    f"SELECT * FROM (({_PUBLIC.format(found=_FROM, fits=f'{_OTHERS} AND {_FITS}')}) UNION ALL ({_PRIVATE})) AS m {_NEWEST}"
).bindparams(*_LISTS)
OF_A_PLAYER = text(f"{_FROM} players @> ARRAY[{_ME}] AND {_SEATED} AND {_OTHERS} AND {_ANY_OF} AND {_FITS}").bindparams(*_LISTS)

_ONE = text(f"{_FROM} stream_id = :stream_id")

_CONCERNING = text(f"""
SELECT stream_id FROM public.match_current WHERE players @> ARRAY[{_ME}] AND status <> 'ended' AND stream_id > :after
ORDER BY stream_id LIMIT :limit
""")


class Wanted(msgspec.Struct, frozen=True):
    """Which matches are wanted: of these games and statuses, for whoever asks (None: nobody); maybe only with an open seat.

    With `mine` only those where the player sits; else all public ones, and the private ones that concern the player, with `others` without
    those where they sit.
    """

    games: Sequence[str]
    statuses: Sequence[Status]
    open_seats: bool
    player_id: str | None
    mine: bool
    others: bool


class Place(NamedTuple):
    """A place in the list, which the newest begin: everything older comes next. The first page comes after the place `TOP`."""

    opened_at: datetime
    stream_id: UUID


TOP = Place(datetime(9999, 1, 1, tzinfo=UTC), UUID(int=0))


class Listed(msgspec.Struct, frozen=True):
    """The row of a match. Nothing in it is anybody's secret."""

    stream_id: UUID
    version: int
    game: str
    status: Status
    visibility: Visibility
    seats_open: int
    opened_at: datetime
    shown: Shown

    @property
    def place(self) -> Place:
        """Where in the list this is."""
        return Place(self.opened_at, self.stream_id)


class Lobby:
    """The matches of the service, as lists show them."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine.execution_options(isolation_level="AUTOCOMMIT")

    async def page(self, wanted: Wanted, after: Place, limit: int) -> list[Listed]:
        """Up to `limit` matches, the newest first, from `after` on."""
        statement = OF_A_PLAYER if wanted.mine else FOR_NOBODY if wanted.player_id is None else FOR_A_PLAYER
        asked = {**msgspec.structs.asdict(wanted), **after._asdict(), "limit": limit}
        async with self._engine.connect() as connection:
            rows = await connection.execute(statement, asked)
            return [msgspec.convert(dict(row), Listed) for row in rows.mappings()]

    async def one(self, stream: UUID) -> Listed | None:
        """The match with this stream, if there is one."""
        async with self._engine.connect() as connection:
            row = (await connection.execute(_ONE, {"stream_id": stream})).mappings().one_or_none()
            return None if row is None else msgspec.convert(dict(row), Listed)

    async def concerning(self, player_id: str, after: UUID, limit: int) -> Sequence[UUID]:
        """Up to `limit` matches that have not ended, where this player sits or is the host, after `after` in no special order."""
        async with self._engine.connect() as connection:
            rows = await connection.execute(_CONCERNING, {"player_id": player_id, "after": after, "limit": limit})
            return rows.scalars().all()
