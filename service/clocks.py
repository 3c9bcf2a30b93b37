"""The clocks of the matches: what happens when a seat lets its time pass, or nobody touches a match for long."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from msgspec.structs import replace
from prometheus_client import Histogram

from domain.match import table
from domain.match.game import AnyGame
from domain.match.play import Entry, NotNow
from domain.match.state import AnyMatch, decision_id
from domain.match.table import Unfit, World
from service.bots import bot_choice, require_draws_unfit, thought
from service.calls import house_call
from service.held import Held, match_id_of
from service.matches import Matches

LATENESS = Histogram("ludicitude_deadline_late_seconds", "How late the clock of a match acted, in seconds.")

SKEW = timedelta(seconds=2)
"""How far the clocks of this process and of the database may differ; the database says when a match is due."""


async def time_out(matches: Matches, stream: UUID) -> None:
    """Let the clock of this match act, which the database finds due. A player or another process may be there first."""
    thoughts = await _thoughts(await matches.held(stream))
    due: datetime | None = None

    def decide(game: AnyGame, match: AnyMatch, world: World) -> tuple[Entry, ...]:
        nonlocal due
        due = match.due
        if match.due is not None and match.due - world.now < SKEW:
            world = replace(world, now=max(world.now, match.due))

        def bot(now: AnyMatch, seat: int) -> Any:
            known = thoughts.get(str(now.decision(seat)))
            return bot_choice(game, now, seat, world) if known is None else known

        return table.time_out(game, match, bot, world)

    try:
        changed = await matches.change(match_id_of(stream), house_call(), decide)
    except NotNow:
        return
    except Unfit as unfit:
        require_draws_unfit(unfit, match_id_of(stream))
        return
    if due is not None:
        LATENESS.observe((changed.records[0].at - due).total_seconds())


async def _thoughts(held: Held) -> dict[str, Any]:
    """What bots choose for those who are late, by decision, where the clock lets bots choose."""
    clock = held.match.agreed.clock
    if clock is None or clock.on_timeout == "auto":
        return {}
    return {decision_id(owed): await thought(held, owed.seat) for owed in held.match.owed}
