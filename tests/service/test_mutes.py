"""Mutes, which nobody notices but the player who mutes; and the words of players who are erased."""

import asyncio

import asyncpg
import httpx
from litestar import Litestar

from service.talk.mutes import MUTES_MAX
from tests.service.conftest import Join
from tests.service.talkers import playing

WHISPERS = {"whispers": True}


async def player_id(client: httpx.AsyncClient) -> str:
    return str((await client.get("/v1/players/me")).json()["player_id"])


async def test_who_mutes_a_player_reads_nothing_of_them_and_nobody_else_notices(join: Join, client: httpx.AsyncClient) -> None:
    talkers = await playing(join, options=WHISPERS)
    ada, bob, cid = talkers.players
    eve = await join("Eve")
    await talkers.say(1, "before")
    for reader in (ada, eve):
        assert (await reader.put(f"/v1/players/me/mutes/{await player_id(bob)}")).status_code == 204
    await talkers.say(1, "after")
    await talkers.say(1, "aside", to_seat=0)
    await talkers.pledge(1, "set1", 1)
    await talkers.say(2, "what Cid says")
    for reader in (ada, eve):
        page = await talkers.heard(reader)
        assert [item["text"] for item in page["items"]] == ["what Cid says"]
        assert page["tally"][1]["made"] == 1
    assert await talkers.texts(bob) == ["before", "after", "aside", None, "what Cid says"]
    for reader in (cid, client):
        assert await talkers.texts(reader) == ["before", "after", None, "what Cid says"]
    await talkers.say(0, "Bob, do you hear me?", to_seat=1)
    assert (await talkers.texts(bob))[-1] == "Bob, do you hear me?"
    assert (await ada.delete(f"/v1/players/me/mutes/{await player_id(bob)}")).status_code == 204
    assert await talkers.texts(ada) == ["before", "after", "aside", None, "what Cid says", "Bob, do you hear me?"]


async def test_a_message_of_a_muted_player_wakes_nobody_who_muted_them(join: Join) -> None:
    talkers = await playing(join)
    await talkers.say(0, "Hello")
    last = (await talkers.heard(talkers.players[0]))["next_cursor"]
    await talkers.players[0].put(f"/v1/players/me/mutes/{await player_id(talkers.players[1])}")
    await talkers.say(1, "Hey!")
    page = await talkers.heard(talkers.players[0], after=last, wait=1)
    assert (page["items"], page["next_cursor"]) == ([], last)


async def test_players_who_mute_each_other_in_the_same_moment_do_not_stand_in_each_other_s_way(join: Join) -> None:
    players = [await join(f"Player {number}") for number in range(4)]
    ids = [await player_id(player) for player in players]
    muting = [one.put(f"/v1/players/me/mutes/{other}") for one, own in zip(players, ids, strict=True) for other in ids if other != own]
    tokens = [player.post("/v1/players/me/tokens") for player in players]
    answers = await asyncio.gather(*muting, *tokens)
    assert {answer.status_code for answer in answers} == {204, 201}, [answer.text for answer in answers]


async def test_mutes_are_listed_and_taken_back_as_often_as_one_likes(join: Join) -> None:
    ada, bob, cid = [await join(name) for name in ("Ada", "Bob", "Cid")]
    assert (await ada.get("/v1/players/me/mutes")).json() == {"items": [], "next_cursor": None}
    for muted in (bob, cid, bob):
        assert (await ada.put(f"/v1/players/me/mutes/{await player_id(muted)}")).status_code == 204
    items = (await ada.get("/v1/players/me/mutes")).json()["items"]
    assert [(item["player_id"], item["display_name"]) for item in items] == [(await player_id(bob), "Bob"), (await player_id(cid), "Cid")]
    assert (await bob.get("/v1/players/me/mutes")).json()["items"] == []
    for _ in range(2):
        assert (await ada.delete(f"/v1/players/me/mutes/{await player_id(bob)}")).status_code == 204
    assert [item["display_name"] for item in (await ada.get("/v1/players/me/mutes")).json()["items"]] == ["Cid"]


async def test_only_another_player_can_be_muted(join: Join, client: httpx.AsyncClient) -> None:
    ada = await join("Ada")
    for muted, status, code in (
        (await player_id(ada), 422, "mute_yourself"),
        ("ply_" + "0" * 26, 404, "player_not_found"),
        ("%00", 404, "player_not_found"),
    ):
        answer = await ada.put(f"/v1/players/me/mutes/{muted}")
        assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert (await ada.delete("/v1/players/me/mutes/%00")).status_code == 204
    assert (await client.put(f"/v1/players/me/mutes/{await player_id(ada)}")).status_code == 401


async def test_a_player_mutes_only_so_many(join: Join, database_url: str) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    connection = await asyncpg.connect(database_url)
    await connection.execute(
        f"""
        INSERT INTO players (player_id, display_name) SELECT 'ply_' || n, 'One of many' FROM generate_series(1, {MUTES_MAX}) n;
        INSERT INTO player_mutes (player_id, muted_id) SELECT '{await player_id(ada)}', 'ply_' || n FROM generate_series(2, {MUTES_MAX}) n
        """
    )
    await connection.close()
    cid = await join("Cid")
    for muted, status in ((bob, 204), (cid, 409), (bob, 204)):
        assert (await ada.put(f"/v1/players/me/mutes/{await player_id(muted)}")).status_code == status
    assert len((await ada.get("/v1/players/me/mutes")).json()["items"]) == MUTES_MAX


async def test_the_words_of_a_player_who_is_forgotten_are_gone_and_the_talk_goes_on(
    join: Join, client: httpx.AsyncClient, app: Litestar, database_url: str
) -> None:
    talkers = await playing(join, options=WHISPERS)
    ada, bob, _ = talkers.players
    await talkers.say(0, "Hello Bob")
    cursor = (await talkers.say(1, "my address is a secret"))["message_id"]
    await talkers.say(1, "so is this", to_seat=0)
    await talkers.pledge(1, "set1", 3)
    await talkers.say(0, "Bye Bob")
    await bob.put(f"/v1/players/me/mutes/{await player_id(ada)}")
    await ada.put(f"/v1/players/me/mutes/{await player_id(bob)}")
    await app.state.talk.forget(await player_id(bob))
    for reader in (*talkers.players, client):
        assert await talkers.texts(reader) == ["Hello Bob", None, "Bye Bob"]
        assert await talkers.texts(reader, after=cursor) == [None, "Bye Bob"]
        assert (await talkers.heard(reader))["tally"][1]["made"] == 1
    database = await asyncpg.connect(database_url)
    assert await database.fetchval("SELECT count(*) FROM match_messages WHERE text LIKE '%is a secret' OR text = 'so is this'") == 0
    assert await database.fetchval("SELECT count(*) FROM player_mutes") == 0
    await database.close()
