"""Matches that live through everything a match can live through, on a process of the service."""

import random
from collections.abc import Callable
from typing import Any

import msgspec

from domain.games import GAMES
from domain.match import lobby, table
from domain.match.events import Clock, DrawsFixed
from domain.match.game import AnyGame
from domain.match.play import Entry
from domain.match.state import AnyMatch
from domain.match.table import World
from tests.matches.conftest import TERMS, Process, new_call

Deed = Callable[[AnyGame, AnyMatch, World], tuple[Entry, ...]]


async def opened(process: Process, game: AnyGame, seats: int, bots: int = 0, fixed: DrawsFixed | None = None, **terms: Any) -> AnyMatch:
    """A match that player 0 opens, with bots on the next seats."""
    options = game.options()
    if "rounds_max" in game.options.__struct_fields__:
        options = msgspec.structs.replace(options, rounds_max=5)
    agreed: Any = msgspec.structs.replace(
        TERMS, game=game.key, ruleset=game.ruleset, options=options, seats=seats, host="player 0", **terms
    )

    def decide(match_id: str, commitment: str, world: World) -> tuple[Entry, ...]:
        opening = msgspec.structs.replace(agreed, commitment=commitment)
        return lobby.open_match(game, match_id, opening, True, "ab" * 16, ["easy"] * bots, world, fixed)

    return (await process.matches.open(new_call("player 0"), game, decide)).match


async def done(process: Process, match: AnyMatch, deed: Deed, player: str = "") -> AnyMatch:
    return (await process.matches.change(match.match_id, new_call(player), deed)).match


async def filled(process: Process, match: AnyMatch) -> AnyMatch:
    for seat, chair in enumerate(match.chairs):
        if chair.open:
            name = f"player {seat}"
            match = await done(process, match, lambda game, now, world, name=name: lobby.take_seat(game, now, name, None, "", world), name)  # type: ignore[misc]
    return match


async def chosen(process: Process, match: AnyMatch, luck: random.Random) -> AnyMatch:
    """One of the seats that owe a choice makes one."""
    seat = luck.choice(match.owed).seat
    command, decision = luck.choice(GAMES[match.agreed.game].choices(match.table, seat)), match.decision(seat)

    def choose(game: AnyGame, now: AnyMatch, world: World) -> tuple[Entry, ...]:
        if now.chairs[seat].manned:
            return table.choose(game, now, f"player {seat}", command, decision, world)
        return table.choose_as_bot(game, now, seat, command, str(decision), world)

    return await done(process, match, choose, f"player {seat}")


async def timed_out(process: Process, match: AnyMatch) -> AnyMatch:
    """The clock is put forward until it is due, and acts."""
    match = await done(process, match, lambda _, now, world: table.move_clock(now, 86_400 * 365))
    return await done(
        process, match, lambda game, now, world: table.time_out(game, now, lambda then, seat: game.choices(then.table, seat)[-1], world)
    )


async def to_the_end(process: Process, match: AnyMatch, luck: random.Random, most: int = 10_000) -> AnyMatch:
    for _ in range(most):
        if match.status == "ended":
            break
        match = await chosen(process, match, luck)
    return match


async def every_life(process: Process) -> list[AnyMatch]:
    """One match or more of each kind, of all games: played out, left, returned to, silent, closed, expired, and in the middle."""
    luck, lives = random.Random(7), list[AnyMatch]()
    for game in GAMES.values():
        seats = max(min(game.seats), min(3, max(game.seats)))
        match = await filled(process, await opened(process, game, seats, bots=1 if seats > 2 else 0))
        match = await to_the_end(process, match, luck, most=4)
        if match.status == "playing":
            match = await done(process, match, lambda room, now, _: table.resign(room, now, "player 0"), "player 0")
        if match.status == "playing":
            match = await to_the_end(process, match, luck, most=3)
            match = await done(process, match, lambda room, now, world: lobby.take_seat(room, now, "player 0", None, "", world), "player 0")
        lives.append(await to_the_end(process, match, luck))
        for on_timeout in ("auto", "bot", "resign"):
            late = await filled(process, await opened(process, game, seats, clock=Clock(on_timeout=on_timeout)))
            late = await to_the_end(process, late, luck, most=2)
            for _ in range(2):
                late = late if late.status == "ended" else await timed_out(process, late)
            lives.append(late)
    return [*lives, *await odd_lives(process, luck)]


async def odd_lives(process: Process, luck: random.Random) -> list[AnyMatch]:
    pico, train = GAMES["pico"], GAMES["little-train"]
    closed = await opened(process, pico, 2)
    closed = await done(process, closed, lambda _, now, __: lobby.close_match(now, "player 0"), "player 0")
    left = await opened(process, pico, 2)
    left = await done(process, left, lambda _, now, __: lobby.leave_seat(now, "player 0"), "player 0")
    expired = await timed_out(process, await opened(process, pico, 2))
    abandoned = await timed_out(process, await filled(process, await opened(process, pico, 2, clock=None, visibility="private")))
    stopped = await filled(process, await opened(process, GAMES["schemers"], 3))
    stopped = await to_the_end(process, stopped, luck, most=2)
    stopped = await done(process, stopped, lambda _, now, __: table.stop(now))
    hosted = await opened(process, train, 3, start="by_host")
    hosted = await done(process, hosted, lambda game, now, world: lobby.take_seat(game, now, "guest", None, "", world), "guest")
    hosted = await done(process, hosted, lambda _, now, __: lobby.remove_player(now, "player 0", 1), "player 0")
    hosted = await done(process, hosted, lambda game, now, world: lobby.seat_bot(game, now, "player 0", 1, "easy", world), "player 0")
    hosted = await done(process, hosted, lambda _, now, __: lobby.remove_bot(now, "player 0", 1), "player 0")
    hosted = await done(process, hosted, lambda game, now, world: lobby.start_match(game, now, "player 0", "easy", world), "player 0")
    fixed = await filled(process, await opened(process, pico, 2, fixed=DrawsFixed(((16, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4),))))
    fixed = await to_the_end(process, fixed, luck)
    seeded = await filled(process, await opened(process, train, 2, bots=1, fixed=DrawsFixed(((1, 2, 3, 4, 5),), "ab" * 32)))
    seeded = await to_the_end(process, seeded, luck)

    def again(match_id: str, commitment: str, world: World) -> tuple[Entry, ...]:
        return lobby.rematch(pico, fixed, match_id, "player 1", commitment, world)

    declined = (await process.matches.open(new_call("player 1"), pico, again)).match
    declined = await done(process, declined, lambda _, now, __: lobby.leave_seat(now, "player 0"), "player 0")
    follows = (await process.matches.open(new_call("player 1"), pico, again)).match
    follows = await done(process, follows, lambda game, now, world: lobby.take_seat(game, now, "player 0", None, "", world), "player 0")

    def once_more(match_id: str, commitment: str, world: World) -> tuple[Entry, ...]:
        return lobby.rematch(GAMES["schemers"], stopped, match_id, "player 2", commitment, world)

    awaited = (await process.matches.open(new_call("player 2"), GAMES["schemers"], once_more)).match
    awaited = await done(process, awaited, lambda _, now, __: lobby.leave_seat(now, "player 0"), "player 0")
    rematches = [declined, follows, awaited]
    return [closed, left, expired, abandoned, stopped, hosted, fixed, seeded, *rematches, await opened(process, pico, 2)]
