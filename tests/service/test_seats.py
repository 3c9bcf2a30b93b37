"""Who holds a seat, whoever else wants it, and what becomes of it when its player goes."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator

import httpx
import pytest
import pytest_asyncio
from litestar import Litestar

from service import settings
from service.app import create_app
from tests.service.conftest import Join, bearing, inside, running
from tests.service.documented import Documented
from tests.service.talkers import Talkers, playing

PICO = {"options": {"game": "pico"}}
HOSTED = {"options": {"game": "black-sheep"}, "seats": 4, "start": "by_host"}
ROUNDS = 5
"""Of eight seats that choose at once: on a bigger machine 200, which take a minute and tell no more."""


@pytest_asyncio.fixture
async def other(database_url: str) -> AsyncIterator[Litestar]:
    """A second process on the same database."""
    async with running(create_app(settings.read({"DATABASE_URL": database_url}))) as made:
        yield made


def elsewhere(other: Litestar, player: httpx.AsyncClient) -> httpx.AsyncClient:
    """The same player, who calls at the other process."""
    return bearing(Documented(inside(other)), player.headers["Authorization"].removeprefix("Bearer "))


async def test_the_last_seat_is_taken_once_by_thirty_two_who_want_it_at_once(other: Litestar, join: Join) -> None:
    """Everybody else hears that the match is full, in whichever process, also as it begins with that."""
    ada = await join("Ada")
    for terms in (PICO, {**HOSTED, "seats": 2}):
        path = f"/v1/matches/{(await ada.post('/v1/matches', json=terms)).json()['match_id']}"
        crowd = [await join(f"Fan {number}") for number in range(32)]
        crowd[::2] = [elsewhere(other, fan) for fan in crowd[::2]]
        answers = await asyncio.gather(*(fan.post(f"{path}/seats", json={}) for fan in crowd))
        assert Counter(answer.json().get("code", answer.status_code) for answer in answers) == {200: 1, "match_full": 31}
        assert [seat["kind"] for seat in (await ada.get(path)).json()["seats"]] == ["player", "player"]


async def test_a_player_who_clicks_ten_times_leaves_and_comes_again_has_one_seat(other: Litestar, join: Join) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    path = f"/v1/matches/{(await ada.post('/v1/matches', json=HOSTED)).json()['match_id']}"
    for _ in range(2):
        hands = [bob, elsewhere(other, bob)]
        answers = await asyncio.gather(*(hands[number % 2].post(f"{path}/seats", json={}) for number in range(10)))
        assert Counter(answer.json().get("code", answer.status_code) for answer in answers) == {200: 1, "already_seated": 9}
        gone = await asyncio.gather(bob.delete(f"{path}/seats/me"), bob.post(f"{path}/seats", json={"seat": 3}))
        assert gone[0].status_code == 204
        seats = (await ada.get(path)).json()["seats"]
        assert sum(seat["display_name"] == "Bob" for seat in seats) <= 1
        await bob.delete(f"{path}/seats/me")


async def test_seats_that_choose_in_the_same_instant_are_all_heard_and_revealed_together(other: Litestar, join: Join) -> None:
    """Round after round, through both processes, with the same expected version known to all."""
    talkers = await playing(join, *(f"Player {seat}" for seat in range(8)), options={"stakes": "100-200", "rounds_max": ROUNDS})
    talkers.players[::2] = [elsewhere(other, player) for player in talkers.players[::2]]
    shows = 0
    while (view := (await talkers.players[1].get(talkers.path)).json())["status"] == "playing":
        await together(talkers, view["waiting_for"], {"type": "schemers.ready"})
        await together(talkers, view["waiting_for"], {"type": "schemers.commit_die", "face": 1})
        shows += 1
    items = (await talkers.players[1].get(f"{talkers.path}/events", params={"limit": 500})).json()["items"]
    assert [item["version"] for item in items] == list(range(1, len(items) + 1))
    committed = [item["seat"] for item in items if item["event"]["type"] == "schemers.die_committed"]
    revealed = [item["event"]["seat"] for item in items if item["event"]["type"] == "schemers.die_revealed"]
    assert Counter(committed) == Counter(revealed)
    assert shows == 2 * ROUNDS


async def together(talkers: Talkers, seats: list[int], command: dict[str, object]) -> None:
    """All these seats send the same choice at the same moment."""
    sent = (talkers.players[seat].post(f"{talkers.path}/commands", json={"command": command}) for seat in seats)
    for answer in await asyncio.gather(*sent):
        assert answer.status_code == 200, answer.text


async def test_one_click_sent_twice_is_one_choice_and_an_old_answer_is_none(join: Join) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    path = f"/v1/matches/{(await ada.post('/v1/matches', json=PICO)).json()['match_id']}"
    await bob.post(f"{path}/seats", json={})
    [decision] = (await ada.get(path)).json()["decisions"]
    first, second = decision["choices"][:2]
    asked = {"command": first, "decision": decision["decision"]}
    key = {"Idempotency-Key": "click"}
    twins = await asyncio.gather(*(ada.post(f"{path}/commands", json=asked, headers=key) for _ in range(5)))
    assert {(answer.status_code, str(answer.json()["events"])) for answer in twins} == {(200, str(twins[0].json()["events"]))}
    other = await ada.post(f"{path}/commands", json={**asked, "command": second}, headers=key)
    assert (other.status_code, other.json()["code"]) == (422, "key_reused")
    [bobs] = (await bob.get(path)).json()["decisions"]
    await bob.post(f"{path}/commands", json={"command": bobs["choices"][0]})
    version = (await ada.get(path)).json()["version"]
    for stale in ({"json": asked}, {"json": {"command": second}, "headers": {"If-Match": '"v4"'}}):
        answer = await ada.post(f"{path}/commands", **stale)  # type: ignore[arg-type]
        assert (answer.status_code, answer.json()["code"]) in ((409, "decision_closed"), (412, "precondition_failed"))
    assert (await ada.get(path)).json()["version"] == version


@pytest.mark.parametrize("visibility", ["public", "private"])
async def test_the_token_of_who_left_a_seat_plays_no_more_for_it(join: Join, visibility: str) -> None:
    """Somebody else sits there now; who left sees what a spectator sees, and of a private match nothing."""
    ada, bob, cid = [await join(name) for name in ("Ada", "Bob", "Cid")]
    opened = (await ada.post("/v1/matches", json={**PICO, "start": "by_host", "visibility": visibility})).json()
    path, asked = f"/v1/matches/{opened['match_id']}", {"invite": opened["invite"], "seat": 1}
    assert (await bob.post(f"{path}/seats", json=asked)).json()["you"] == 1
    await bob.delete(f"{path}/seats/me")
    assert (await cid.post(f"{path}/seats", json=asked)).json()["you"] == 1
    await ada.post(f"{path}/start")
    [decision] = (await cid.get(path)).json()["decisions"]
    choice = {"command": decision["choices"][0], "decision": decision["decision"]}
    refused = (403, "not_seated") if visibility == "public" else (404, "match_not_found")
    for body, below in ((choice, "/commands"), ({"text": "Still here"}, "/messages"), (None, "/resign")):
        answer = await bob.post(path + below, json=body)
        assert (answer.status_code, answer.json()["code"]) == refused
    await cid.post(f"{path}/commands", json=choice)
    if visibility == "public":
        assert (await bob.get(path)).json()["you"] is None
        last = (await bob.get(f"{path}/events", params={"limit": 500})).json()["items"][-1]
        assert (last["event"]["type"], last["event"]["card"]) == ("pico.card_committed", None)
    else:
        assert [(await bob.get(path + below)).status_code for below in ("", "/events", "/messages", "/proof")] == [404] * 4


async def test_a_host_who_leaves_passes_the_match_on_and_the_last_one_closes_it(join: Join, client: httpx.AsyncClient) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    match_id = (await ada.post("/v1/matches", json=HOSTED)).json()["match_id"]
    path = f"/v1/matches/{match_id}"
    await bob.post(f"{path}/seats", json={})
    told = asyncio.create_task(bob.get(f"{path}/events", params={"after": 3, "wait": 20}))
    await ada.delete(f"{path}/seats/me")
    [left] = (await told).json()["items"]
    bob_id = (await bob.get("/v1/players/me")).json()["player_id"]
    assert (left["event"]["type"], left["event"]["host"]) == ("match.seat_left", bob_id)
    [listed] = (await client.get("/v1/matches", params={"status": "open"})).json()["items"]
    assert (listed["match_id"], listed["host"], listed["seats_open"]) == (match_id, bob_id, 3)
    assert (await ada.post(f"{path}/start", json={"fill_with_bots": "easy"})).status_code == 403
    assert (await bob.post(f"{path}/start", json={"fill_with_bots": "easy"})).json()["status"] == "playing"
    alone = f"/v1/matches/{(await ada.post('/v1/matches', json=HOSTED)).json()['match_id']}"
    await ada.delete(f"{alone}/seats/me")
    assert (await client.get("/v1/matches", params={"status": "open"})).json()["items"] == []
    assert (await ada.get(alone)).json()["result"] == {"ranking": [], "reason": "closed"}


async def test_who_resigned_sees_what_the_seat_sees_does_nothing_for_it_and_comes_back_to_all_of_it(join: Join) -> None:
    """No more than the seat saw all the time, and nothing of the others; a bot of the seat plays meanwhile."""
    ada, bob = await join("Ada"), await join("Bob")
    opened = (await ada.post("/v1/matches", json={"options": {"game": "black-sheep"}, "seats": 4, "bots": ["easy", "easy"]})).json()
    path = f"/v1/matches/{opened['match_id']}"
    before = (await bob.post(f"{path}/seats", json={})).json()
    assert before["you"] == 3
    gone = (await bob.post(f"{path}/resign")).json()
    assert gone["seats"][3] == {**before["seats"][3], "stand_in": True, "resigned": True}
    assert (gone["you"], gone["decisions"], gone["table"]["your_hand"]) == (3, [], before["table"]["your_hand"])
    for _ in range(200):
        view = (await bob.get(path)).json()
        if view["waiting_for"] == [0] or view["status"] == "ended":
            break
        for below, body in (
            ("/commands", {"command": {"type": "black-sheep.play_card", "card": view["table"]["your_hand"][0]}}),
            ("/resign", None),
        ):
            refused = await bob.post(path + below, json=body)
            assert (refused.status_code, refused.json()["code"]) == (409, "resigned")
        await asyncio.sleep(0.02)
    hidden = await bob.get(f"{path}/events", params={"limit": 500})
    dealt = [item["event"] for item in hidden.json()["items"] if item["event"]["type"] == "black-sheep.hand_dealt"]
    assert [event["seat"] for event in dealt if event["cards"] is not None] == [3]
    assert (await bob.get(f"{path}/record")).json()["code"] == "match_not_over"
    assert (await bob.post(f"{path}/messages", json={"text": "I watch"})).status_code == 201
    stranger = await (await join("Eve")).post(f"{path}/seats", json={"seat": 3})
    assert (stranger.status_code, stranger.json()["code"]) == (409, "match_full")
    back = (await bob.post(f"{path}/seats", json={})).json()
    assert back["seats"][3] == before["seats"][3]
    assert back["you"] == 3


async def test_what_a_stand_in_has_chosen_in_secret_is_shown_to_the_seat_s_own_player_alone_and_stays_chosen(join: Join) -> None:
    """The seat stays theirs, so they see all that it sees; since the choice is made, nothing can be done with knowing it."""
    ada, bob, cid = players = [await join(name) for name in ("Ada", "Bob", "Cid")]
    opened = (await ada.post("/v1/matches", json={"options": {"game": "wolves"}, "seats": 3})).json()
    path = f"/v1/matches/{opened['match_id']}"
    for player in players[1:]:
        await player.post(f"{path}/seats", json={})
    version = (await cid.post(f"{path}/resign")).json()["version"]
    await cid.get(f"{path}/events", params={"after": version, "wait": 10})
    seen = [(await player.get(path)).json() for player in (*players, await join("Eve"))]
    assert seen[2]["waiting_for"] == [0, 1]
    chosen = seen[2]["table"]["your_card"]
    assert chosen is not None
    assert [view["table"]["your_card"] for view in (seen[0], seen[1], seen[3])] == [None] * 3
    told = [(await player.get(f"{path}/events", params={"after": version})).json()["items"][0]["event"]["card"] for player in players]
    assert told == [None, None, chosen]
    other = {"command": {"type": "wolves.commit_card", "card": next(card for card in seen[2]["table"]["hands"][2] if card != chosen)}}
    assert (await cid.post(f"{path}/commands", json=other)).json()["code"] == "resigned"
    back = (await cid.post(f"{path}/seats", json={})).json()
    assert (back["seats"][2]["stand_in"], back["decisions"], back["table"]["your_card"]) == (False, [], chosen)
    assert (await cid.post(f"{path}/commands", json=other)).json()["code"] == "not_your_turn"
    for player in (ada, bob):
        [decision] = (await player.get(path)).json()["decisions"]
        await player.post(f"{path}/commands", json={"command": decision["choices"][0]})
    events = [item["event"] for item in (await ada.get(f"{path}/events", params={"limit": 500})).json()["items"]]
    assert next(event["cards"] for event in events if event["type"] == "wolves.cards_revealed")[2] == chosen


@pytest.mark.parametrize(("field", "value"), [("entropy", "ab" * 16 + "\n"), ("testing", {"seed": "ab" * 32 + "\n"})])
async def test_what_is_hex_ends_where_the_document_says(join: Join, field: str, value: object) -> None:
    """Python's `$` stands before a line break too, and that of the document at the end alone."""
    ada = await join("Ada")
    refused = await ada.post("/v1/matches", json={"options": {"game": "pico"}, field: value})
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid_body")
    assert refused.json()["errors"][0]["detail"].endswith("$'.")


@pytest.mark.parametrize("name", [" - at `$.bots.x", f" - at `$.bots[{'9' * 5000}]", "x` - at `$.bots[0].y", " - at `$.bots[0]"])
async def test_the_name_of_an_unknown_field_may_look_like_a_place(join: Join, name: str) -> None:
    ada = await join("Ada")
    refused = await ada.post("/v1/matches", json={"bots": ["easy"], name: 1})
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid_body")
