"""Talk at a match: who may say what, who reads it, and what a repeated or a hasty call does."""

import asyncio
from datetime import timedelta

import asyncpg
import httpx
import pytest
from litestar import Litestar

from service.talk import messages
from service.talk.messages import MESSAGES_MAX
from tests.service.conftest import Join
from tests.service.talkers import Talkers, opened, playing, sit

HOUR = timedelta(hours=1)


async def test_what_is_said_can_be_read_by_everybody_and_comes_from_the_seat_of_the_token(join: Join, client: httpx.AsyncClient) -> None:
    talkers = await playing(join)
    me = (await talkers.players[1].get("/v1/players/me")).json()
    said = await talkers.say(1, "Hello")
    assert said == {
        "message_id": said["message_id"],
        "at": said["at"],
        "player_id": me["player_id"],
        "seat": 1,
        "to_seat": None,
        "kind": "text",
        "text": "Hello",
        "pledge": None,
    }
    for reader in (*talkers.players, client, await join("Eve")):
        assert (await talkers.heard(reader))["items"] == [said]
    for sender in ({"seat": 0}, {"player_id": me["player_id"]}):
        forged = await talkers.players[1].post(f"{talkers.path}/messages", json={"text": "In the name of Ada", **sender})
        assert (forged.status_code, forged.json()["code"]) == (422, "invalid_body")


async def test_who_does_not_sit_does_not_speak(join: Join, client: httpx.AsyncClient) -> None:
    talkers = await playing(join)
    talkers.players += [await join("Eve"), client]
    for seat, status, code in ((3, 403, "not_seated"), (4, 401, "not_authenticated")):
        answer = await talkers.send(seat, "Hello")
        assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert await talkers.texts(client) == []


async def test_players_talk_in_the_lobby_and_who_leaves_has_no_say_any_more(join: Join, client: httpx.AsyncClient) -> None:
    talkers = await opened(await join("Ada"))
    await sit(talkers, await join("Bob"))
    await talkers.say(1, "Who else?")
    await talkers.players[1].delete(f"{talkers.path}/seats/me")
    assert (await talkers.send(1, "Still here")).json()["code"] == "not_seated"
    await sit(talkers, await join("Cid"))
    assert await talkers.texts(client) == ["Who else?"]
    assert (await talkers.heard(client))["items"][0]["player_id"] == (await talkers.players[1].get("/v1/players/me")).json()["player_id"]


async def test_who_is_out_of_the_game_and_who_resigned_may_talk_on(join: Join, client: httpx.AsyncClient) -> None:
    talkers = await playing(join, options={"stakes": "50-100"})
    for _ in range(3):
        await talkers.show([6, 6, 6])
        view = await talkers.show([6, 6, 1])
    assert view["table"]["still_in"] == [0, 1]
    await talkers.players[1].post(f"{talkers.path}/resign")
    await talkers.say(2, "Well played")
    await talkers.say(1, "Enough for me")
    assert await talkers.texts(client) == ["Well played", "Enough for me"]


async def test_the_talk_ends_a_day_after_the_match(join: Join, database_url: str) -> None:
    talkers = await opened(await join("Ada"))
    await talkers.players[0].delete(talkers.path)
    said = await talkers.say(0, "Another time", key="one")
    await execute(database_url, "UPDATE match_current SET ended_at = ended_at - interval '1 day'")
    late = await talkers.send(0, "Too late", key="two")
    assert (late.status_code, late.json()["code"]) == (409, "talk_over")
    assert await talkers.say(0, "Another time", key="one") == said
    assert await talkers.texts(talkers.players[0]) == ["Another time"]


async def test_a_text_is_trimmed_and_composed_and_otherwise_kept(join: Join, client: httpx.AsyncClient) -> None:
    talkers = await opened(await join("Ada"))
    texts = {
        "  Hello \n": "Hello",
        "one\ntwo": "one\ntwo",
        "one\r\ntwo": "one\ntwo",
        "Zoe\u0308": "Zo\u00eb",
        "<b>&\"'</b> {seat} %s \\n": "<b>&\"'</b> {seat} %s \\n",
        "👩\u200d👩\u200d👧 🏳️\u200d🌈": "👩\u200d👩\u200d👧 🏳️\u200d🌈",
        "שלום \u2067abc\u2069 مرحبا": "שלום \u2067abc\u2069 مرحبا",
        "🐑" * 500: "🐑" * 500,
        "e\u0301" * 500: "\u00e9" * 500,
    }
    assert [(await talkers.say(0, sent))["text"] for sent in texts] == list(texts.values())
    assert await talkers.texts(client) == list(texts.values())


