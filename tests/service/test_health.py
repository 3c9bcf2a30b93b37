"""What the machines that run the service ask of it."""

import asyncio
import time
from uuid import uuid4

import asyncpg
import httpx
import pytest
from litestar import Litestar
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from service import settings
from service.accounts.players import Players
from service.app import create_app
from service.http.assembly import http_app
from service.http.routes import health, players
from service.readiness import Readiness
from service.readmodels import runner
from service.readmodels.results import RESULTS
from service.store import EventStore
from service.store.address import sqlalchemy_engine
from tests.service.conftest import inside
from tests.service.documented import Documented
from tests.store.appends import appending


async def ready(database_url: str) -> httpx.Response:
    """What `get_ready` says of this database."""
    engine = sqlalchemy_engine(database_url)
    app = http_app(health.ROUTES, players=None, services=["readiness", "runner"])  # type: ignore[arg-type]
    app.state.update(readiness=Readiness(engine), runner=runner.Runner(None, engine, RESULTS))  # type: ignore[arg-type]
    try:
        async with httpx.AsyncClient(transport=Documented(inside(app)), base_url="http://ludicitude.test") as client:
            return await client.get("/v1/ready")
    finally:
        await engine.dispose()


async def test_a_process_lives_and_can_serve(client: httpx.AsyncClient) -> None:
    assert (await client.get("/v1/live")).json() == {"status": "ok"}
    assert (await client.get("/v1/ready")).json() == {"status": "ok", "halted": []}


async def test_it_tells_of_read_models_that_stand_still(
    client: httpx.AsyncClient, operator: httpx.AsyncClient, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here by an event that this release does not know. Everything else goes on."""
    monkeypatch.setattr(runner, "PAUSE", runner.Rest(0.01, wakes=False))
    monkeypatch.setattr(runner, "POLL_SECONDS", 0.01)
    store = await EventStore.connect(database_url)
    await store.append(appending(uuid4(), 0))
    await store.close()
    gives_up = time.monotonic() + 60
    while time.monotonic() < gives_up:
        answer = await client.get("/v1/ready")
        if answer.json()["halted"]:
            break
        await asyncio.sleep(0.01)
    assert (answer.status_code, answer.json()) == (200, {"status": "ok", "halted": ["results"]})
    assert 'ludicitude_projection_halted{projection="results"} 1.0' in (await operator.get("/metrics")).text


async def test_a_crowd_that_asks_whether_it_is_ready_is_one_question_to_the_database(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, connect = 0, AsyncEngine.connect

    def counted(engine: AsyncEngine) -> AsyncConnection:
        nonlocal asked
        asked += 1
        return connect(engine)

    monkeypatch.setattr(AsyncEngine, "connect", counted)
    answers = await asyncio.gather(*(client.get("/v1/ready") for _ in range(50)))
    assert {answer.status_code for answer in answers} == {200}
    assert asked < 10


async def test_a_database_without_our_schema_is_not_ready(database_url: str) -> None:
    connection = await asyncpg.connect(database_url)
    try:
        await connection.execute("UPDATE alembic_version SET version_num = 'of_a_later_release'")
        assert (await ready(database_url)).status_code == 200, "an older process serves on while a newer one has migrated"
        await connection.execute("DELETE FROM alembic_version")
        assert (await ready(database_url)).json()["detail"] == "The database has not been migrated to this release."
        await connection.execute("DROP TABLE alembic_version")
        answer = await ready(database_url)
    finally:
        await connection.close()
    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    assert answer.json()["detail"] == "The database has not been migrated."


async def test_a_database_that_is_away_is_said_at_once() -> None:
    answer = await ready("postgresql://nobody:hunter2@127.0.0.1:1/nowhere")
    assert (answer.status_code, answer.json()["detail"]) == (503, "The database cannot be reached.")
    assert answer.headers["retry-after"] == "2"
    assert "hunter2" not in answer.text


async def test_what_needs_the_database_says_so_while_it_is_away_and_the_rest_goes_on(app: Litestar) -> None:
    away = create_app(settings.read({"DATABASE_URL": "postgresql://nobody@127.0.0.1:1/nowhere"}))
    async with httpx.AsyncClient(transport=Documented(inside(away)), base_url="http://ludicitude.test") as client:
        answer = await client.post("/v1/players", json={"display_name": "Ada"})
        assert (answer.status_code, answer.json()["code"], answer.headers["retry-after"]) == (503, "unavailable", "2")
        assert (await client.get("/v1/live")).status_code == 200
        assert (await client.get("/v1/games")).status_code == 200


async def test_connections_that_break_are_an_answer_and_then_forgotten(client: httpx.AsyncClient, database_url: str) -> None:
    player_id = (await client.post("/v1/players", json={"display_name": "Ada"})).json()["player_id"]
    connection = await asyncpg.connect(database_url)
    try:
        await connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    finally:
        await connection.close()
    answers = [(await client.get(f"/v1/players/{player_id}")).status_code for _ in range(4)]
    assert set(answers) <= {200, 503}
    assert answers[-2:] == [200, 200]


async def test_a_full_pool_is_an_answer_after_a_moment(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.store.address.ACQUIRE_SECONDS", 0.2)
    engine = sqlalchemy_engine(database_url, pool_size=1)
    app = http_app(players.ROUTES, players=Players(engine), services=["erasure"])
    try:
        async with engine.connect(), httpx.AsyncClient(transport=Documented(inside(app)), base_url="http://ludicitude.test") as client:
            began = time.monotonic()
            answer = await client.post("/v1/players", json={"display_name": "Ada"})
        assert (answer.status_code, answer.json()["code"], answer.headers["retry-after"]) == (503, "unavailable", "2")
        assert time.monotonic() - began < 20, "nobody waits for as long as the connection is in use"
    finally:
        await engine.dispose()


async def test_an_error_of_the_database_does_not_tell_what_was_stored(database_url: str) -> None:
    engine = sqlalchemy_engine(database_url)
    try:
        async with engine.connect() as connection:
            with pytest.raises(DBAPIError) as failed:
                await connection.execute(text("INSERT INTO nowhere VALUES (:name)"), {"name": "Ada Lovelace"})
        assert "Ada" not in str(failed.value)
    finally:
        await engine.dispose()


async def test_the_numbers_count_by_route_and_not_by_address(client: httpx.AsyncClient, operator: httpx.AsyncClient) -> None:
    await client.get("/v1/players/ply_s3cret")
    await client.get("/v1/nowhere/s3cret")
    metrics = await operator.get("/metrics")
    assert metrics.status_code == 200
    assert 'ludicitude_http_requests_total{method="GET",route="/v1/players/{player_id}",status="404"}' in metrics.text
    assert 'ludicitude_http_requests_total{method="GET",route="(none)",status="404"}' in metrics.text
    assert "ludicitude_http_request_seconds_bucket" in metrics.text
    assert "s3cret" not in metrics.text
