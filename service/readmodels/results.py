"""How every match ended, and what that makes of its players: the projection `results`.

It reads when a match was opened, started and ended, and nothing else of it, but for what is kept of a match that one plays alone.
Its row of a match says how far that match has been read, so that each match counts once, whatever is read twice.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from uuid import UUID

import msgspec
from msgspec.structs import replace
from sqlalchemy import Text, Uuid, any_, bindparam, select, text, tuple_
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.games import GAMES, AnyEvent
from domain.match.events import Ended, Opened, Started
from service.readmodels.projection import Projection, Write, upsert
from service.readmodels.standings import Finish, Standing, counted
from service.store import Logged, Stored, tables
from service.store.codec import Decoder, Record
from service.store.upcasters import UnknownEvent

READ = frozenset(event.__struct_config__.tag for event in (Opened, Started, Ended))
NOT_FINISHED = frozenset({"closed", "declined", "expired", "abandoned", "stopped"})
"""Matches that ended for one of these reasons count for nobody."""

_decoder = Decoder(AnyEvent)


class MatchResult(msgspec.Struct, frozen=True):
    """The row of a match. What stands in seat order is empty before it is known; there is no player where a bot sits."""

    generation: int
    stream_id: UUID
    version: int
    game: str
    seats: int
    players: Sequence[str | None]
    ranks: Sequence[int]
    scores: Sequence[int]
    reason: str | None
    opened_at: datetime
    started_at: datetime | None
    ended_at: datetime | None

    @property
    def counts(self) -> bool:
        """Whether the match was played to an end."""
        return bool(self.ranks) and self.reason not in NOT_FINISHED

    @property
    def finishes(self) -> tuple[Finish, ...]:
        """Who came in where, of a match that has ended."""
        return tuple(map(Finish, self.players, self.ranks, self.scores))


async def project(connection: AsyncConnection, generation: int, items: Sequence[Logged]) -> Sequence[Write]:
    """The rows that these events change."""
    told = list(_told(items))
    results = await _results(connection, generation, [stream for stream, _ in told])
    changed, ended = dict[UUID, MatchResult](), list[MatchResult]()
    for stream, record in told:
        before = results.get(stream)
        if before is not None and before.version >= record.version:
            continue
        results[stream] = changed[stream] = _after(before, generation, stream, record)
        if changed[stream].counts:
            ended.append(changed[stream])
    standings = await _standings(connection, generation, ended)
    bests = await _bests(connection, [result for result in ended if result.seats == 1])
    for result in ended:
        after = counted(result.game, result.finishes, standings, bests.get(result.stream_id))
        standings |= {(result.game, standing.player_id): standing for standing in after}
    moved = [replace(standing, generation=generation) for standing in standings.values()]
    writes = [upsert(tables.match_results, list(changed.values()), grows="version")] if changed else []
    return [*writes, upsert(tables.standings, moved, grows="matches")] if moved else writes


def _told(items: Sequence[Logged]) -> Iterator[tuple[UUID, Record]]:
    """The events that matter here. One that this release does not know might, so there is no going on past it."""
    for item in items:
        if not _decoder.knows(item.event.type):
            raise UnknownEvent(item.event.type, item.event.schema_version)
        if item.event.type in READ:
            yield item.stream, _decoder.decode(item.event)


def _after(before: MatchResult | None, generation: int, stream: UUID, record: Record) -> MatchResult:
    event = record.entry.event
    if isinstance(event, Opened):
        return MatchResult(generation, stream, record.version, event.game, event.seats, (), (), (), None, record.at, None, None)
    assert before is not None, "a match that was never opened"
    if isinstance(event, Started):
        return replace(before, version=record.version, players=[seated.player_id for seated in event.seats], started_at=record.at)
    assert isinstance(event, Ended), f"{type(event)} is not read here"
    places = sorted(event.ranking, key=lambda place: place.seat)
    return replace(
        before,
        version=record.version,
        ranks=[place.rank for place in places],
        scores=[place.score for place in places],
        reason=event.reason,
        ended_at=record.at,
    )


async def _results(connection: AsyncConnection, generation: int, streams: Sequence[UUID]) -> dict[UUID, MatchResult]:
    if not streams:
        return {}
    table = tables.match_results
    wanted = table.c.stream_id == any_(bindparam("streams", type_=ARRAY(Uuid)))
    rows = await connection.execute(select(table).where(table.c.generation == generation, wanted), {"streams": sorted(set(streams))})
    return {row.stream_id: MatchResult(*row) for row in rows}


async def _standings(connection: AsyncConnection, generation: int, ended: Sequence[MatchResult]) -> dict[tuple[str, str], Standing]:
    """Where the players of these matches stand, of those who have played before."""
    wanted = sorted({(result.game, player) for result in ended for player in result.players if player is not None})
    if not wanted:
        return {}
    table = tables.standings
    rows = await connection.execute(
        select(table).where(table.c.generation == generation, tuple_(table.c.game, table.c.player_id).in_(wanted))
    )
    return {(row.game, row.player_id): Standing(*row) for row in rows}


_MEASURED = text("""
SELECT stream_id, version, at, type, schema_version, data::text AS data, meta::text AS meta
FROM es.events WHERE stream_id = ANY(:streams) AND type = ANY(:types)
""").bindparams(bindparam("streams", type_=ARRAY(Uuid)), bindparam("types", type_=ARRAY(Text)))


async def _bests(connection: AsyncConnection, alone: Sequence[MatchResult]) -> dict[UUID, int]:
    """The best of each of these matches, which have ended and were played alone: what its game measures, or else the score."""
    bests = {result.stream_id: result.scores[0] for result in alone if GAMES[result.game].solo is None}
    measured = {result.stream_id: solo for result in alone if (solo := GAMES[result.game].solo) is not None}
    if not measured:
        return bests
    types = sorted({solo.event.__struct_config__.tag for solo in measured.values()})  # type: ignore[attr-defined]
    for row in await connection.execute(_MEASURED, {"streams": sorted(measured), "types": types}):
        stored = Stored(row.version, row.at, row.type, row.schema_version, row.data.encode(), row.meta.encode())
        counts = measured[row.stream_id].counts(_decoder.decode(stored).entry.event)
        bests[row.stream_id] = max(counts, bests.get(row.stream_id, counts))
    return bests


RESULTS = Projection("results", (tables.match_results, tables.standings), project, _decoder.types - READ)
