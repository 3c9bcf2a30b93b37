"""Whispers: read by two, and not even suspected by anybody else."""

import asyncio
import re
from datetime import timedelta
from typing import Any, NamedTuple

import httpx
import pytest
from litestar import Litestar

from service.talk import messages
from service.talk.messages import MESSAGES_MAX
from service.together import Asked
from tests.service.conftest import Join
from tests.service.talkers import Talkers, opened, playing, sit

WHISPERS = {"whispers": True}


async def test_a_whisper_is_read_by_its_two_players_alone(join: Join, client: httpx.AsyncClient) -> None:
    talkers = await playing(join, options=WHISPERS)
    ada, bob, cid = talkers.players
    said = await talkers.say(0, "Show a 6", to_seat=1)
    assert (said["seat"], said["to_seat"]) == (0, 1)
    for reader in (ada, bob):
        assert (await talkers.heard(reader))["items"] == [said]
    for outsider in (cid, client, await join("Eve")):
        assert (await talkers.heard(outsider))["items"] == []
    for seat in range(3):
        await talkers.players[seat].post(f"{talkers.path}/resign")
    assert (await cid.get(f"{talkers.path}/record")).status_code == 200
    for outsider in (cid, client):
        assert (await talkers.heard(outsider))["items"] == []


async def test_nobody_whispers_unless_that_was_agreed_on(join: Join, client: httpx.AsyncClient) -> None:
    ada = await join("Ada")
    pico = Talkers(f"/v1/matches/{(await ada.post('/v1/matches', json={'options': {'game': 'pico'}})).json()['match_id']}", [ada])
    await sit(pico, await join("Bob"))
    for talkers in (await playing(join), pico):
        answer = await talkers.send(0, "Psst", to_seat=1)
        assert (answer.status_code, answer.json()["code"]) == (422, "whispers_not_allowed")
        assert await talkers.texts(talkers.players[1]) == []


async def test_a_whisper_needs_another_player_to_hear_it(join: Join) -> None:
    talkers = await opened(await join("Ada"), seats=4, options=WHISPERS, bots=["easy"])
    for seat, status, code in (
        (0, 422, "whisper_to_yourself"),
        (1, 409, "no_player_there"),
        (2, 409, "no_player_there"),
        (4, 422, "no_such_seat"),
        (2**53 - 1, 422, "no_such_seat"),
        (-1, 422, "invalid_body"),
    ):
        answer = await talkers.send(0, "Psst", to_seat=seat)
        assert (answer.status_code, answer.json()["code"]) == (status, code), seat
    assert await talkers.texts(talkers.players[0]) == []


async def test_a_seat_keeps_no_whisper_for_the_next_player_nor_for_the_one_who_left(join: Join) -> None:
    talkers = await opened(await join("Ada"), options=WHISPERS)
    bob, cid = await join("Bob"), await join("Cid")
    await sit(talkers, bob)
    await talkers.say(0, "Bob, only you", to_seat=1)
    last = await talkers.say(0, "Hello all")
    await bob.delete(f"{talkers.path}/seats/me")
    assert await talkers.texts(bob) == ["Hello all"]
    assert (await talkers.heard(bob, after=last["message_id"]))["items"] == []
    await cid.post(f"{talkers.path}/seats", json={"seat": 1})
    assert await talkers.texts(cid) == ["Hello all"]
    await bob.post(f"{talkers.path}/seats", json={"seat": 2})
    assert await talkers.texts(bob) == ["Bob, only you", "Hello all"]


async def test_a_whisper_that_was_the_last_one_read_is_a_cursor_for_whoever_read_it(join: Join) -> None:
    talkers = await opened(await join("Ada"), options=WHISPERS)
    bob = await join("Bob")
    await sit(talkers, bob)
    cursor = (await talkers.say(0, "Psst", to_seat=1))["message_id"]
    await bob.delete(f"{talkers.path}/seats/me")
    await talkers.say(0, "Where is Bob?")
    assert await talkers.texts(bob, after=cursor) == ["Where is Bob?"]


TIMELY = ("request-id", "retry-after", "ratelimit")
"""Headers of which each answer has its own, or which tell of moments."""


class Answer(NamedTuple):
    """What an outsider gets, with everything random replaced by the order in which it was first met, and without moments."""

    status: int
    headers: list[tuple[str, str]]
    body: str


