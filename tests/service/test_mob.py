"""Whatever many people do at once, in whatever order: no match is overfilled, stuck or doubled, and nothing breaks."""

import random
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from litestar import Litestar

from service import settings
from service.app import create_app
from tests.service.conftest import Join, bearing, inside, running
from tests.service.documented import Documented
from tests.service.mob import Mob

PEOPLE = ("Ada", "Bob", "Cid", "Dot", "Eve", "Fay")


@pytest_asyncio.fixture
async def other(database_url: str) -> AsyncIterator[Litestar]:
    """A second process on the same database."""
    async with running(create_app(settings.read({"DATABASE_URL": database_url, "LUDICITUDE_TEST_MODE": "on"}))) as made:
        yield made


async def rioted(app: Litestar, other: Litestar, join: Join, seed: int, rounds: int) -> None:
    people = []
    for name in PEOPLE:
        here = await join(name)
        there = bearing(Documented(inside(other)), here.headers["Authorization"].removeprefix("Bearer "))
        people.append([here, there])
    mob = Mob([app, other], people, random.Random(seed))
    for _ in range(rounds):
        await mob.riot(deeds=50)
        await mob.check()
    await mob.go_home()
    await mob.check()
    print(f"seed {seed}: {len(mob.matches)} matches, {dict(mob.answers)}")
    assert mob.answers["done"] > 10 * rounds


@pytest.mark.parametrize("seed", [1, 2])
async def test_a_mob_breaks_nothing(app: Litestar, other: Litestar, join: Join, seed: int) -> None:
    await rioted(app, other, join, seed, rounds=5)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(10, 30))
async def test_a_mob_breaks_nothing_for_long(app: Litestar, other: Litestar, join: Join, seed: int) -> None:
    await rioted(app, other, join, seed, rounds=40)
