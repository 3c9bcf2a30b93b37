"""Matches that end as a test wants them to, and the projection of what is in the log."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar
from uuid import uuid4

from msgspec.structs import replace
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from domain.games import GAMES
from domain.games.little_train.events import GameStarted, TurnScored
from domain.games.little_train.options import EMPTY
from domain.match.events import BotSeated, Ended, Seated, SeatTaken, Started
from domain.match.game import Place
from domain.match.play import Entry
from domain.match.state import Match, fold
from service.held import line, match_id_of
from service.readmodels import checkpoints
from service.readmodels.checkpoints import Checkpoint
from service.readmodels.projection import Projection, advance
from service.readmodels.results import RESULTS
from service.store import Append, Cursor, EventStore
from service.store.codec import Origin, encode
from tests.matches.conftest import TERMS, Process, new_call

T = TypeVar("T")

LAST = text(
    "SELECT epoch, tx_id::text::bigint, position FROM es.events ORDER BY events.epoch DESC, events.tx_id DESC, position DESC LIMIT 1"
)

BOT = None
"""In place of a player."""


def entries(
    players: Sequence[str | None],
    ranks: Sequence[int],
    scores: Sequence[int],
    reason: str,
    game: str,
    commitment: str,
    trains: Sequence[int] = (),
) -> tuple[Entry, ...]:
    """A whole match of these players in seat order. A match without ranks ends before its start; `trains` are what seat 0 built."""
    room = GAMES[game]
    terms: Any = replace(TERMS, game=game, ruleset=room.ruleset, options=room.options(), seats=len(players), commitment=commitment)
    seats = [SeatTaken(seat, player) if player else BotSeated(seat, "easy") for seat, player in enumerate(players)]
    started = Started(tuple(Seated(seat, player, None if player else "easy", "", False) for seat, player in enumerate(players)))
    places = tuple(sorted((Place(seat, rank, scores[seat]) for seat, rank in enumerate(ranks)), key=lambda place: place.rank))
    built: list[Any] = [GameStarted(1, len(trains), (EMPTY,))] if trains else []
    built += [TurnScored(0, 0, None, points, forced=False, totals=(0,)) for points in trains]
    events = [terms, *seats, *([started] if ranks else []), *built, Ended(places, reason)]
    return tuple(Entry(event, getattr(event, "seat", None)) for event in events)


async def played(
    process: Process,
    players: Sequence[str | None],
    ranks: Sequence[int],
    scores: Sequence[int] = (3, 2, 1, 0),
    reason: str = "rounds_played",
    game: str = "pico",
    trains: Sequence[int] = (),
) -> str:
    """Append such a match in one go; answers its id."""
    opened = await process.matches.open(
        new_call("ann"), GAMES[game], lambda match_id, commitment, world: entries(players, ranks, scores, reason, game, commitment, trains)
    )
    return opened.match.match_id


def appends(players: Sequence[str | None], ranks: Sequence[int], scores: Sequence[int] = (3, 2, 1, 0), game: str = "pico") -> list[Append]:
    """Such a match in three parts, to be appended one after the other: until everybody sits, the start, the end."""
    stream, made = uuid4(), list[Append]()
    match = Match[Any, Any](match_id_of(stream))
    *seated, started, ended = entries(players, ranks, scores, "rounds_played", game, "c0ffee")
    for part in (seated, [started], [ended]):
        events = tuple(encode(entry, Origin("", uuid4())) for entry in part)
        expected, match = match.version, fold(GAMES[game], match, part)
        made.append(Append(stream, expected, uuid4(), b"", events, line(match), seed=None if expected else bytes(32)))
    return made


async def caught_up(store: EventStore, engine: AsyncEngine, projection: Projection = RESULTS, limit: int = 500) -> Checkpoint:
    """Take the projection on until it has read everything. Whatever writes on the server delays that, so this looks again for a while."""
    async with engine.connect() as connection:
        last = Cursor(*((await connection.execute(LAST)).one_or_none() or ()))
    for _ in range(3_000):
        async with engine.connect() as connection:
            before = await checkpoints.live(connection, projection.name)
        if before.cursor >= last:
            return before
        _, count = await advance(store, engine, projection, before, limit)
        await asyncio.sleep(0 if count else 0.01)
    raise AssertionError("the projection does not come to the end of the log")


async def until(reached: Callable[[], Awaitable[T | None]], within: float = 60) -> T:
    """Look again and again, for a while, until there is something to see."""
    gives_up = time.monotonic() + within
    while not (seen := await reached()):
        assert time.monotonic() < gives_up, "it has not come to this"
        await asyncio.sleep(0.01)
    return seen
