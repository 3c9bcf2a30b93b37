"""What is left of tickets that nobody used."""

import asyncio

import asyncpg
import httpx

from tests.service.conftest import Join


async def asked(client: httpx.AsyncClient) -> int:
    async with asyncio.timeout(10):
        return (await client.post("/v1/stream-tickets", json={})).status_code


async def test_what_has_expired_is_swept_away_and_nobody_waits_for_who_does_that_already(join: Join, database_url: str) -> None:
    ada, database = await join("Ada"), await asyncpg.connect(database_url)
    assert [await asked(ada) for _ in range(3)] == [201] * 3
    await database.execute("UPDATE stream_tickets SET expires_at = now() - interval '1 minute'")
    async with database.transaction():
        await database.execute("DELETE FROM stream_tickets WHERE hash = (SELECT min(hash) FROM stream_tickets)")
        assert await asked(ada) == 201
        assert await database.fetchval("SELECT count(*) FROM stream_tickets") == 1
    assert await database.fetchval("SELECT count(*) FROM stream_tickets") == 1
    await database.close()


async def test_tickets_of_one_player_are_handed_out_side_by_side(join: Join, database_url: str) -> None:
    """Else many at once would keep the process's connections from everybody."""
    ada, database = await join("Ada"), await asyncpg.connect(database_url)
    async with database.transaction():
        await database.execute("SELECT FROM players FOR SHARE")
        assert await asked(ada) == 201
    await database.close()
