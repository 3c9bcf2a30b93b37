"""Several processes of the service on one database, and people who play at them."""

import asyncio
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path

from service.embedded import EmbeddedPostgres
from tests.faults.crowd import PATIENCE_SECONDS, TERMS, Crowd
from tests.faults.served import Served, served

PROCESSES = 3


class Fleet:
    """The processes, and the addresses at which they answer now."""

    def __init__(self, url: str, folder: Path, running: ExitStack) -> None:
        self._url, self._folder, self._running = url, folder, running
        self.processes: list[Served] = []
        self.addresses: list[str] = []

    async def start(self, place: Path | None = None) -> None:
        """One process more, of the release in the folder `place` where it is not this one."""
        settings = {"DATABASE_URL": self._url, "LUDICITUDE_TEST_MODE": "on", "LUDICITUDE_LOG_LEVEL": "warning"}
        started = await asyncio.to_thread(lambda: self._running.enter_context(served(self._folder, place, patient=False, **settings)))
        self.processes.append(started)
        self.addresses.append(started.address)

    async def replace(self, number: int) -> None:
        """Kill one of the processes in the midst of whatever it does, and start another."""
        self.leave(number, signal.SIGKILL)
        await self.start()

    def leave(self, number: int, how: signal.Signals) -> Served:
        """Tell nobody of this process any more, and send it a signal."""
        self.addresses.pop(number)
        gone = self.processes.pop(number)
        gone.process.send_signal(how)
        return gone


@asynccontextmanager
async def fleet(postgres: EmbeddedPostgres, folder: Path, processes: int = PROCESSES, fine: Sequence[str] = ()) -> AsyncIterator[Fleet]:
    """So many processes, which have logged no error at the end but for those whose events are `fine`."""
    with ExitStack() as running:
        started = Fleet(postgres.url(), folder, running)
        await asyncio.gather(*(started.start() for _ in range(processes)))
        try:
            yield started
        finally:
            said = (folder / "errors").read_text().splitlines()
            assert [line for line in said if "[error" in line and not any(event in line for event in fine)] == []


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
