"""Building read models anew: from the whole log, while games go on, once at a time, and never shown before it is there."""

import asyncio
import random
from collections.abc import Sequence
from itertools import count

import pytest
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from service.readmodels import generations
from service.readmodels.checkpoints import Overtaken
from service.readmodels.generations import AlreadyRebuilding, rebuild
from service.readmodels.projection import Projection, Write
from service.readmodels.results import RESULTS, project
from service.readmodels.runner import Runner
from service.readmodels.standings import TOP, Standings
from service.store import Logged
from tests.matches.conftest import Process, StartProcess
from tests.readmodels.played import BOT, caught_up, played
from tests.readmodels.recount import recounted, shown
from tests.store.appends import Session

MATCH_EVENTS = 5
"""What `played` appends for a match of two."""

GENERATIONS = """
SELECT generation, state, (SELECT count(*) FROM standings s WHERE s.generation = c.generation) AS standings,
    (SELECT count(*) FROM match_results r WHERE r.generation = c.generation) AS results
FROM es.checkpoints c WHERE name = 'results' ORDER BY generation
"""


def unheard(_: int) -> None:
    """Progress that nobody looks at."""


async def states(database: Session) -> dict[int, str]:
    return {row["generation"]: row["state"] for row in await database.fetch(GENERATIONS)}


@pytest.mark.parametrize(("matches", "batch"), [(0, 15), (1, 15), (3, 16), (3, 15), (3, 14), (3, 1)])
async def test_a_log_of_any_length_is_built_anew(
    process: Process, engine: AsyncEngine, database: Session, matches: int, batch: int
) -> None:
    """Nothing at all, one match, one event less than a batch, a batch, one more, and many batches."""
    for _ in range(matches):
        await played(process, ["ann", "bob"], [1, 2])
    await caught_up(process.store, engine)
    before, told = await shown(database), list[int]()
    async with asyncio.timeout(60):
        generation = await rebuild(process.store, engine, RESULTS, told.append, batch)
    assert told[-1] == matches * MATCH_EVENTS
    assert await shown(database, generation) == before == await recounted(database)
    [row] = await database.fetch(GENERATIONS)
    assert (row["generation"], row["state"], row["standings"], row["results"]) == (2, "live", len(before), matches)


async def test_games_go_on_and_are_counted_while_a_generation_is_built(
    start_process: StartProcess, engine: AsyncEngine, database: Session
) -> None:
    """With a runner at the old generation, and two matches for each small batch: they would outrun it where it is held up."""
    here, there = await start_process(), await start_process()
    luck, ended, room, matches = random.Random(3), asyncio.Event(), asyncio.Semaphore(0), 0

    async def play(process: Process) -> None:
        nonlocal matches
        while await room.acquire() and not ended.is_set():
            players = luck.sample(["ann", "bob", "eve", BOT], 3)
            await played(process, players, luck.choice([(1, 2, 3), (1, 1, 3), (3, 1, 2)]), game="black-sheep")
            matches += 1

    def go_on(_: int) -> None:
        for _process in (here, there):
            room.release()

    for _ in range(20):
        await played(here, ["ann", "bob"], [1, 2])
    async with Runner(here.store, engine, RESULTS):
        players = [asyncio.create_task(play(process)) for process in (here, there)]
        async with asyncio.timeout(100):
            numbers = [await rebuild(there.store, engine, RESULTS, go_on, batch=25) for _ in range(3)]
        ended.set()
        go_on(0)
        await asyncio.gather(*players)
    await caught_up(here.store, engine)
    assert numbers == [2, 3, 4]
    assert matches > 12, "they go on"
    assert await states(database) == {4: "live"}
    assert await shown(database, 4) == await recounted(database)


class Stopped(BaseException):
    """What an interrupted process dies of."""


