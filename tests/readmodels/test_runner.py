"""Keeping read models up to date: each event once, in its order, whoever runs, dies or comes too late."""

import asyncio
import random
from collections.abc import Sequence
from itertools import count

import pytest
from sqlalchemy import event
from sqlalchemy.ext.asyncio import AsyncEngine
from structlog.testing import capture_logs

from service.readmodels import runner
from service.readmodels.checkpoints import Overtaken
from service.readmodels.projection import advance
from service.readmodels.results import RESULTS
from service.readmodels.runner import Rest, Runner
from service.store import EventStore
from service.store.address import sqlalchemy_engine
from tests.matches.conftest import Process, StartProcess
from tests.readmodels.conftest import live, until_right
from tests.readmodels.played import BOT, appends, caught_up, played, until
from tests.readmodels.recount import recounted, shown
from tests.store.appends import Session, append_within, session
from tests.store.proxy import proxy_to

PLAYERS = ["ann", "bob", "eve", "dan", BOT]


class Killed(BaseException):
    """What ends a process in the middle of anything."""


def any_match(luck: random.Random) -> tuple[Sequence[str | None], Sequence[int]]:
    players = luck.sample(PLAYERS, 2)
    return players, luck.choice([(1, 2), (2, 1), (1, 1)])


async def test_two_runners_count_everything_once_while_many_write(
    start_process: StartProcess, database_url: str, database: Session, impatient: None
) -> None:
    """Twelve writers that commit a moment after they wrote, two runners, and ratings that any slip would change."""
    luck = random.Random(7)

    async def write(matches: int) -> None:
        async with session(database_url) as writer:
            for append in [each for _ in range(matches) for each in appends(*any_match(luck))]:
                async with writer.transaction():
                    await append_within(writer, append)
                    await asyncio.sleep(luck.uniform(0, 0.01))

    engines = [sqlalchemy_engine(database_url) for _ in range(2)]
    processes = [await start_process() for _ in range(2)]
    async with Runner(processes[0].store, engines[0], RESULTS), Runner(processes[1].store, engines[1], RESULTS):
        await asyncio.gather(*(write(15) for _ in range(12)))
        await until_right(database)
    assert sum(count.matches for count in (await shown(database)).values()) > 180
    for engine in engines:
        await engine.dispose()


async def test_of_two_at_the_same_events_one_writes(process: Process, engine: AsyncEngine, database: Session) -> None:
    await played(process, ["ann", "bob"], [1, 2])
    before = await live(engine)

    async def readable() -> bool:
        return bool((await process.store.read_all(before.cursor, 500)).items)

    await until(readable)
    both = await asyncio.gather(*(advance(process.store, engine, RESULTS, before, 500) for _ in range(2)), return_exceptions=True)
    assert [type(answer) for answer in both if isinstance(answer, BaseException)] == [Overtaken]
    with pytest.raises(Overtaken):
        await advance(process.store, engine, RESULTS, before, 500)
    assert await shown(database) == await recounted(database)


async def test_a_runner_killed_between_any_two_steps_leaves_all_or_nothing(process: Process, database_url: str, database: Session) -> None:
    """At each statement of the step, also those of its transaction, and before its commit."""
    engine = sqlalchemy_engine(database_url)
    statements, deadly = count(1), 0

    def step(*_: object) -> None:
        if next(statements) == deadly:
            raise Killed

    event.listen(engine.sync_engine, "before_cursor_execute", step)
    event.listen(engine.sync_engine, "commit", step)
    kills = 0
    for nth in count(1):
        await played(process, ["ann", "bob"], [1, 2])
        before, position = await shown(database), (await live(engine)).cursor
        statements, deadly = count(1), nth
        try:
            await caught_up(process.store, engine)
        except Killed:
            kills, deadly = kills + 1, 0
            moved = (await live(engine)).cursor != position
            assert await shown(database) == (await recounted(database) if moved else before)
            await caught_up(process.store, engine)
        assert await shown(database) == await recounted(database)
        if deadly:
            break
    await engine.dispose()
    assert kills > 6, "the step has more statements than this"


