"""Several processes of the service on one database: each may be killed, the database may go away, and nothing is lost or doubled."""

import asyncio
import signal
import statistics
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path

import asyncpg
import httpx
import pytest

from service.embedded import EmbeddedPostgres
from tests.conftest import THROW_AWAY
from tests.faults.crowd import PATIENCE_SECONDS, TERMS, Crowd
from tests.faults.served import Served, served

PROCESSES = 3


@pytest.fixture
def postgres(server_folder: Path) -> Iterator[EmbeddedPostgres]:
    """A server of the test's own, which it may stop."""
    with EmbeddedPostgres(server_folder / "postgres", settings=THROW_AWAY) as server:
        yield server


class Fleet:
    """The processes, and the addresses at which they answer now."""

    def __init__(self, url: str, folder: Path, running: ExitStack) -> None:
        self._url, self._folder, self._running = url, folder, running
        self.processes: list[Served] = []
        self.addresses: list[str] = []

    async def start(self) -> None:
        """One process more."""
        settings = {"DATABASE_URL": self._url, "LUDICITUDE_TEST_MODE": "on", "LUDICITUDE_LOG_LEVEL": "warning"}
        started = await asyncio.to_thread(lambda: self._running.enter_context(served(self._folder, **settings)))
        self.processes.append(started)
        self.addresses.append(started.address)

    async def replace(self, number: int) -> None:
        """Kill one of the processes in the midst of whatever it does, and start another."""
        self.addresses.pop(number)
        self.processes.pop(number).process.send_signal(signal.SIGKILL)
        await self.start()


@asynccontextmanager
async def fleet(postgres: EmbeddedPostgres, folder: Path) -> AsyncIterator[Fleet]:
    with ExitStack() as running:
        started = Fleet(postgres.url(), folder, running)
        await asyncio.gather(*(started.start() for _ in range(PROCESSES)))
        try:
            yield started
        finally:
            errors = (folder / "errors").read_text()
            assert "[error" not in errors, errors


@asynccontextmanager
async def playing(fleet: Fleet) -> AsyncIterator[Crowd]:
    """A crowd that plays until the end of the block, then ends its matches, and has everything checked."""
    crowd = Crowd(fleet.addresses)
    people = [asyncio.create_task(crowd.play_pairs(terms)) for terms in TERMS] + [asyncio.create_task(crowd.idle())]
    try:
        yield crowd
        for person in people:
            assert not person.done() or person.exception() is None, person.exception()
        crowd.closing = True
        await asyncio.wait_for(asyncio.gather(*people), 2 * PATIENCE_SECONDS)
        await crowd.check()
        print(dict(crowd.counts))
    finally:
        for person in people:
            person.cancel()
        await asyncio.gather(*people, return_exceptions=True)
        await crowd.close()


async def killed_in_turn(postgres: EmbeddedPostgres, folder: Path, times: int) -> Crowd:
    async with fleet(postgres, folder) as running, playing(running) as crowd:
        for _ in range(times):
            await asyncio.sleep(crowd.luck.uniform(0.1, 1))
            await running.replace(crowd.luck.randrange(PROCESSES))
    assert crowd.counts["timeouts fired"] == crowd.counts["deadlines"] > 0
    assert crowd.counts["commands"] > 0
    return crowd


async def test_killed_processes_lose_nothing_and_nobody_is_stuck(postgres: EmbeddedPostgres, server_folder: Path) -> None:
    crowd = await killed_in_turn(postgres, server_folder, times=3)
    assert crowd.counts["resumed streams"] > 0


@pytest.mark.soak
@pytest.mark.timeout(1800)
async def test_a_hundred_killed_processes_lose_nothing(postgres: EmbeddedPostgres, server_folder: Path) -> None:
    await killed_in_turn(postgres, server_folder, times=100)


async def without_a_database(postgres: EmbeddedPostgres, folder: Path, seconds: float) -> None:
    async with fleet(postgres, folder) as running, playing(running) as crowd:
        await asyncio.sleep(1)
        match_id, before = crowd.streams[0].match_id, crowd.counts["commands"]
        token = await crowd.join()
        await asyncio.to_thread(postgres.stop)
        ends = time.monotonic() + seconds
        async with httpx.AsyncClient(timeout=10) as client:
            while time.monotonic() < ends:
                for path in (f"/v1/matches/{match_id}", f"/v1/matches/{match_id}/events"):
                    for headers in ({}, {"Authorization": f"Bearer {token}"}):
                        began = time.monotonic()
                        answer = await client.get(crowd.anywhere() + path, headers=headers)
                        assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
                        assert int(answer.headers["Retry-After"]) > 0
                        assert time.monotonic() - began < 2
                        crowd.counts["told that the database is away"] += 1
                assert (await client.get(f"{crowd.anywhere()}/v1/live")).status_code == 200
        await asyncio.to_thread(postgres.start)
        gives_up = time.monotonic() + PATIENCE_SECONDS
        while crowd.counts["commands"] < before + 20:
            assert time.monotonic() < gives_up, "they do not play on"
            await asyncio.sleep(0.05)
    assert crowd.counts["timeouts fired"] == crowd.counts["deadlines"] > 0


async def test_without_a_database_they_say_so_and_play_on_when_it_is_back(postgres: EmbeddedPostgres, server_folder: Path) -> None:
    await without_a_database(postgres, server_folder, seconds=3)


@pytest.mark.soak
@pytest.mark.timeout(300)
async def test_half_a_minute_without_a_database(postgres: EmbeddedPostgres, server_folder: Path) -> None:
    await without_a_database(postgres, server_folder, seconds=30)


async def test_a_match_that_is_locked_holds_up_no_other(postgres: EmbeddedPostgres, server_folder: Path) -> None:
    async with fleet(postgres, server_folder) as running:
        crowd = Crowd(running.addresses)
        pair = [await crowd.join(), await crowd.join()]
        locked, free = [await crowd.open(pair[0], TERMS[0], pair[1]) for _ in range(2)]
        blocker = await asyncpg.connect(postgres.url())
        async with blocker.transaction():
            await blocker.execute("SELECT FROM es.streams WHERE stream_id = $1 FOR UPDATE", locked.removeprefix("mat_"))
            held_up = [asyncio.create_task(commit(crowd, locked, token)) for token in pair]
            took = []
            for _ in range(4):
                began = time.monotonic()
                await asyncio.gather(*(commit(crowd, free, token) for token in pair))
                took.append(time.monotonic() - began)
            assert not any(task.done() for task in held_up)
        await asyncio.gather(*held_up)
        await blocker.close()
        await crowd.close()
        print(f"{statistics.median(took) * 1000:.0f} ms for two choices beside a locked match")
        assert statistics.median(took) < 0.5


async def commit(crowd: Crowd, match_id: str, token: str) -> None:
    view = (await crowd.call("GET", f"/v1/matches/{match_id}", token)).json()
    for decision in view["decisions"]:
        choice = {"command": decision["choices"][0], "decision": decision["decision"]}
        assert (await crowd.call("POST", f"/v1/matches/{match_id}/commands", token, choice)).status_code == 200
