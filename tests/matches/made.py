"""Matches of Pico without a store, at any point of their lives."""

from collections.abc import Sequence
from datetime import UTC, datetime
from random import Random
from typing import Any

from msgspec.structs import replace

from domain.games import GAMES
from domain.match import fate, lobby, table
from domain.match.play import Entry, Fate
from domain.match.state import AnyMatch, Match, fold
from domain.match.table import World
from tests.matches.conftest import TERMS

PICO = GAMES["pico"]
KEY = bytes(32)


NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)


def fate_of(entropy: Sequence[str]) -> Fate:
    return fate.fate(fate.match_key("mat_test", KEY, entropy))


def seal_of(entropy: Sequence[str], version: int, seat: int, command: Any) -> str:
    return fate.seal("mat_test", fate.match_key("mat_test", KEY, entropy), version, seat, command)


WORLD = World(NOON, fate_of, seal_of, Random)


def opened(sit: bool = True, bots: Sequence[str] = (), **changes: Any) -> AnyMatch:
    return after(Match("mat_test"), lobby.open_match(PICO, "mat_test", replace(TERMS, **changes), sit, "", bots, WORLD))


def after(match: AnyMatch, entries: tuple[Entry, ...]) -> AnyMatch:
    return fold(PICO, match, entries)


def sit(match: AnyMatch, player: str, seat: int | None = None, entropy: str = "") -> AnyMatch:
    return after(match, lobby.take_seat(PICO, match, player, seat, entropy, WORLD))


def choose(match: AnyMatch, player: str, choice: int = 0, decision: str | None = None) -> AnyMatch:
    seat = match.seat_of(player)
    assert seat is not None
    command = PICO.choices(match.table, seat)[choice]
    return after(match, table.choose(PICO, match, player, command, decision, WORLD))


def playing() -> AnyMatch:
    return sit(opened(), "bob")


def finished() -> AnyMatch:
    match = playing()
    while match.status == "playing":
        match = choose(match, str(match.chairs[match.owed[0].seat].player_id))
    return match
