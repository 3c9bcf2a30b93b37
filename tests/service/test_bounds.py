"""What one account may have: so many matches that have not ended, so few of them without a person, and so much talk."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
import pytest_asyncio
from litestar import Litestar

from service import settings
from service.app import create_app
from service.talk import messages as talk
from tests.service.conftest import Join, running
from tests.service.talkers import opened, sit

MOST = 10
PICO = {"options": {"game": "pico"}}
BOTS_ALONE = {**PICO, "sit": False, "bots": ["easy", "easy"]}
FULL = (409, "too_many_matches")


@pytest_asyncio.fixture
async def app(database_url: str) -> AsyncIterator[Litestar]:
    async with running(create_app(settings.read({"DATABASE_URL": database_url, "LUDICITUDE_MATCHES_MAX": str(MOST)}))) as made:
        yield made


async def open_match(host: httpx.AsyncClient, asked: Any = PICO, key: str = "") -> tuple[int, str]:
    """The status, and the id of the match or the code of the problem."""
    answer = await host.post("/v1/matches", json=asked, headers={"Idempotency-Key": key} if key else {})
    return answer.status_code, answer.json()["match_id" if answer.is_success else "code"]


async def test_an_account_hosts_so_many_matches_however_many_it_asks_for_at_once(join: Join) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    answers = await asyncio.gather(*(open_match(ada) for _ in range(MOST + 5)))
    assert sorted(status for status, _ in answers) == [201] * MOST + [409] * 5
    assert {code for status, code in answers if status == 409} == {"too_many_matches"}
    assert (await open_match(bob))[0] == 201
    path = next(match_id for status, match_id in answers if status == 201)
    await ada.delete(f"/v1/matches/{path}")
    assert (await open_match(ada))[0] == 201
    assert await open_match(ada) == FULL


async def test_a_call_that_came_before_is_answered_though_there_is_no_more_room(join: Join) -> None:
    ada = await join("Ada")
    first = await open_match(ada, key="one")
    for _ in range(MOST - 1):
        await open_match(ada)
    assert await open_match(ada) == await open_match(ada, key="two") == FULL
    assert await open_match(ada, key="one") == first


async def test_few_of_them_are_played_by_bots_alone(join: Join) -> None:
    ada = await join("Ada")
    waiting = [await open_match(ada, {**PICO, "sit": False}) for _ in range(MOST // 5)]
    assert [status for status, _ in waiting] == [201] * (MOST // 5)
    assert await open_match(ada, BOTS_ALONE) == FULL
    assert (await open_match(ada))[0] == 201
    await (await join("Bob")).post(f"/v1/matches/{waiting[0][1]}/seats", json={})
    assert (await open_match(ada, BOTS_ALONE))[0] == 201


async def test_a_rematch_is_a_match_too(join: Join) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    _, played = await open_match(ada)
    await bob.post(f"/v1/matches/{played}/seats", json={})
    await bob.post(f"/v1/matches/{played}/resign")
    for _ in range(MOST):
        await open_match(ada)
    refused = await ada.post(f"/v1/matches/{played}/rematch")
    assert (refused.status_code, refused.json()["code"]) == FULL
    assert (await bob.post(f"/v1/matches/{played}/rematch")).status_code == 201
    assert (await ada.post(f"/v1/matches/{played}/rematch")).status_code == 201, "she takes the seat that is kept for her"


async def test_a_player_says_so_much_at_one_match(join: Join, client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(talk, "MESSAGES_IN_ALL", 3)
    talkers = await opened(await join("Ada"), options={"whispers": True})
    await sit(talkers, await join("Bob"))
    said = [await talkers.say(0, str(number), key=str(number), to_seat=1 if number == 1 else None) for number in range(3)]
    late = await talkers.send(0, "One more", key="more")
    assert (late.status_code, late.json()["code"]) == (409, "too_many_messages")
    assert await talkers.say(0, "2", key="2") == said[2]
    await talkers.say(1, "I have said nothing yet")
    assert await talkers.texts(client) == ["0", "2", "I have said nothing yet"]
    elsewhere = await opened(talkers.players[0])
    await elsewhere.say(0, "Here I may")
