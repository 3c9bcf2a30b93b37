"""What was opened by a token ends with it, in every process, and nothing else does."""

import asyncio
import json
from collections.abc import AsyncIterator, Collection
from typing import Any

import httpx
import pytest
import pytest_asyncio
from litestar import Litestar

from service import settings
from service.accounts.lately import Changes
from service.accounts.listeners import Listeners
from service.accounts.players import Player, Players
from service.accounts.tokens import held_token
from service.app import create_app
from service.store import StoreAway
from tests.service.conftest import Join, bearing, inside, running
from tests.service.documented import Documented, messages
from tests.service.test_stream import begun, player

SOON = 20.0
"""Seconds, on a machine that is busy; the promise is one."""

TURNS = "/v1/players/me/turns"

Answering = asyncio.Task[httpx.Response]


@pytest_asyncio.fixture
async def there(app: Litestar, database_url: str) -> AsyncIterator[Litestar]:
    """Another process, which learns from the database what `app` does."""
    async with running(create_app(settings.read({"DATABASE_URL": database_url}))) as other:
        yield other


@pytest.fixture
def at(transport: Documented, there: Litestar, request: pytest.FixtureRequest) -> httpx.AsyncBaseTransport:
    """The way to the process that people listen at: the one where the token is revoked, or the other one."""
    return {"here": transport, "there": Documented(inside(there))}[request.param]


in_every_process = pytest.mark.parametrize("at", ["here", "there"], indirect=True)


async def further(client: httpx.AsyncClient, at: httpx.AsyncBaseTransport) -> tuple[httpx.AsyncClient, str]:
    """Who else has a token of this player, and that token's id."""
    made = (await client.post("/v1/players/me/tokens")).json()
    return bearing(at, made["token"]), made["token_id"]


def same(client: httpx.AsyncClient, at: httpx.AsyncBaseTransport) -> httpx.AsyncClient:
    """The same caller, there."""
    return bearing(at, client.headers["Authorization"].removeprefix("Bearer "))


def opened(client: httpx.AsyncClient, address: str, headers: dict[str, str] | None = None, **query: Any) -> Answering:
    return asyncio.create_task(client.get(address, params=query, headers=headers))


async def streams(client: httpx.AsyncClient, at: httpx.AsyncBaseTransport, match_id: str) -> list[Answering]:
    """Every stream that this caller can open, by the token and by a ticket."""
    made = []
    nobody = httpx.AsyncClient(transport=at, base_url="http://ludicitude.test")
    for stream, address in ((match_id, f"/v1/matches/{match_id}/stream"), (None, f"{TURNS}/stream")):
        ticket = (await client.post("/v1/stream-tickets", json={"match_id": stream})).json()["ticket"]
        made += [opened(client, address), opened(nobody, address, ticket=ticket)]
    return made


async def polls(client: httpx.AsyncClient, path: str) -> list[Answering]:
    """Every long-poll that this caller can open, by every way through the code."""
    version = (await client.get(path)).json()["version"]
    tag = (await client.get(TURNS)).headers["ETag"]
    return [
        opened(client, f"{path}/events", after=version, wait=20),
        opened(client, f"{path}/events", after=version, wait="20.0"),
        opened(client, f"{path}/messages", wait=20),
        opened(client, TURNS, {"If-None-Match": tag}, wait=20),
    ]


async def settled(app: Litestar, number: int) -> None:
    """Until so many listen to this process, and the tokens of all have been looked at since they came."""
    listeners: Listeners = app.state["listeners"]
    async with asyncio.timeout(SOON):
        while sum(map(len, listeners._of.values())) < number or listeners._doubted:  # noqa: ASYNC110 - nobody tells.
            await asyncio.sleep(0.01)


async def told_to_come_back(*answers: Answering) -> None:
    """Every stream ends so that its client comes back, and hears by that what its token is worth."""
    for answer in await asyncio.wait_for(asyncio.gather(*answers), SOON):
        assert json.loads(str(messages(answer.text)[-1]["data"])) == {"frame": "bye", "reason": "rotate"}


