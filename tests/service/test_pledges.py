"""Pledges: what a seat says it will show, held against what it shows."""

import asyncio
from typing import Any

import httpx
import pytest
from litestar import Litestar

from service.talk import messages as talk
from service.talk.pledges import ShownFaces
from tests.service.conftest import Join
from tests.service.talkers import Talkers, opened, playing, sit

FACES = [1, 2, 3, 4, 5, 6]


async def verdicts(talkers: Talkers, reader: httpx.AsyncClient) -> list[bool | None]:
    return [item["pledge"]["kept"] for item in (await talkers.heard(reader))["items"] if item["kind"] == "pledge"]


def tally(*counts: tuple[int, int, int]) -> list[dict[str, Any]]:
    return [{"seat": seat, "made": made, "kept": kept, "broken": broken} for seat, (made, kept, broken) in enumerate(counts)]


async def test_a_pledge_is_kept_or_broken_by_the_die_that_its_seat_shows_next(join: Join, client: httpx.AsyncClient) -> None:
    talkers = await playing(join)
    said = await talkers.pledge(0, "set1", 4)
    assert (said["kind"], said["text"]) == ("pledge", None)
    assert said["pledge"] == {"phase": "set1", "face": 4, "kept": None, "version": await version(talkers, client), "shown_version": None}
    await talkers.pledge(1, "set1", 4)
    await talkers.pledge(1, "set2", 4)
    assert await verdicts(talkers, client) == [None, None, None]
    assert (await talkers.heard(client))["tally"] == tally((1, 0, 0), (2, 0, 0), (0, 0, 0))
    await talkers.show([4, 1, 4])
    assert await verdicts(talkers, client) == [True, False, None]
    await talkers.show([1, 4, 4])
    assert await verdicts(talkers, client) == [True, False, True]
    assert (await talkers.heard(client))["tally"] == tally((1, 1, 0), (2, 1, 1), (0, 0, 0))


async def test_a_pledge_belongs_to_the_round_in_which_it_was_made(join: Join, client: httpx.AsyncClient) -> None:
    talkers = await playing(join)
    first = await talkers.pledge(0, "set1", 2, key="first")
    await talkers.show([2, 1, 1])
    await talkers.show([1, 2, 3])
    await talkers.pledge(0, "set1", 2)
    assert await verdicts(talkers, client) == [True, None]
    await talkers.show([3, 1, 1])
    assert await verdicts(talkers, client) == [True, False]
    again = await talkers.pledge(0, "set1", 2, key="first")
    assert again["pledge"]["version"] == first["pledge"]["version"]
    shown = again["pledge"]["shown_version"]
    assert again == {**first, "pledge": {**first["pledge"], "kept": True, "shown_version": shown}}
    [item] = (await client.get(f"{talkers.path}/events", params={"after": shown - 1, "limit": 1})).json()["items"]
    assert item["event"] == {"type": "schemers.die_revealed", "seat": 0, "die": "first", "face": 2}


async def version(talkers: Talkers, client: httpx.AsyncClient) -> int:
    return int((await client.get(talkers.path)).json()["version"])


async def test_a_seat_is_told_what_it_can_pledge_and_can_pledge_nothing_else(join: Join, client: httpx.AsyncClient) -> None:
    talkers = await opened(await join("Ada"))
    early = await talkers.send(0, pledge={"phase": "set1", "face": 1})
    assert (early.status_code, early.json()["code"]) == (409, "pledge_closed")
    for name in ("Bob", "Cid"):
        await sit(talkers, await join(name))
    both = [{"phase": "set1", "faces": FACES}, {"phase": "set2", "faces": FACES}]
    assert (await talkers.heard(talkers.players[2]))["may_pledge"] == both
    assert (await talkers.heard(client))["may_pledge"] == []
    for face in (0, 7, 2**40):
        answer = await talkers.send(0, pledge={"phase": "set1", "face": face})
        assert (answer.status_code, answer.json()["code"], answer.json()["errors"][0]["pointer"]) == (422, "no_such_face", "/pledge/face")
    assert (await talkers.send(0, pledge={"phase": "lunch", "face": 1})).json()["code"] == "pledge_closed"
    await talkers.show([1, 2, 3])
    assert (await talkers.heard(talkers.players[2]))["may_pledge"] == both[1:]
    assert (await talkers.send(0, pledge={"phase": "set1", "face": 1})).json()["code"] == "pledge_closed"
    await talkers.players[2].post(f"{talkers.path}/resign")
    assert (await talkers.heard(talkers.players[2]))["may_pledge"] == []
    assert (await talkers.send(2, pledge={"phase": "set2", "face": 1})).json()["code"] == "pledge_closed"
    assert (await talkers.heard(client))["tally"] == tally((0, 0, 0), (0, 0, 0), (0, 0, 0))


