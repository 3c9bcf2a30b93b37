"""What was set out to be reached, and whether it was: a goal counts as met only where a quarter of the cycles at most was below it."""

from collections.abc import Callable, Mapping, Sequence
from statistics import median, quantiles
from typing import Literal, TypeAlias

import msgspec

Cycle: TypeAlias = Mapping[str, float]
"""What one cycle measured: each item's rate as a share of the reference beside it, and some figures of their own."""

Verdict: TypeAlias = Literal["met", "undecided", "not met", "not judged"]
SWING_MAX = 3.0
"""A reference that varied more than this within a cycle says that the machine had other things to do."""


class Goal(msgspec.Struct, frozen=True):
    """A figure of each cycle, and what it should be at least (or at most)."""

    key: str
    what: str
    of: Callable[[Cycle], float]
    goal: float
    at_most: bool = False


class Judged(msgspec.Struct, frozen=True):
    """A goal, what came of it, and its quartiles over all cycles (none where it was not measured)."""

    key: str
    what: str
    goal: str
    quartiles: tuple[float, float, float] | None
    verdict: Verdict


def quotient(of: str, by: str) -> Callable[[Cycle], float]:
    """How many times as much one item does as another in the same cycle."""
    return lambda cycle: cycle[of] / cycle[by]


GOALS = (
    Goal("G1", "commands / pgbench inserting one event a transaction", lambda cycle: cycle["commands"], 0.80),
    Goal("G2", "commands (two events on average) / pgbench inserting two", quotient("commands", "pgbench two events"), 0.75),
    Goal("G3", "commands / pgbench playing a textbook command", quotient("commands", "pgbench textbook command"), 2.5),
    Goal("G4", "commands / the naive twin's", quotient("commands", "naive twin"), 5.0),
    Goal("G5", "commands / writes of `eventsourcing`, in process", quotient("commands", "eventsourcing"), 12.0),
    Goal("G6", "durable commands / moves of boardgame.io in memory", quotient("commands", "boardgame.io in memory"), 2.0),
    Goal("G7", "commands / moves of boardgame.io with bgio-postgres", quotient("commands", "boardgame.io bgio-postgres"), 30.0),
    Goal("G9", "commands / requests of fastify and pg, one insert each", quotient("commands", "fastify and pg"), 1.5),
    Goal("G10", "p50 of a command at 1 connection / pgbench's latency at 1 client", lambda cycle: cycle["latency at 1"], 2.5, at_most=True),
    Goal("G11", "p99 / p50 of commands at 64 connections", lambda cycle: cycle["p99 / p50"], 3.0, at_most=True),
    Goal("workers", "commands of two processes / of one", quotient("commands of two", "commands"), 1.3),
)


def judged(goal: Goal, cycles: Sequence[Cycle]) -> Judged:
    """What came of a goal. It is not judged where a peer is missing."""
    wanted = f"{'<=' if goal.at_most else '>='} {goal.goal:g}"
    values = []
    for cycle in cycles:
        try:
            values.append(goal.of(cycle))
        except KeyError:
            return Judged(goal.key, goal.what, wanted, None, "not judged")
    low, high = quartiles(values)
    good, bad = (high <= goal.goal, low > goal.goal) if goal.at_most else (low >= goal.goal, high < goal.goal)
    swung = max(cycle["reference swing"] for cycle in cycles) > SWING_MAX
    verdict: Verdict = "undecided" if swung or not (good or bad) else "met" if good else "not met"
    return Judged(goal.key, goal.what, wanted, (low, median(values), high), verdict)


def quartiles(values: Sequence[float]) -> tuple[float, float]:
    """The lower and the upper quartile."""
    if len(values) < 2:
        return values[0], values[0]
    low, _, high = quantiles(values, n=4, method="inclusive")
    return low, high
