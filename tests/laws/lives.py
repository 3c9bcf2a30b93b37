"""Whole lives of matches, around their game: everybody does anything at any time, also what nobody may and what makes no sense."""

import random
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

from msgspec.structs import replace

from domain.match import lobby, table
from domain.match.events import Clock, Opened
from domain.match.fate import SCHEME
from domain.match.game import AnyGame, Refused
from domain.match.play import Entry, NotNow
from domain.match.state import AnyMatch, Chair, Match, fold
from domain.match.table import NotAllowed, Unfit, World
from tests.laws.matches import tables
from tests.matches.made import NOON, WORLD

LIVES = 80
DEEDS = 120
REMATCHES = 0.3
"""How many of them follow another match."""
PEOPLE = ("ann", "bob", "cid", "dot", "eve")
SEATS = (-(2**63), -3, -1, 0, 1, 2, 3, 7, 8, 2**31, 2**63)
LEVELS = ("easy", "normal", "", "godlike", "\0", "é" * 1000)
ENTROPY = ("", "ab" * 16, "00" * 64)

Deed = Callable[[AnyMatch, World], tuple[Entry, ...]]


class Go(NamedTuple):
    """What one deed did, and the match before and after it."""

    before: AnyMatch
    entries: tuple[Entry, ...]
    after: AnyMatch


def lives(game: AnyGame, many: int = LIVES) -> list[list[Go]]:
    """So many lives of matches of this game, each from its opening on, alike every time."""
    every = tables(game)
    return [_lived(game, random.Random(f"{game.key} {seed}"), every) for seed in range(many)]


def _lived(game: AnyGame, luck: random.Random, every: Sequence[Any]) -> list[Go]:
    at, goes = luck.choice(every), list[Go]()
    terms = _terms(game, luck, at)
    blank: AnyMatch = Match("mat_test")
    if luck.random() < REMATCHES:
        entries = _rematch(game, luck, terms)
    else:
        bots = [luck.choice(("easy", "normal")) for _ in range(luck.choice((0, 0, at.seats // 3)))]
        entries = lobby.open_match(game, "mat_test", terms, luck.random() < 0.8, luck.choice(ENTROPY), bots, WORLD)
    goes.append(Go(blank, entries, fold(game, blank, entries)))
    now = NOON
    for _ in range(DEEDS):
        match = goes[-1].after
        now += timedelta(seconds=luck.choice((0, 1, 20, 100_000)))
        if match.due is not None and luck.random() < 0.1:
            now = max(now, match.due)
        try:
            entries = _deed(game, match, luck)(match, replace(WORLD, now=now))
        except (NotNow, NotAllowed, Unfit, Refused):
            continue
        goes.append(Go(match, entries, fold(game, match, entries)))
    return goes


def _rematch(game: AnyGame, luck: random.Random, terms: Any) -> tuple[Entry, ...]:
    """What follows a match of these terms that ann has played to its end, with others, with bots, or with some who are gone."""
    others = [Chair(player_id=player) for player in PEOPLE[1:]] + [Chair(bot_level="easy")] * 3
    chairs = (Chair(player_id="ann"), *luck.sample(others, terms.seats - 1))
    played: AnyMatch = Match("mat_before", status="ended", terms=terms, chairs=chairs, table=game.initial)
    return lobby.rematch(game, played, "mat_test", "ann", "c0ffee", WORLD, luck.choice(((), ("bob", "cid"))))


def _terms(game: AnyGame, luck: random.Random, at: Any) -> Any:
    clock = Clock(turn_seconds=luck.choice((5, 604_800)), on_timeout=luck.choice(("auto", "bot", "resign")))
    private = luck.random() < 0.5
    return Opened[Any](
        game=game.key,
        ruleset=game.ruleset,
        options=at.options,
        seats=at.seats,
        visibility="private" if private else "public",
        spectators=luck.choice(("none", "public", "delayed")),
        clock=None if private and luck.random() < 0.5 else clock,
        start=luck.choice(("when_full", "by_host")),
        host="ann",
        rematch_of=None,
        kept_for=(),
        scheme=SCHEME,
        commitment="c0ffee",
    )


def _deed(game: AnyGame, match: AnyMatch, luck: random.Random) -> Deed:
    """Anything that anybody may try; mostly something that leads on."""
    who, level = luck.choice(("ann", match.host or "ann", *PEOPLE)), luck.choice(LEVELS)
    seat = luck.choice(SEATS) if luck.random() < 0.4 else luck.randrange(len(match.chairs))
    if match.owed and luck.random() < 0.6:
        return _choice(game, match, luck)
    sit: Deed = lambda now, world: lobby.take_seat(game, now, who, None, luck.choice(ENTROPY), world)  # noqa: E731
    deeds: tuple[Deed, ...] = (
        *(sit, sit, sit, sit),
        lambda now, world: lobby.take_seat(game, now, who, seat, luck.choice(ENTROPY), world),
        lambda now, world: lobby.leave_seat(now, who),
        lambda now, world: lobby.remove_player(now, who, seat),
        lambda now, world: lobby.seat_bot(game, now, who, seat, level, world),
        lambda now, world: lobby.remove_bot(now, who, seat),
        lambda now, world: lobby.start_match(game, now, who, luck.choice((None, level)), world),
        lambda now, world: lobby.close_match(now, who) if luck.random() < 0.1 else lobby.leave_seat(now, who),
        lambda now, world: table.resign(game, now, who),
        lambda now, world: table.come_back(now, who),
        lambda now, world: table.move_clock(now, luck.choice((1, 2_592_000))),
        lambda now, world: table.time_out(game, now, lambda then, owing: game.choices(then.table, owing)[-1], world),
        _choice(game, match, luck) if match.table is not None else lambda now, world: lobby.leave_seat(now, who),
    )
    return luck.choice(deeds)


def _choice(game: AnyGame, match: AnyMatch, luck: random.Random) -> Deed:
    """A choice that some seat has, for itself or for another one, and for the decision it is of or another one."""
    of = luck.choice([owed.seat for owed in match.owed] or [0])
    offered = game.choices(match.table, of) or [choice for seat in range(len(match.chairs)) for choice in game.choices(match.table, seat)]
    command = luck.choice(offered) if offered else None
    seat = of if luck.random() < 0.9 else luck.randrange(len(match.chairs))
    decision = match.decision(seat) if luck.random() < 0.9 else "dec_0_0"
    player = match.chairs[seat].player_id
    if match.chairs[seat].manned:
        return lambda now, world: table.choose(game, now, str(player), command, decision, world)
    return lambda now, world: table.choose_as_bot(game, now, seat, command, str(decision), world)
