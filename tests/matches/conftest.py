"""Processes of the service without their HTTP: each has its own store, its own cache and its own listeners."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from typing import Any, NamedTuple
from uuid import uuid4

import pytest
from msgspec.structs import replace

from domain.games import GAMES
from domain.match import lobby, table
from domain.match.events import Clock, Opened
from domain.match.fate import SCHEME
from domain.match.game import AnyGame
from domain.match.play import Entry
from domain.match.state import AnyMatch
from domain.match.table import World
from service.calls import Call
from service.live.watch import Watch
from service.matches import Changed, Matches
from service.store import EventStore

PICO = GAMES["pico"]

TERMS = Opened[Any](
    game="pico",
    ruleset=PICO.ruleset,
    options=PICO.options(),
    seats=2,
    visibility="public",
    spectators="public",
    clock=Clock(),
    start="when_full",
    host="ann",
    rematch_of=None,
    kept_for=(),
    scheme=SCHEME,
    commitment="c0ffee",
)
"""The terms of a match of Pico where a test says nothing else."""


class Process(NamedTuple):
    """One process of the service on the test's database."""

    store: EventStore
    watch: Watch
    matches: Matches

    async def open(
        self, player: str = "ann", call: Call | None = None, bots: Sequence[str] = (), sit: bool = True, **changes: Any
    ) -> Changed:
        def decide(match_id: str, commitment: str, world: World) -> tuple[Entry, ...]:
            terms = replace(TERMS, host=player, commitment=commitment, **changes)
            return lobby.open_match(PICO, match_id, terms, sit, "", bots, world)

        return await self.matches.open(call or new_call(player), PICO, decide)

    async def sit(self, match_id: str, player: str, call: Call | None = None) -> Changed:
        def decide(game: AnyGame, match: AnyMatch, world: World) -> tuple[Entry, ...]:
            return lobby.take_seat(game, match, player, None, "", world)

        return await self.matches.change(match_id, call or new_call(player), decide)

    async def choose(self, match_id: str, player: str, card: int, call: Call | None = None, decision: str | None = None) -> Changed:
        def decide(game: AnyGame, match: AnyMatch, world: World) -> tuple[Entry, ...]:
            return table.choose(game, match, player, game.command(card), decision, world)

        return await self.matches.change(match_id, call or new_call(player), decide)

    async def begun(self) -> AnyMatch:
        """A match of ann and bob that has just begun."""
        opened = await self.open("ann")
        return (await self.sit(opened.match.match_id, "bob")).match


def new_call(player: str, *, keyed: bool = False, asked: bytes = b"the same", expected: int | None = None) -> Call:
    return Call(uuid4(), asked, keyed, player, expected)


def hand(match: AnyMatch, player: str) -> tuple[int, ...]:
    """The cards that this player can commit now."""
    seat = match.seat_of(player)
    assert seat is not None
    return tuple(command.card for command in PICO.choices(match.table, seat))


StartProcess = Callable[[], Awaitable[Process]]


@pytest.fixture
async def start_process(database_url: str) -> AsyncIterator[StartProcess]:
    async with AsyncExitStack() as running:

        async def start() -> Process:
            store = await EventStore.connect(database_url)
            running.push_async_callback(store.close)
            watch = await running.enter_async_context(Watch(store.versions))
            return Process(store, watch, Matches(store, watch))

        yield start


@pytest.fixture
async def process(start_process: StartProcess) -> Process:
    return await start_process()
