"""Players who were erased, and whose matches are looked at once more, whatever becomes of the process that erased them."""

import asyncio

import asyncpg
import httpx
import pytest
from litestar import Litestar
from sqlalchemy.exc import DBAPIError

from service import erasure, settings
from service.accounts import departures
from service.accounts.departures import Departure, Departures
from service.app import create_app
from service.erasure import Erasure
from service.matches import Busy
from service.store.address import sqlalchemy_engine
from tests.service.conftest import Join, inside, running
from tests.service.test_erasure import erased, opened, view

SOON = 20.0
"""Seconds, on a machine that is busy."""


@pytest.fixture(autouse=True)
def _restless(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(erasure, "LOOK_SECONDS", 0.05)


async def departed(database_url: str, statement: str) -> list[int]:
    """How many looks there were at each of those who departed, as this statement tells, in the end."""
    connection = await asyncpg.connect(database_url)
    try:
        return [row["looks"] for row in await connection.fetch(statement)]
    finally:
        await connection.close()


NOW = "UPDATE player_departures SET due_at = now() RETURNING looks"
"""Time passes."""


async def test_what_another_process_let_them_do_a_moment_longer_is_undone_also_if_the_one_that_erased_them_is_no_more(
    app: Litestar, database_url: str, join: Join, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One remembers their token, and they open a match there, sit down and say something, when they have been erased by another one."""
    monkeypatch.setattr("service.accounts.lately.FRESH_SECONDS", 1000.0)
    monkeypatch.setattr(departures, "ONCE_MORE_SECONDS", 1000.0)
    ada, bob = await join("Ada"), await join("Bob")
    waiting, going = await opened(bob, start="by_host"), await opened(bob, ada)
    async with running(create_app(settings.read({"DATABASE_URL": database_url}))) as other:
        there = httpx.AsyncClient(transport=inside(other), base_url="http://ludicitude.test", headers=ada.headers)
        assert (await there.get("/v1/players/me")).status_code == 200
        async with running(create_app(settings.read({"DATABASE_URL": database_url}))) as dying:
            await erased(httpx.AsyncClient(transport=inside(dying), base_url="http://ludicitude.test", headers=ada.headers))
        theirs = await opened(there)
        assert (await there.post(f"/v1/matches/{waiting}/seats", json={})).status_code == 200
        for match_id in (waiting, theirs):
            assert (await there.post(f"/v1/matches/{match_id}/messages", json={"text": "My address"})).status_code == 201
    assert await departed(database_url, NOW) == [0]
    async with asyncio.timeout(SOON):
        while (await view(bob, theirs))["status"] == "open" or (await view(bob, waiting))["seats"][1]["kind"] == "player":  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    assert (await view(bob, theirs))["result"]["reason"] == "closed"
    assert [seat["kind"] for seat in (await view(bob, waiting))["seats"]] == ["player", "open"]
    for match_id in (waiting, theirs, going):
        assert (await bob.get(f"/v1/matches/{match_id}/messages")).json()["items"] == []


AWAY = DBAPIError("", None, asyncpg.CannotConnectNowError())


@pytest.mark.parametrize(("fails", "reason", "status"), [(3, Busy(), 204), (3, AWAY, 204), (2, AWAY, 503), (3, KeyError(), 204)])
async def test_it_is_undone_in_time_also_when_nobody_asks_for_it(
    database_url: str, join: Join, monkeypatch: pytest.MonkeyPatch, fails: int, reason: Exception, status: int
) -> None:
    """Whatever was in the way at first. Once the account has gone nobody can ask for it again; after the last look nobody looks."""
    monkeypatch.setattr(departures, "ONCE_MORE_SECONDS", 0.0)
    monkeypatch.setattr(departures, "AGAIN_SECONDS", 0.01)
    ada, tries = await join("Ada"), list[str]()
    withdraw = Erasure._withdraw

    async def noted(self: Erasure, player_id: str) -> None:
        tries.append(player_id)
        if len(tries) == fails:
            raise reason
        await withdraw(self, player_id)

    monkeypatch.setattr(Erasure, "_withdraw", noted)
    assert (await ada.delete("/v1/players/me")).status_code == status
    async with asyncio.timeout(SOON):
        while await departed(database_url, "SELECT looks FROM player_departures"):  # noqa: ASYNC110 - nobody tells.
            await asyncio.sleep(0.02)
    assert len(tries) == 4


async def test_a_look_that_fails_is_repeated_ever_more_seldom_and_somebody_hears_of_it(
    app: Litestar, database_url: str, join: Join, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(departures, "ONCE_MORE_SECONDS", 1000.0)

    async def leaves_them_alone() -> tuple[Departure, ...]:
        return ()

    monkeypatch.setattr(app.state.erasure._departures, "due", leaves_them_alone)
    await erased(await join("Ada"))
    made = Departures(sqlalchemy_engine(database_url, pool_size=1))
    pauses = []
    for looks in range(1, 13):
        assert await made.due() == ()
        await departed(database_url, NOW)
        assert [each.looks for each in await made.due()] == [looks]
        [pause] = await departed(database_url, "SELECT round(extract(epoch FROM due_at - now()))::int AS looks FROM player_departures")
        pauses.append(pause)
    assert pauses == [5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600]
    said = list[str]()

    async def fails(*_: object) -> None:
        raise Busy

    monkeypatch.setattr(Erasure, "_withdraw", fails)
    monkeypatch.setattr(erasure.log, "error", lambda event, **_: said.append(event))
    for looks in (1, erasure.SERIOUS_LOOKS):
        await app.state.erasure._once_more(Departure("ply_1", looks))
    assert said == ["erased_player_may_sit"]
    await made._engine.dispose()
