"""Events that cannot be projected: they halt the projection and are never passed over."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine
from structlog.testing import capture_logs

from service.readmodels import runner
from service.readmodels.projection import Projection, Write
from service.readmodels.results import RESULTS, project
from service.readmodels.runner import Runner
from service.store import EventStore, Logged
from service.store.upcasters import UnknownEvent
from tests.matches.conftest import Process
from tests.readmodels.conftest import live, until_right
from tests.readmodels.played import appends, caught_up, played, until
from tests.readmodels.recount import shown
from tests.store.appends import Session, appending


class Poisoned:
    """The projection of the results, which cannot read the event at `version` of a match unless it is cured."""

    def __init__(self, stream: object, version: int) -> None:
        self.stream, self.version, self.cured, self.tried = stream, version, False, 0

    async def project(self, connection: AsyncConnection, generation: int, items: Sequence[Logged]) -> Sequence[Write]:
        if not self.cured and any((item.stream, item.event.version) == (self.stream, self.version) for item in items):
            self.tried += 1
            raise ValueError("poison")
        return await project(connection, generation, items)

    @property
    def projection(self) -> Projection:
        return Projection("results", RESULTS.tables, self.project)


@asynccontextmanager
async def halted_at(store: EventStore, engine: AsyncEngine, poison: Poisoned) -> AsyncIterator[Runner]:
    async with Runner(store, engine, poison.projection) as halting:

        async def halted() -> str | None:
            return halting.halted

        await until(halted)
        yield halting


async def test_an_event_that_cannot_be_projected_halts_the_projection_right_before_it(
    process: Process, engine: AsyncEngine, database: Session, impatient: None
) -> None:
    matches = [appends(["ann", "bob"], [1, 2]) for _ in range(7)]
    for append in [each for match in matches for each in match]:
        await process.store.append(append)
    poison = Poisoned(matches[3][2].stream, matches[3][2].expected + 1)
    with capture_logs() as logs:
        async with halted_at(process.store, engine, poison):
            await played(process, ["eve", "dan"], [1, 2])
            await asyncio.sleep(0.2)
            assert runner.HALTED.labels("results")._value.get() == 1
    [halted] = [line for line in logs if line["event"] == "projection_halted"]
    assert halted["log_level"] == "error"
    assert {key: count.matches for key, count in (await shown(database)).items()} == {("pico", "ann"): 3, ("pico", "bob"): 3}
    assert poison.tried < 20, "it was tried a bounded number of times"
    assert halted["after"] == await live(engine)
    [bad, *_] = (await process.store.read_all((await live(engine)).cursor, 1)).items
    assert (bad.stream, bad.event.version) == (poison.stream, poison.version)


async def test_a_halted_projection_goes_on_when_a_release_that_can_has_passed(
    process: Process, engine: AsyncEngine, database: Session, impatient: None
) -> None:
    """In a rolling deployment an old process meets events that only the new one knows."""
    [append, *others] = appends(["ann", "bob"], [1, 2])
    await process.store.append(append)
    async with halted_at(process.store, engine, Poisoned(append.stream, 1)) as halting:
        for other in others:
            await process.store.append(other)
        await caught_up(process.store, engine)
        await played(process, ["eve", "dan"], [1, 2])
        await until_right(database)
        assert halting.halted is None
    assert len(await shown(database)) == 4


async def test_what_failed_once_is_tried_again(process: Process, engine: AsyncEngine, database: Session, impatient: None) -> None:
    append = appends(["ann", "bob"], [1, 2])[0]
    await process.store.append(append)
    await played(process, ["eve", "dan"], [1, 2])
    poison = Poisoned(append.stream, 1)
    async with Runner(process.store, engine, poison.projection) as failing:

        async def tried() -> int:
            return poison.tried

        await until(tried)
        poison.cured = True
        await until_right(database)
        assert failing.halted is None


async def test_an_event_that_this_release_does_not_know_is_not_passed_over(process: Process, engine: AsyncEngine) -> None:
    await process.store.append(appending(appends(["ann"], [1])[0].stream, 0))
    with pytest.raises(UnknownEvent, match=r"test\.happened"):
        await caught_up(process.store, engine)