async def test_a_die_that_is_set_and_hidden_is_no_verdict_yet(join: Join, client: httpx.AsyncClient) -> None:
    talkers = await playing(join)
    for seat in range(3):
        await talkers.choose(seat, {"type": "schemers.ready"})
    await talkers.choose(0, {"type": "schemers.commit_die", "face": 5})
    await talkers.pledge(0, "set1", 5)
    await talkers.choose(1, {"type": "schemers.commit_die", "face": 5})
    for reader in (*talkers.players, client):
        assert await verdicts(talkers, reader) == [None]
    await talkers.choose(2, {"type": "schemers.commit_die", "face": 5})
    assert await verdicts(talkers, client) == [True]


async def test_a_game_without_secret_faces_has_no_pledges(join: Join) -> None:
    ada = await join("Ada")
    opened = (await ada.post("/v1/matches", json={"options": {"game": "pico"}, "bots": ["easy"]})).json()
    talkers = Talkers(f"/v1/matches/{opened['match_id']}", [ada])
    answer = await talkers.send(0, pledge={"phase": "set1", "face": 1})
    assert (answer.status_code, answer.json()["code"]) == (422, "no_pledges")
    page = await talkers.heard(ada)
    assert (page["tally"], page["may_pledge"], page["next_cursor"]) == ([], [], None)
    await ada.post(f"{talkers.path}/resign")
    assert (await ada.get(f"{talkers.path}/record")).json()["tally"] == []


async def test_the_record_has_the_tally_of_what_was_pledged_aloud_and_nothing_that_was_said(join: Join, client: httpx.AsyncClient) -> None:
    talkers = await playing(join, options={"whispers": True})
    await talkers.say(0, "a word among us")
    await talkers.pledge(0, "set1", 1)
    await talkers.pledge(0, "set1", 2)
    await talkers.pledge(1, "set1", 6, to_seat=0)
    await talkers.pledge(2, "set2", 3)
    await talkers.show([1, 6, 3])
    assert await verdicts(talkers, talkers.players[1]) == [True, False, True, None]
    for player in talkers.players:
        await player.post(f"{talkers.path}/resign")
    record = await client.get(f"{talkers.path}/record")
    assert record.json()["tally"] == tally((2, 1, 1), (0, 0, 0), (1, 0, 0))
    assert "a word among us" not in record.text
    for reader in (*talkers.players, client):
        assert (await talkers.heard(reader))["tally"] == record.json()["tally"]


async def started_waiting(app: Litestar, reader: httpx.AsyncClient, talkers: Talkers, cursor: str) -> "asyncio.Task[dict[str, Any]]":
    """A call for news after `cursor`, which the server has begun to keep waiting."""
    before = app.state.talk.watch.waiting
    waiting = asyncio.create_task(talkers.heard(reader, wait=25, after=cursor))
    async with asyncio.timeout(25):
        while app.state.talk.watch.waiting == before:  # noqa: ASYNC110 - the very moment is wanted, from which on news ring.
            await asyncio.sleep(0)
    return waiting


async def test_who_waits_hears_at_once_what_can_be_pledged_and_then_when_that_changes(app: Litestar, join: Join) -> None:
    talkers = await playing(join)
    ada = talkers.players[0]
    first = await asyncio.wait_for(talkers.heard(ada, wait=25), 25)
    assert (first["items"], [offer["phase"] for offer in first["may_pledge"]]) == ([], ["set1", "set2"])
    waiting = await started_waiting(app, ada, talkers, first["next_cursor"])
    await talkers.show([1, 2, 3])
    page = await asyncio.wait_for(waiting, 25)
    assert (page["items"], page["settled"]) == ([], [])
    assert page["may_pledge"] != first["may_pledge"]


