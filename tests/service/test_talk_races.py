"""Many who talk and read at once, in two processes: nothing is missed, nothing comes twice, and all read the same order."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import asyncpg
import httpx
import pytest
import pytest_asyncio

from service import settings
from service.app import create_app
from service.live import watch
from service.talk.messages import MESSAGES_MAX
from tests.service.conftest import Join, inside, running
from tests.service.documented import Documented
from tests.service.talkers import Talkers, opened, playing, sit

Elsewhere = Callable[[httpx.AsyncClient], httpx.AsyncClient]


@pytest_asyncio.fixture
async def elsewhere(database_url: str) -> AsyncIterator[Elsewhere]:
    """Gives the same caller at another process on the same database."""
    async with running(create_app(settings.read({"DATABASE_URL": database_url}))) as app:
        transport = Documented(inside(app))
        yield lambda client: httpx.AsyncClient(transport=transport, base_url=client.base_url, headers=client.headers)


async def read_on(talkers: Talkers, reader: httpx.AsyncClient, until: int) -> list[dict[str, Any]]:
    """What a reader gets who waits for more again and again until they have so many, never going back."""
    items: list[dict[str, Any]] = []
    asked: dict[str, Any] = {"wait": 25, "limit": 3}
    while len(items) < until:
        page = await talkers.heard(reader, **asked)
        assert page["items"] or "after" not in asked, f"nothing came for long after {len(items)} messages"
        items += page["items"]
        asked["after"] = page["next_cursor"]
    return items


async def test_readers_who_go_on_from_their_cursor_miss_nothing_and_read_nothing_twice(
    join: Join, client: httpx.AsyncClient, elsewhere: Elsewhere
) -> None:
    talkers = await playing(join, options={"whispers": True})
    there = Talkers(talkers.path, [elsewhere(player) for player in talkers.players])

    async def chatter(seat: int) -> None:
        for number in range(MESSAGES_MAX):
            to_seat = (seat + 1) % 3 if number % 5 == 4 else None
            await (talkers, there)[number % 2].say(seat, f"{seat}: {number}", to_seat=to_seat)

    aloud = 3 * MESSAGES_MAX - 6
    readers = [(client, aloud), (elsewhere(client), aloud), (talkers.players[0], aloud + 4), (there.players[0], aloud + 4)]
    talking = asyncio.gather(*(chatter(seat) for seat in range(3)))
    public, far_public, own, far_own = await asyncio.gather(*(read_on(talkers, reader, until) for reader, until in readers))
    await talking
    assert public == far_public
    assert own == far_own == (await talkers.heard(talkers.players[0]))["items"]
    assert [item for item in own if item["to_seat"] is None] == public == (await talkers.heard(client))["items"]
    for seat in range(3):
        said = [item["text"] for item in (await talkers.heard(talkers.players[seat]))["items"] if item["seat"] == seat]
        assert said == [f"{seat}: {number}" for number in range(MESSAGES_MAX)]


async def test_a_message_whose_commit_is_slow_is_never_passed_by(join: Join, client: httpx.AsyncClient, database_url: str) -> None:
    """A slow commit is one whose lock on the talk is held: whoever comes second waits, and is numbered second."""
    talkers = await playing(join)
    await talkers.say(2, "first")
    database = await asyncpg.connect(database_url)
    reading = asyncio.create_task(read_on(talkers, client, 4))
    async with database.transaction():
        # A message whose number is taken and whose transaction is under way.
        await database.execute("UPDATE match_talk SET messages = messages + 1")
        await database.execute(
            "INSERT INTO match_messages SELECT stream_id, number + 1, 'msg_slow', gen_random_uuid(), now(), version, player_id, seat, "
            "NULL, NULL, 'slow', NULL, NULL FROM match_messages"
        )
        quick = asyncio.gather(talkers.say(1, "quick"), talkers.say(0, "quick"))
        await asyncio.sleep(0.4)
        assert not quick.done()
    await quick
    assert [item["text"] for item in await reading] == ["first", "slow", "quick", "quick"]
    await database.close()


async def test_what_is_said_in_one_process_is_heard_in_the_other(join: Join, elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of itself, and not by the other one's looking from time to time."""
    for name in ("POLL_SECONDS", "SOUND_POLL_SECONDS"):
        monkeypatch.setattr(watch, name, 60)
    talkers = await playing(join)
    cursor = (await talkers.heard(talkers.players[1]))["next_cursor"]
    waiting = asyncio.create_task(talkers.texts(elsewhere(talkers.players[1]), wait=25, after=cursor))
    await asyncio.sleep(0.1)
    await talkers.say(0, "Hello over there")
    assert await waiting == ["Hello over there"]


async def test_the_same_call_at_two_processes_at_once_is_said_once(join: Join, client: httpx.AsyncClient, elsewhere: Elsewhere) -> None:
    talkers = await playing(join)
    there = Talkers(talkers.path, [elsewhere(player) for player in talkers.players])
    calls: list[Awaitable[dict[str, Any]]] = [place.say(0, "Hello", key="one") for place in (talkers, there) for _ in range(4)]
    answers = await asyncio.gather(*calls)
    assert all(answer == answers[0] for answer in answers)
    assert await talkers.texts(client) == ["Hello"]


async def test_what_is_said_while_the_match_moves_on_has_its_place_among_the_moves(
    join: Join, client: httpx.AsyncClient, elsewhere: Elsewhere, database_url: str
) -> None:
    talkers = await playing(join)
    there = Talkers(talkers.path, [elsewhere(player) for player in talkers.players])

    async def pledge_all() -> None:
        for number in range(MESSAGES_MAX):
            await there.pledge(number % 3, "set2", 1)

    await asyncio.gather(talkers.show([1, 1, 1]), pledge_all())
    await talkers.show([1, 1, 2])
    page = await talkers.heard(client)
    assert [item["pledge"]["kept"] for item in page["items"]] == [number % 3 != 2 for number in range(MESSAGES_MAX)]
    database = await asyncpg.connect(database_url)
    versions = [row["version"] for row in await database.fetch("SELECT version FROM match_messages ORDER BY number")]
    await database.close()
    assert versions == sorted(versions)


async def test_who_loses_their_seat_while_they_speak_has_not_spoken(join: Join, client: httpx.AsyncClient, database_url: str) -> None:
    talkers = await opened(await join("Ada"))
    await sit(talkers, await join("Bob"))
    database = await asyncpg.connect(database_url)
    async with database.transaction():
        await database.execute("INSERT INTO match_talk SELECT stream_id, 0 FROM match_current")
        speaking = asyncio.create_task(talkers.send(1, "I was"))
        await asyncio.sleep(0.3)
        await talkers.players[0].delete(f"{talkers.path}/seats/1/player")
    await database.close()
    answer = await speaking
    assert (answer.status_code, answer.json()["code"]) == (403, "not_seated")
    assert await talkers.texts(client) == []