async def test_until_it_is_there_the_old_one_is_shown_and_goes_on(process: Process, engine: AsyncEngine, database: Session) -> None:
    await played(process, ["ann", "bob"], [1, 2])
    await caught_up(process.store, engine)
    halfway, go_on = asyncio.Event(), asyncio.Event()

    async def slowly(connection: AsyncConnection, generation: int, items: Sequence[Logged]) -> Sequence[Write]:
        halfway.set()
        await go_on.wait()
        return await project(connection, generation, items)

    building = asyncio.create_task(rebuild(process.store, engine, Projection("results", RESULTS.tables, slowly), unheard))
    await halfway.wait()
    assert await states(database) == {1: "live", 2: "building"}
    await played(process, ["eve", "dan"], [1, 2])
    await caught_up(process.store, engine)
    assert {row.player_id for row in await Standings(engine).page("pico", TOP, 9)} == {"ann", "bob", "eve", "dan"}
    with pytest.raises(AlreadyRebuilding):
        await rebuild(process.store, engine, RESULTS, unheard)
    go_on.set()
    assert await building == 2
    assert await states(database) == {2: "live"}
    assert {row.player_id for row in await Standings(engine).page("pico", TOP, 9)} == {"ann", "bob", "eve", "dan"}
    assert await shown(database, 2) == await recounted(database)


async def test_interrupted_anywhere_it_leaves_what_is_shown_and_can_be_run_again(
    process: Process, engine: AsyncEngine, database: Session
) -> None:
    for _ in range(4):
        await played(process, ["ann", "bob"], [1, 2])
    await caught_up(process.store, engine)
    before = await shown(database)
    for batches in (1, 2, 3):
        told = count(1)

        def interrupt(_: int, told: "count[int]" = told, batches: int = batches) -> None:
            if next(told) == batches:
                raise Stopped

        with pytest.raises(Stopped):
            await rebuild(process.store, engine, RESULTS, interrupt, batch=MATCH_EVENTS)
        assert await shown(database, 1) == before
        assert list((await states(database)).values()) == ["live", "building"]
    generation = await rebuild(process.store, engine, RESULTS, unheard)
    assert await states(database) == {generation: "live"}
    assert await shown(database, generation) == before
    rows = await database.fetchrow("SELECT (SELECT count(*) FROM standings), (SELECT count(*) FROM match_results)")
    assert tuple(rows or ()) == (2, 4)


async def test_a_runner_that_slept_through_the_change_writes_nothing(process: Process, engine: AsyncEngine, database: Session) -> None:
    """It had read its checkpoint before, and comes to write after."""
    await played(process, ["ann", "bob"], [1, 2])
    asleep, awake = asyncio.Event(), asyncio.Event()

    async def slowly(connection: AsyncConnection, generation: int, items: Sequence[Logged]) -> Sequence[Write]:
        asleep.set()
        await awake.wait()
        return await project(connection, generation, items)

    late = asyncio.create_task(caught_up(process.store, engine, Projection("results", RESULTS.tables, slowly)))
    await asleep.wait()
    await rebuild(process.store, engine, RESULTS, unheard)
    awake.set()
    with pytest.raises(Overtaken):
        await late
    assert await states(database) == {2: "live"}
    assert await database.fetchval("SELECT count(*) FROM standings WHERE generation = 1") == 0


async def test_standings_never_go_back_in_time(process: Process, engine: AsyncEngine, database: Session) -> None:
    """What is shown has read further in the moment in which the new generation would take its place."""
    await played(process, ["ann", "bob"], [1, 2])
    moments = count(1)

    async def overtaken_at_first(connection: AsyncConnection, generation: int, items: Sequence[Logged]) -> Sequence[Write]:
        if next(moments) == 1:
            await played(process, ["eve", "dan"], [1, 2])
            await caught_up(process.store, engine)
        return await project(connection, generation, items)

    generation = await rebuild(process.store, engine, Projection("results", RESULTS.tables, overtaken_at_first), unheard)
    assert next(moments) == 3, "it read on before it was shown"
    assert await shown(database, generation) == await recounted(database)


async def test_the_log_is_known_to_be_so_long(process: Process, engine: AsyncEngine) -> None:
    assert await generations.written(engine) == 0
    await played(process, ["ann", "bob"], [1, 2])
    assert await generations.written(engine) == MATCH_EVENTS