async def refused(*answers: Answering) -> None:
    for answer in await asyncio.wait_for(asyncio.gather(*answers), SOON):
        assert (answer.status_code, answer.json()["code"]) == (401, "not_authenticated")


async def go_on(*answers: Answering) -> None:
    over, _ = await asyncio.wait(answers, timeout=0.1, return_when=asyncio.FIRST_COMPLETED)
    assert not over, [answer.result().text[-200:] for answer in over]


async def leave(*answers: Answering) -> None:
    for answer in answers:
        answer.cancel()
    await asyncio.gather(*answers, return_exceptions=True)


def listened_at(app: Litestar, there: Litestar, at: httpx.AsyncBaseTransport, transport: Documented) -> Litestar:
    return app if at is transport else there


@in_every_process
async def test_what_is_open_by_a_revoked_token_ends_and_what_is_by_another_one_goes_on(
    app: Litestar, there: Litestar, at: httpx.AsyncBaseTransport, transport: Documented, join: Join
) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    match_id, path = await begun(ada, bob)
    thief, token_id = await further(ada, at)
    nobody = httpx.AsyncClient(transport=at, base_url="http://ludicitude.test")
    kept = [opened(nobody, f"{path}/stream")]
    for client in (same(ada, at), same(bob, at)):
        kept += await streams(client, at, match_id) + await polls(client, path)
    followed, asked = await streams(thief, at, match_id), await polls(thief, path)
    await settled(listened_at(app, there, at, transport), len(kept) - 1 + len(followed) + len(asked))
    assert (await ada.delete(f"/v1/players/me/tokens/{token_id}")).status_code == 204
    await told_to_come_back(*followed)
    await refused(*asked)
    await go_on(*kept)
    await leave(*kept)


@in_every_process
async def test_who_is_signed_out_of_everything_or_erased_listens_no_more(
    app: Litestar, there: Litestar, at: httpx.AsyncBaseTransport, transport: Documented, join: Join, operator: httpx.AsyncClient
) -> None:
    ada, bob, eve = await join("Ada"), await join("Bob"), await join("Eve")
    match_id, path = await begun(ada, bob)
    followed = [each for client in (ada, eve) for each in await streams(same(client, at), at, match_id)]
    asked = [each for client in (ada, eve) for each in await polls(same(client, at), path)]
    await settled(listened_at(app, there, at, transport), len(followed) + len(asked))
    signed_out = f"/v1/operator/players/{(await player(app, ada)).player_id}/sign-out"
    assert (await operator.post(signed_out, json={"note": "It was stolen."})).status_code == 200
    assert (await eve.delete("/v1/players/me")).status_code == 204
    await told_to_come_back(*followed)
    await refused(*asked)