async def test_who_waits_is_told_again_a_pledge_that_was_kept_or_broken(app: Litestar, join: Join, client: httpx.AsyncClient) -> None:
    talkers = await playing(join)
    pledges = [await talkers.pledge(0, "set1", 4), await talkers.pledge(1, "set1", 4), await talkers.pledge(2, "set2", 4)]
    cursor = (await talkers.heard(client))["next_cursor"]
    waiting = await started_waiting(app, client, talkers, cursor)
    await talkers.show([4, 1, 4])
    page = await asyncio.wait_for(waiting, 25)
    shown = [item["pledge"]["shown_version"] for item in page["settled"]]
    assert shown[0] + 1 == shown[1] > pledges[2]["pledge"]["version"]  # The dice are shown in seat order.
    became = zip(pledges[:2], (True, False), shown, strict=True)
    settled = [{**said, "pledge": {**said["pledge"], "kept": kept, "shown_version": at}} for said, kept, at in became]
    assert (page["items"], page["settled"]) == ([], settled)
    assert page["tally"] == tally((1, 1, 0), (1, 0, 1), (1, 0, 0))
    later = await talkers.heard(client, after=page["next_cursor"])
    assert (later["items"], later["settled"]) == ([], [])
    assert (await talkers.heard(client, after=cursor))["settled"] == settled, "until it is known that this was read"
    assert (await talkers.heard(client))["settled"] == [], "what is told for the first time is told as it stands"


async def test_a_whispered_pledge_is_settled_for_its_two_alone_and_wakes_nobody_else(
    app: Litestar, join: Join, client: httpx.AsyncClient
) -> None:
    talkers = await playing(join, options={"whispers": True})
    _, bob, cid = talkers.players
    said = await talkers.pledge(0, "set1", 4, to_seat=1)
    await talkers.say(0, "I have told Bob something")
    cursors = [(await talkers.heard(reader))["next_cursor"] for reader in (bob, client)]
    one = await started_waiting(app, bob, talkers, cursors[0])
    other = await started_waiting(app, client, talkers, cursors[1])
    await talkers.show([4, 1, 4])
    while not (page := await asyncio.wait_for(one, 25))["settled"]:  # The phases of the play open and close what Bob can pledge.
        one = asyncio.create_task(talkers.heard(bob, wait=25, after=page["next_cursor"]))
    assert [each["message_id"] for each in page["settled"]] == [said["message_id"]]
    assert (await talkers.heard(cid, after=cursors[1]))["settled"] == []
    assert not other.done()
    last = await talkers.say(0, "Hello")
    page = await asyncio.wait_for(other, 25)
    assert (page["items"], page["settled"]) == ([last], [])


async def test_who_has_muted_a_player_is_not_woken_by_what_becomes_of_their_pledges(
    app: Litestar, join: Join, client: httpx.AsyncClient
) -> None:
    talkers = await playing(join)
    eve = await join("Eve")
    said = await talkers.pledge(0, "set1", 4)
    await eve.put(f"/v1/players/me/mutes/{said['player_id']}")
    cursor = (await talkers.heard(client))["next_cursor"]
    waiting = await started_waiting(app, eve, talkers, cursor)
    await talkers.show([4, 1, 4])
    assert len((await talkers.heard(client, after=cursor))["settled"]) == 1
    last = await talkers.say(1, "Hello")
    page = await asyncio.wait_for(waiting, 25)
    assert (page["items"], page["settled"]) == ([last], [])


async def test_pledges_that_are_only_counted_are_not_read(join: Join, client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """There may be thousands, and who asks for one page must not keep the process from everybody else."""
    talkers = await playing(join)
    for face in FACES:
        await talkers.pledge(0, "set1", face)
        await talkers.pledge(1, "set2", face)
    said, read = talk._message, 0

    def counted(row: Any, shown: ShownFaces) -> talk.Message:
        nonlocal read
        read += 1
        return said(row, shown)

    async def pages(**asked: Any) -> tuple[dict[str, Any], int]:
        nonlocal read
        read = 0
        return await talkers.heard(client, **asked), read

    monkeypatch.setattr(talk, "_message", counted)
    page, messages = await pages(limit=1)
    assert (page["tally"], messages) == (tally((6, 0, 0), (6, 0, 0), (0, 0, 0)), 1)
    cursor = (await talkers.heard(client))["next_cursor"]
    await talkers.show([4, 4, 4])
    page, messages = await pages(after=cursor)
    assert (page["tally"], messages) == (tally((6, 1, 5), (6, 0, 0), (0, 0, 0)), 6)
    assert [item["pledge"]["kept"] for item in page["settled"]] == [False, False, False, True, False, False]
