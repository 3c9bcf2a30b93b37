"""A release that writes an event in a new form takes over from the one before, one process after the other, while people play."""

import asyncio
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest

from service.embedded import EmbeddedPostgres
from tests.faults.crowd import PATIENCE_SECONDS, Crowd
from tests.faults.fleet import fleet, playing
from tests.service.overheard import Overheard

ROOT = Path(__file__).parents[2]
PARTS = ("domain", "service", "migrations", "openapi", "docs")
HELD_BACK = ("projection_halted",)
"""What the release before says of events that it cannot read, and rightly."""

CHANGES = {
    "domain/games/pico/events.py": (
        'card: Annotated[Card | None, msgspec.Meta(description="The card; null for everyone but the player who laid it.")]',
        'card: Annotated[Card | None, msgspec.Meta(description="The card.")] = msgspec.field(name="laid")',
    ),
    "service/store/upcasters.py": (
        "STEPS: Steps = {}",
        'STEPS: Steps = {("pico.card_committed", 1): lambda fields: {"seat": fields["seat"], "laid": fields["card"]}}',
    ),
}
"""The next release stores the card of a commit under another name, and knows what it was called before."""


@pytest.fixture
def deaf(overheard: Overheard) -> Iterator[None]:
    """The next release has a document of its own, in which the card has its new name."""
    with overheard.deaf():
        yield


@pytest.fixture
def next_release(server_folder: Path) -> Path:
    place = server_folder / "next"
    for part in PARTS:
        shutil.copytree(ROOT / part, place / part, ignore=shutil.ignore_patterns("__pycache__"))
    for name, (before, after) in CHANGES.items():
        text = (place / name).read_text()
        assert text.count(before) == 1
        (place / name).write_text(text.replace(before, after))
    return place


async def plays_on(crowd: Crowd, commands: int) -> None:
    enough, gives_up = crowd.counts["commands"] + commands, time.monotonic() + PATIENCE_SECONDS
    while crowd.counts["commands"] < enough:
        assert time.monotonic() < gives_up, "they do not play on"
        await asyncio.sleep(0.05)


@pytest.mark.usefixtures("deaf")
@pytest.mark.timeout(400)
async def test_a_release_takes_over_process_by_process_and_nothing_is_lost(
    postgres: EmbeddedPostgres, server_folder: Path, next_release: Path
) -> None:
    """Both releases serve for a while. What the older one cannot read it says so, changes nothing, and the newer one is asked."""
    async with fleet(postgres, server_folder, processes=2, fine=HELD_BACK) as running, playing(running) as crowd:
        await plays_on(crowd, 10)
        for _ in range(2):
            gone = running.leave(0, signal.SIGTERM)
            await running.start(next_release)
            assert await asyncio.to_thread(gone.process.wait, PATIENCE_SECONDS) == 0
            await plays_on(crowd, 20)
        connection = await asyncpg.connect(postgres.url())
        forms = await connection.fetch(
            "SELECT schema_version, count(*) FROM es.events WHERE type = 'pico.card_committed' GROUP BY 1 ORDER BY 1"
        )
        mixed = await connection.fetchval(
            "SELECT count(*) FROM (SELECT FROM es.events WHERE type = 'pico.card_committed' GROUP BY stream_id"
            " HAVING count(DISTINCT schema_version) = 2) AS match"
        )
        await connection.close()
        assert [form["schema_version"] for form in forms] == [1, 2]
        crowd.counts["matches in both forms"] = mixed
    assert crowd.counts["commands"] > 50
