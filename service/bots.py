"""Bots at the table. They play through the same path as people, from the same view, and at once."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any, Self
from uuid import UUID

import structlog
from prometheus_client import Histogram

from domain.games import GAMES
from domain.match import table
from domain.match.game import AnyGame, Waiting
from domain.match.play import Entry, NotNow
from domain.match.state import AnyMatch
from domain.match.table import Unfit, World
from service.calls import house_call
from service.held import Held, match_id_of, stream_of
from service.matches import DELAYING, Matches

WORKERS = 4
"""Matches that one process plays bots in at the same time."""

QUEUED = 10_000
"""Matches that may wait for it; those beyond are found by the sweep of the matches' rows."""

AGAIN_SECONDS = 0.5
"""How soon a worker that has not stopped is told to again."""

STAND_IN = "normal"
"""The level at which a bot plays for a player who resigned."""

SECONDS = Histogram("ludicitude_bot_choice_seconds", "Time that a bot took over a choice, in seconds.", ["game", "level"])

_THINKING = ThreadPoolExecutor(1, thread_name_prefix="bot")
"""Some bots think for tens of milliseconds, and everybody else is served meanwhile. One thinks at a time: several would think no faster
in one process, and whoever serves people would have to wait for each of them in turn."""

log = structlog.get_logger()


async def thought(held: Held, seat: int) -> Any:
    """What a bot chooses for this seat of the match as it is held (see `bot_choice`)."""
    return await asyncio.get_running_loop().run_in_executor(_THINKING, bot_choice, held.game, held.match, seat, held.world)


def bot_choice(game: AnyGame, match: AnyMatch, seat: int, world: World) -> Any:
    """What a bot chooses for this seat, seeing what the seat sees. One that fails chooses the first of its choices."""
    choices = game.choices(match.table, seat)
    level = match.chairs[seat].bot_level or STAND_IN
    try:
        with SECONDS.labels(game.key, level).time():
            choice = game.bots[level](game.view(match.table, seat), seat, choices, world.luck(str(match.decision(seat))))
    except Exception:
        log.exception("bot_failed", match_id=match.match_id, game=game.key, level=level)
        return choices[0]
    if choice not in choices:
        log.error("bot_refused", match_id=match.match_id, game=game.key, level=level)
        return choices[0]
    return choice


class Bots:
    """Plays the bots of every match that this process has moved on; `async with` holds its workers.

    `think_seconds` is how long a bot takes over an open choice. Secret ones are made at once, before people make theirs.
    """

    def __init__(self, matches: Matches, think_seconds: float) -> None:
        self._matches, self._think_seconds = matches, think_seconds
        self._queue: asyncio.Queue[UUID] = asyncio.Queue(QUEUED)
        self._known: set[UUID] = set()
        self._workers: Sequence[asyncio.Task[None]] = ()
        self._stopping = False
        matches.when_moved(self._moved)

    async def __aenter__(self) -> Self:
        self._workers = [asyncio.create_task(self._work()) for _ in range(WORKERS)]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._stopping = True
        working = set(self._workers)
        while working:
            # Asked again and again: what a worker waits for may take a cancellation for itself, and then it goes on.
            for worker in working:
                worker.cancel()
            working = (await asyncio.wait(working, timeout=AGAIN_SECONDS))[1]

    async def take(self, stream: UUID) -> None:
        """Let the bots of this match be played when it is their turn among those of others."""
        self._enqueue(stream)

    async def play(self, stream: UUID) -> None:
        """Let every bot that owes a choice in this match make it."""
        held = await self._matches.held(stream)
        for seat in held.match.bots_owing:
            if not self._stopping:
                await self._choose(held, seat)

    def _moved(self, match: AnyMatch) -> None:
        if not match.bots_owing or self._stopping:
            return
        waiting = GAMES[match.agreed.game].advance(match.table)
        think = 0.0 if isinstance(waiting, Waiting) and waiting.secret else self._think_seconds
        asyncio.get_running_loop().call_later(think, self._enqueue, stream_of(match.match_id))

    def _enqueue(self, stream: UUID) -> None:
        if stream not in self._known and not self._queue.full():
            self._known.add(stream)
            self._queue.put_nowait(stream)

    async def _work(self) -> None:
        while not self._stopping:
            stream = await self._queue.get()
            self._known.discard(stream)
            try:
                await self.play(stream)
            except DELAYING as reason:
                log.warning("bots_delayed", match_id=match_id_of(stream), reason=str(reason))
            except Exception:
                log.exception("bots_stuck", match_id=match_id_of(stream))

    async def _choose(self, held: Held, seat: int) -> None:
        decision = str(held.match.decision(seat))
        command = await thought(held, seat)

        def decide(game: AnyGame, match: AnyMatch, world: World) -> tuple[Entry, ...]:
            return table.choose_as_bot(game, match, seat, command, decision, world)

        try:
            await self._matches.change(held.match.match_id, house_call(), decide)
        except NotNow:  # Somebody was there first: another process, the clock, or the player who came back.
            return
        except Unfit as unfit:
            require_draws_unfit(unfit, held.match.match_id)


def require_draws_unfit(unfit: Unfit, match_id: str) -> None:
    """Note that the match cannot go on, since whoever tests with it has set a draw that does not fit. Raises what is anything else."""
    if unfit.field is not None:
        raise unfit
    _note_draws_unfit(match_id)


@lru_cache(1_000)
def _note_draws_unfit(match_id: str) -> None:
    # Once is enough, however often the house tries.
    log.warning("draws_unfit", match_id=match_id)