async def test_what_is_read_a_second_time_changes_nothing(process: Process, engine: AsyncEngine, database: Session) -> None:
    """The checkpoint is put back to every place where it was, with batches of every size."""
    luck, places = random.Random(1), [await live(engine)]
    for _ in range(4):
        await played(process, *any_match(luck))
        places.append(await caught_up(process.store, engine, limit=luck.randint(1, 5)))
    before = await shown(database)
    for place in places:
        await database.execute(
            "UPDATE es.checkpoints SET tx_id = $1::text::xid8, position = $2", str(place.cursor.tx), place.cursor.position
        )
        await caught_up(process.store, engine, limit=luck.randint(1, 5))
        assert await shown(database) == before == await recounted(database)


async def test_a_match_is_known_from_one_batch_to_the_next(process: Process, engine: AsyncEngine, database: Session) -> None:
    for append in appends(["ann", "bob"], [1, 2]):
        await process.store.append(append)
        await caught_up(process.store, engine, limit=1)
    assert await shown(database) == await recounted(database) != {}


async def test_a_database_that_is_away_only_delays(process: Process, database_url: str, database: Session, impatient: None) -> None:
    """The task lives on, and catches up when the database is back."""
    async with proxy_to(database_url) as proxy:
        store, engine = await EventStore.connect(proxy.url), sqlalchemy_engine(proxy.url)
        async with Runner(store, engine, RESULTS) as delayed:
            await played(process, ["ann", "bob"], [1, 2])
            await until_right(database)
            with capture_logs() as logs:
                proxy.cut()
                await played(process, ["ann", "bob"], [2, 1])

                async def delayed_it_is() -> bool:
                    return any(line["event"] == "projection_delayed" for line in logs)

                await until(delayed_it_is)
                proxy.down = False
                await until_right(database)
            assert delayed.halted is None
        await store.close()
        await engine.dispose()


async def test_a_runner_that_dies_inside_its_transaction_is_followed_by_another(
    start_process: StartProcess, engine: AsyncEngine, database_url: str, database: Session, impatient: None
) -> None:
    """Its connection is killed while it holds the checkpoint; nobody has to wait for anything but that."""
    process = await start_process()
    await played(process, ["ann", "bob"], [1, 2])
    await caught_up(process.store, engine)
    async with session(database_url) as blocker:
        held = blocker.transaction()
        await held.start()
        await blocker.execute("LOCK TABLE standings IN EXCLUSIVE MODE")
        await played(process, ["ann", "bob"], [1, 2])
        async with Runner(process.store, engine, RESULTS):
            pid = await until(lambda: database.fetchval(WAITING))
            await database.execute("SELECT pg_terminate_backend($1)", pid)
            await held.rollback()
            await until_right(database)


WAITING = """
SELECT pid FROM pg_stat_activity
WHERE wait_event_type = 'Lock' AND datname = current_database() AND application_name = 'ludicitude query'
"""


async def test_a_match_that_this_process_moves_on_wakes_its_runner_at_once(
    process: Process, engine: AsyncEngine, database: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "IDLE", Rest(60, wakes=True))
    async with Runner(process.store, engine, RESULTS) as waiting:
        await asyncio.sleep(0.2)
        process.matches.when_moved(lambda _: waiting.wake())
        await played(process, ["ann", "bob"], [1, 2])
        await until(lambda: shown(database), within=30)


async def test_a_runner_ends_at_once_when_it_is_told_to(process: Process, engine: AsyncEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "IDLE", Rest(60, wakes=True))
    async with asyncio.timeout(30):
        async with Runner(process.store, engine, RESULTS):
            await asyncio.sleep(0.1)


async def test_a_runner_with_nothing_to_read_writes_nothing(
    process: Process, engine: AsyncEngine, database: Session, impatient: None
) -> None:
    """Whoever writes holds up the readers of the log, and fills the disk."""
    await played(process, ["ann", "bob"], [1, 2])
    await caught_up(process.store, engine)
    stamps = "SELECT xmin::text, * FROM es.checkpoints"
    before = await database.fetch(stamps)
    async with Runner(process.store, engine, RESULTS):
        await asyncio.sleep(0.2)
    assert await database.fetch(stamps) == before
