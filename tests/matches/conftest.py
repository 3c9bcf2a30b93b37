"""Processes of the service without their HTTP: each has its own store, its own cache and its own listeners."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any, NamedTuple
from uuid import uuid4

import pytest

from domain.games import GAMES
from domain.match import lobby
from domain.match.events import Opened
from domain.match.fate import SCHEME
from domain.match.game import AnyGame
from domain.match.lobby import FateOf
from domain.match.play import Entry
from domain.match.state import AnyMatch
from service.live.watch import Watch
from service.matches import Call, Changed, Matches
from service.store import EventStore

PICO = GAMES["pico"]


class Process(NamedTuple):
    """One process of the service on the test's database."""

    store: EventStore
    watch: Watch
    matches: Matches

    async def open(self, player: str = "ann", call: Call | None = None, **changes: Any) -> Changed:
        def terms(commitment: str) -> Opened[Any]:
            agreed = {"seats": 2, "visibility": "public", "spectators": "public", "start": "when_full", **changes}
            return Opened[Any](PICO.key, PICO.ruleset, PICO.options(), host=player, scheme=SCHEME, commitment=commitment, **agreed)

        return await self.matches.open(call or new_call(player), terms, True, "")

    async def sit(self, match_id: str, player: str, call: Call | None = None) -> Changed:
        def decide(game: AnyGame, match: AnyMatch, fate_of: FateOf) -> tuple[Entry, ...]:
            return lobby.take_seat(game, match, player, None, "", fate_of)

        return await self.matches.change(match_id, call or new_call(player), decide)

    async def choose(self, match_id: str, player: str, card: int, call: Call | None = None, decision: str | None = None) -> Changed:
        def decide(game: AnyGame, match: AnyMatch, fate_of: FateOf) -> tuple[Entry, ...]:
            return lobby.choose(game, match, player, game.command(card), decision, fate_of)

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
            watch = await running.enter_async_context(Watch(store))
            return Process(store, watch, Matches(store, watch))

        yield start


@pytest.fixture
async def process(start_process: StartProcess) -> Process:
    return await start_process()