async def test_another_change_of_the_player_ends_nothing_and_tells_nothing(
    there: Litestar, join: Join, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_there = Documented(inside(there))
    ada, bob = await join("Ada"), await join("Bob")
    match_id, path = await begun(ada, bob)
    kept = await streams(same(ada, at_there), at_there, match_id) + await polls(same(ada, at_there), path)
    await settled(there, len(kept))
    listeners, forget, doubted = there.state["listeners"], Listeners.forget, asyncio.Event()

    def noted(self: Listeners, players: Collection[str] | None) -> None:
        forget(self, players)
        if self is listeners and len(self._doubted) == len(kept):
            doubted.set()

    monkeypatch.setattr(Listeners, "forget", noted)
    assert (await ada.patch("/v1/players/me", json={"display_name": "Ada Lovelace"})).status_code == 200
    await asyncio.wait_for(doubted.wait(), SOON)
    await settled(there, len(kept))
    await go_on(*kept)
    await leave(*kept)


@pytest_asyncio.fixture
async def alone(app: Litestar) -> AsyncIterator[Listeners]:
    """Listeners that nobody else has, at the accounts of `app`."""
    async with Listeners(app.state["listeners"]._players) as made:
        yield made


async def test_who_came_by_what_was_known_a_moment_ago_is_looked_at_again(app: Litestar, alone: Listeners) -> None:
    """Of a change between the look at a token and the listening nobody would tell."""
    players: Players = alone._players
    ada, token, secret = await players.create("Ada", "")
    await players.revoke_token(ada.player_id, token.token_id)
    await players.changes.look()  # Which the next look will not tell of once more.
    bell = asyncio.Event()
    async with alone.listener(ada, held_token(secret), bell) as listener, asyncio.timeout(SOON):
        await bell.wait()
        assert listener.ended


async def test_a_player_of_an_outside_issuer_listens_until_they_are_erased(app: Litestar, alone: Listeners) -> None:
    players: Players = alone._players
    ada, _, _ = await players.create("Ada", "")
    bell = asyncio.Event()
    async with alone.listener(ada, held_token("a.b.c"), bell) as listener, asyncio.timeout(SOON):
        await players.revoke_all(ada.player_id)
        while alone._doubted:  # noqa: ASYNC110 - nobody tells.
            await asyncio.sleep(0.01)
        assert not listener.ended
        await players.erase(ada.player_id)
        await bell.wait()
        assert listener.ended


async def test_a_database_that_is_away_ends_nothing_and_once_it_is_back_nothing_is_forgotten(
    app: Litestar, alone: Listeners, monkeypatch: pytest.MonkeyPatch
) -> None:
    players: Players = alone._players
    (ada, token, secret), (bob, _, other) = await players.create("Ada", ""), await players.create("Bob", "")
    away, asked = True, asyncio.Event()
    holders = Players.holders

    async def holding(self: Players, hashes: Collection[bytes]) -> dict[bytes, Player]:
        if away:
            asked.set()
            raise StoreAway("for the test")
        return await holders(self, hashes)

    monkeypatch.setattr(Players, "holders", holding)
    bell = asyncio.Event()
    async with (
        alone.listener(ada, held_token(secret), bell) as adas,
        alone.listener(bob, held_token(other), asyncio.Event()) as bobs,
        asyncio.timeout(SOON),
    ):
        await players.revoke_token(ada.player_id, token.token_id)
        asked.clear()
        await asked.wait()
        assert not adas.ended
        away = False
        await bell.wait()
        assert (adas.ended, bobs.ended) == (True, False)


async def test_who_leaves_in_the_moment_in_which_something_changes_leaves_the_process_at_rest(app: Litestar, alone: Listeners) -> None:
    """It would else look and look for whom to look after, and do nothing else."""
    ada, _, secret = await alone._players.create("Ada", "")
    async with alone.listener(ada, held_token(secret), asyncio.Event()):
        alone.forget({ada.player_id})
    async with asyncio.timeout(SOON):
        while alone._stirred.is_set():  # noqa: ASYNC110 - nobody tells.
            await asyncio.sleep(0.01)


async def test_many_who_wait_for_long_cost_one_question_for_all(app: Litestar, alone: Listeners, monkeypatch: pytest.MonkeyPatch) -> None:
    players: Players = alone._players
    made = [await players.create("Ada", "") for _ in range(3)]
    looks, questions = asyncio.Semaphore(0), list[int]()
    learn, ask = Changes._learn, Players._by_tokens

    async def learning(self: Changes) -> None:
        await learn(self)
        looks.release()

    async def asking(self: Players, hashes: Collection[bytes]) -> dict[bytes, Player]:
        questions.append(len(hashes))
        return await ask(self, hashes)

    monkeypatch.setattr(Changes, "_learn", learning)
    monkeypatch.setattr(players._tokens, "_ask", lambda hashes: asking(players, hashes))
    several = [alone.listener(ada, held_token(secret), asyncio.Event()) for ada, _, secret in made for _ in range(1_000)]
    for each in several:
        await each.__aenter__()
    async with asyncio.timeout(SOON):
        await looks.acquire()
        await looks.acquire()
    assert questions == [3]
    for each in several:
        await each.__aexit__()
    assert (alone._of, alone._doubted) == ({}, set())