class Outsider:
    """A client that notes all it gets; two whose notes are equal have learned the same."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.notes: list[Answer] = []
        self._client = client
        self._met: dict[str, str] = {}

    async def ask(self, method: str, path: str, **asked: Any) -> httpx.Response:
        answer = await self._client.request(method, path, **asked)
        headers = sorted((name, self._masked(value)) for name, value in answer.headers.items() if name not in TIMELY)
        self.notes.append(Answer(answer.status_code, headers, self._masked(answer.text)))
        return answer

    def _masked(self, text: str) -> str:
        text = re.sub(r"\d{4}-\d\d-\d\dT[\d:]+Z|(?<=may come in )\d+", "<moment>", text)
        unlike = r"\b(msg|ply|req)_[0-9a-z]{26}|[0-9a-f]{16,}"  # Ids, and the hashes, seals and seeds of a match.
        return re.sub(unlike, lambda found: self._met.setdefault(found[0], f"<{len(self._met)}>"), text)


async def observed(join: Join, nobody: httpx.AsyncClient, *, whisper: bool) -> list[list[Answer]]:
    """What Cid and a spectator get of a match, at which Ada whispers to Bob or does not, and all else is the same."""
    talkers = await playing(join, options={**WHISPERS, "stakes": "50-100"})
    outsiders = [Outsider(talkers.players[2]), Outsider(await join("Eve")), Outsider(nobody)]

    async def look() -> None:
        for each in outsiders:
            page = await each.ask("GET", f"{talkers.path}/messages")
            for params in ({"limit": 1}, {"after": page.json()["next_cursor"] or "msg_0"}):
                await each.ask("GET", f"{talkers.path}/messages", params=params)
            for path in ("", "/events"):
                await each.ask("GET", talkers.path + path)
            await each.ask("POST", f"{talkers.path}/messages", json={"text": "Aside", "to_seat": 2})

    await look()
    for number in range(MESSAGES_MAX - 1):
        if whisper:
            await talkers.say(0, "Let Cid pay", to_seat=1, key=str(number))
            await talkers.pledge(1, "set1", 1, to_seat=0, key=str(number))
        await look() if number == 0 else None
    for number in range(MESSAGES_MAX + 1):
        await outsiders[0].ask("POST", f"{talkers.path}/messages", json={"text": str(number)}, headers={"Idempotency-Key": str(number)})
    await talkers.say(1, "Ready?")
    await look()
    await talkers.show([6, 6, 6])
    await look()
    for dice in ([1, 1, 6], *[[6, 6, 6], [1, 1, 6]] * 2):  # Two lose so much in three rounds that the third one wins.
        await talkers.show(dice)
    for each in outsiders:
        await each.ask("GET", f"{talkers.path}/record")
    return [each.notes for each in outsiders]


async def test_two_matches_that_differ_only_by_whispers_look_alike_to_everybody_else(
    join: Join, client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(messages, "MESSAGES_WITHIN", timedelta(hours=1))  # Who has said too much has done so in both, however slow one is.
    without, aloud = await observed(join, client, whisper=False), await observed(join, client, whisper=True)
    for one, other in zip(without, aloud, strict=True):
        assert one == other
        assert one[-1].status == 200, "the record"


async def test_a_whisper_wakes_nobody_else(app: Litestar, join: Join, client: httpx.AsyncClient) -> None:
    """Who is woken is answered; the others wait on until something is said to all."""
    talkers = await playing(join, options=WHISPERS)
    await talkers.say(0, "Good evening")
    cursor = (await talkers.heard(client))["next_cursor"]
    readers = (talkers.players[1], talkers.players[2], client)
    waiting = [asyncio.create_task(talkers.texts(reader, wait=25, after=cursor)) for reader in readers]
    async with asyncio.timeout(20):
        while app.state.talk.watch.waiting < len(waiting):  # noqa: ASYNC110 - nobody tells.
            await asyncio.sleep(0.01)
    await talkers.say(0, "Psst", to_seat=1)
    assert await waiting[0] == ["Psst"]
    await talkers.say(0, "Hello all")
    assert await asyncio.gather(*waiting[1:]) == [["Hello all"]] * 2


async def test_those_who_wait_look_once_whoever_whispers(
    app: Litestar, join: Join, client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A whisper wakes all who wait at the match. Whether it is theirs to hear is asked for them together; and when the time is up there is
    nothing to look at again.
    """
    talkers = await playing(join, options=WHISPERS)
    await talkers.say(0, "Good evening")
    cursor = (await talkers.heard(client))["next_cursor"]
    talk, looks, questions, all_wait = app.state["talk"], 0, 0, asyncio.Event()
    heard, ask_said = talk.heard, talk._ask_said

    async def looked(*arguments: Any) -> Any:
        nonlocal looks
        looks += 1
        if looks == len(waiting):
            all_wait.set()
        return await heard(*arguments)

    async def asked(key: Any) -> bool:
        nonlocal questions
        questions += 1
        return bool(await ask_said(key))

    monkeypatch.setattr(talk, "heard", looked)
    monkeypatch.setattr(talk, "_said", Asked(asked))
    waiting = [asyncio.create_task(talkers.heard(client, after=cursor, wait=1)) for _ in range(8)]
    await all_wait.wait()
    await talkers.say(0, "Show a 6", to_seat=1)
    assert [page["items"] for page in await asyncio.gather(*waiting)] == [[]] * len(waiting)
    assert looks == len(waiting)
    assert questions <= 2