async def test_a_text_that_cannot_be_said_is_refused_and_changes_nothing(join: Join, client: httpx.AsyncClient) -> None:
    talkers = await opened(await join("Ada"))
    for text in (
        "",
        " \n ",
        "x" * 501,
        "x" * 2_001,
        " " * 2_000 + "x",
        "a\x07b",
        "a\tb",
        "a\rb",
        "a\x1b[31mb",
        "a\x85b",
        "a\u2028b",
        "a\u2029b",
    ):
        problem = (await talkers.send(0, text)).json()
        assert (problem["status"], problem["code"], problem["errors"][0]["pointer"]) == (422, "invalid_text", "/text"), repr(text)
    assert (await talkers.send(0, "a\0b")).json()["code"] == "malformed_json"
    for body in (
        {},
        {"text": None},
        {"text": "a", "pledge": {"phase": "set1", "face": 1}},
        {"text": 1},
    ):
        assert (await talkers.send(0, **body)).json()["code"] == "invalid_body", body
    assert await talkers.texts(client) == []


async def test_the_history_is_read_in_pages_and_read_on_from(join: Join, client: httpx.AsyncClient) -> None:
    talkers = await playing(join)
    said = [await talkers.say(number % 3, str(number)) for number in range(7)]
    items: list[object] = []
    page = await talkers.heard(client, limit=3)
    while page["items"]:
        assert len(page["items"]) <= 3
        items += page["items"]
        page = await talkers.heard(client, limit=3, after=page["next_cursor"])
    assert items == said
    assert page["next_cursor"].startswith(f"{said[-1]['message_id']}.")
    said.append(await talkers.say(0, "one more"))
    assert (await talkers.heard(client, after=page["next_cursor"]))["items"] == said[-1:]
    assert (await talkers.heard(client, limit=10_000))["items"] == said
    assert (await talkers.heard(client, after=said[2]["message_id"]))["items"] == said[3:]


async def test_what_is_no_cursor_of_this_match_is_refused(join: Join, client: httpx.AsyncClient) -> None:
    ada = await join("Ada")
    talkers, others = await opened(ada), await opened(ada)
    elsewhere = (await others.say(0, "Hello"))["message_id"]
    for after in (elsewhere, f"{elsewhere}.1", "msg_" + "0" * 26, "1", "", ".", ".1", "start.x", "start.-1", "\0"):
        answer = await client.get(f"{talkers.path}/messages", params={"after": after})
        assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, "/after"), after


async def test_a_message_sent_twice_with_one_key_is_said_once(join: Join, client: httpx.AsyncClient) -> None:
    talkers = await playing(join)
    first, second = await asyncio.gather(talkers.say(0, "Hello", key="one"), talkers.say(0, "Hello", key="one"))
    assert first == second == await talkers.say(0, " Hello\n", key="one")
    assert await talkers.say(1, "Hello", key="one") != first
    for other in ({"text": "Bye"}, {"pledge": {"phase": "set1", "face": 1}}):
        answer = await talkers.send(0, key="one", **other)
        assert (answer.status_code, answer.json()["code"]) == (422, "key_reused")
    await talkers.say(0, "Hello")
    assert await talkers.texts(client) == ["Hello"] * 3


