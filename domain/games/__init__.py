"""Every game of the house. A new game is one folder beside this file and one import line in it."""
# ruff: noqa: F401 - the imported records are gathered below.

from collections.abc import Mapping
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeAlias

from domain.games.black_sheep import GAME as BLACK_SHEEP
from domain.games.little_train import GAME as LITTLE_TRAIN
from domain.games.pico import GAME as PICO
from domain.games.schemers import GAME as SCHEMERS
from domain.games.wolves import GAME as WOLVES
from domain.match.events import log_events
from domain.match.game import AnyGame, Game

GAMES: Mapping[str, AnyGame] = {game.key: game for game in list(globals().values()) if isinstance(game, Game)}
"""The only list of games, by key."""

if TYPE_CHECKING:
    AnyOptions: TypeAlias = Any
    AnyCommand: TypeAlias = Any
    AnyEvent: TypeAlias = Any
    AnyView: TypeAlias = Any
else:
    AnyOptions, AnyCommand, _AnyGameEvent, AnyView = (
        reduce(lambda union, member: union | member, members)
        for members in zip(*((game.options, game.command, game.event, game.view_type) for game in GAMES.values()), strict=True)
    )
    AnyEvent = log_events(AnyOptions, _AnyGameEvent)
