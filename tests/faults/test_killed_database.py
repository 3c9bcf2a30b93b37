"""The database is killed in a storm of appends: what was acknowledged is there, and every stream is whole."""

import asyncio
import os
import signal
from contextlib import suppress
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from service.embedded import EmbeddedPostgres
from service.migrate import migrate
from service.store import EventStore, StoreAway
from tests.faults.processes import family
from tests.store.appends import appending, session

WRITERS = 24
ACKNOWLEDGED_FIRST = 400

on_linux = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="Which processes are PostgreSQL's is told by /proc.")


@on_linux
async def test_a_database_killed_in_a_storm_of_appends_opens_clean_with_all_that_was_acknowledged(server_folder: Path) -> None:
    """All of its processes are killed at once, so that none of them writes down what it still had in mind."""
    acknowledged = dict.fromkeys((uuid4() for _ in range(WRITERS)), 0)
    with EmbeddedPostgres(server_folder / "postgres") as postgres:
        await migrate(postgres.url())
        store, stormy = await EventStore.connect(postgres.url()), asyncio.Event()

        async def write(stream: UUID) -> None:
            while True:
                acknowledged[stream] = (await store.append(appending(stream, acknowledged[stream]))).last
                if sum(acknowledged.values()) > ACKNOWLEDGED_FIRST:
                    stormy.set()

        writing = [asyncio.create_task(write(stream)) for stream in acknowledged]
        await stormy.wait()
        for pid in family(postgres.pid):
            os.kill(pid, signal.SIGKILL)
        done = await asyncio.gather(*writing, return_exceptions=True)
        with suppress(StoreAway, OSError):
            await store.close()
    assert {type(each) for each in done} == {StoreAway}
    with EmbeddedPostgres(server_folder / "postgres") as postgres:
        async with session(postgres.url()) as reader:
            rows = await reader.fetch("SELECT stream_id, array_agg(version ORDER BY version) AS versions FROM es.events GROUP BY 1")
            heads = {row["stream_id"]: row["version"] for row in await reader.fetch("SELECT stream_id, version FROM es.streams")}
    for stream, versions in rows:
        assert versions == [*range(1, heads[stream] + 1)], "a stream has a gap"
        assert len(versions) in (acknowledged[stream], acknowledged[stream] + 1), "the last one may have been stored and not told"
    assert {row["stream_id"] for row in rows} == acknowledged.keys()