async def test_a_player_who_talks_too_fast_is_told_when_to_go_on(
    join: Join, client: httpx.AsyncClient, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of ten seconds some might pass on a machine that is busy; of an hour nothing does."""
    assert timedelta(seconds=10) == messages.MESSAGES_WITHIN
    monkeypatch.setattr(messages, "MESSAGES_WITHIN", HOUR)
    talkers = await playing(join)
    answers = await asyncio.gather(*(talkers.send(0, str(number), key=str(number)) for number in range(MESSAGES_MAX + 5)))
    late = [number for number, answer in enumerate(answers) if answer.status_code == 429]
    assert len(late) == 5
    for number in late:
        assert answers[number].json()["code"] == "rate_limited"
        assert 3_500 < int(answers[number].headers["retry-after"]) <= 3_600
    on_time = next(number for number in range(MESSAGES_MAX + 5) if number not in late)
    assert await talkers.say(0, str(on_time), key=str(on_time)) == answers[on_time].json()
    await talkers.say(1, "I am not in a hurry")
    assert len(await talkers.texts(client)) == MESSAGES_MAX + 1
    await execute(database_url, "UPDATE match_messages SET at = at - interval '1 hour'")
    await talkers.say(0, str(late[0]), key=str(late[0]))


async def test_the_talk_of_a_private_match_is_unknown_to_the_uninvited(join: Join, client: httpx.AsyncClient) -> None:
    ada, bob, eve = [await join(name) for name in ("Ada", "Bob", "Eve")]
    talkers = await opened(ada, visibility="private")
    await sit(talkers, bob, invite=(await ada.get(talkers.path)).json()["invite"])
    await talkers.say(1, "Just us")
    await bob.delete(f"{talkers.path}/seats/me")
    unknown = Talkers("/v1/matches/mat_" + "0" * 32, [ada, bob])
    for reader in (bob, eve, client):
        for path in (talkers.path, unknown.path):
            problem = (await reader.get(f"{path}/messages", params={"wait": 1, "after": "x"})).json()
            assert (problem["status"], problem["code"], problem["detail"]) == (404, "match_not_found", "There is no such match.")
    for one in (talkers, unknown):
        assert (await one.send(1, "Let me in")).json()["code"] == "match_not_found"
    assert await talkers.texts(ada) == ["Just us"]


async def test_who_loses_their_seat_while_they_wait_hears_no_more_than_others(join: Join) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    talkers = await opened(ada, visibility="private")
    await sit(talkers, bob, invite=(await ada.get(talkers.path)).json()["invite"])
    cursor = (await talkers.heard(bob))["next_cursor"]
    waiting = asyncio.create_task(bob.get(f"{talkers.path}/messages", params={"wait": 25, "after": cursor}))
    await asyncio.sleep(0.1)
    await ada.delete(f"{talkers.path}/seats/1/player")
    await talkers.say(0, "Now that Bob is gone")
    assert (await waiting).status_code == 404


async def test_a_match_without_spectators_lets_nobody_else_listen(join: Join, client: httpx.AsyncClient) -> None:
    talkers = await playing(join, spectators="none")
    await talkers.say(0, "Just us")
    answer = await client.get(f"{talkers.path}/messages")
    assert (answer.status_code, answer.json()["code"]) == (403, "no_spectators")
    assert await talkers.texts(talkers.players[2]) == ["Just us"]


async def test_who_sees_the_play_with_a_delay_hears_the_talk_with_the_same_delay(join: Join, client: httpx.AsyncClient) -> None:
    talkers = await playing(join, spectators="delayed")
    ada = talkers.players[0]
    said_at = (await ada.get(talkers.path)).json()["version"]
    said = await talkers.pledge(0, "set1", 4)
    await talkers.show([4, 1, 1])
    events = (await ada.get(f"{talkers.path}/events")).json()["items"]
    shown_at = next(item["version"] for item in events if item["event"]["type"] == "schemers.die_revealed")
    seen, answers = 0, set()
    while seen < shown_at:
        assert (await talkers.heard(ada))["items"][0]["pledge"]["kept"] is True
        page, seen = await talkers.heard(client), (await client.get(talkers.path)).json()["version"]
        kept = True if seen >= shown_at else None
        assert [(item["message_id"], item["pledge"]["kept"]) for item in page["items"]] == [(said["message_id"], kept)] * (seen >= said_at)
        assert page["tally"][0] == {"seat": 0, "made": int(seen >= said_at), "kept": int(seen >= shown_at), "broken": 0}
        answers.add((seen >= said_at, seen >= shown_at))
        await talkers.show([1, 1, 1])
    assert answers == {(False, False), (True, False), (True, True)}


async def test_who_waits_for_talk_with_a_delay_is_told_as_soon_as_the_play_has_come_so_far(
    app: Litestar, join: Join, client: httpx.AsyncClient
) -> None:
    talkers = await playing(join, spectators="delayed")
    said_at = (await talkers.players[0].get(talkers.path)).json()["version"]
    cursor = (await talkers.heard(client))["next_cursor"]
    waiting = asyncio.create_task(client.get(f"{talkers.path}/messages", params={"wait": 25, "after": cursor}))
    async with asyncio.timeout(25):
        while not app.state.talk.watch.waiting:  # noqa: ASYNC110 - the very moment is wanted, from which on a word rings.
            await asyncio.sleep(0)
    said = await talkers.say(0, "Now it begins")
    while (await client.get(talkers.path)).json()["version"] < said_at:
        assert not waiting.done()
        await talkers.show([1, 1, 1])
    answer = await asyncio.wait_for(waiting, 25)
    assert answer.json()["items"] == [said]


async def execute(database_url: str, statement: str) -> None:
    connection = await asyncpg.connect(database_url)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()
