"""How secrets got out of other services like this one, each as a test that it does not happen here."""

import hashlib
import json
import re
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from service.chance import PREFIX
from tests.twins.stories import DECK
from tests.twins.worlds import SEED, World, world

CARD = re.compile(r'"((?:beige|white|ochre|black)-\d)"')
DEAL = {"seats": 3, "testing": {"outcomes": [DECK, [1]], "seed": SEED}}
"""Each seat holds the next eight cards of the deck, and seat 0 leads."""


@pytest_asyncio.fixture
async def here(database_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[World]:
    async with world(database_url, monkeypatch) as made:
        yield made


async def playing(here: World, game: str, *names: str, **terms: Any) -> str:
    """The path of a match in play with these players, each a viewer, and Eve beside it."""
    host, *others = [await here.join(name) for name in names]
    await here.join("eve")
    options = {"game": game, **terms.pop("options", {})}
    view = await here.done(host, "POST", "/v1/matches", {"options": options, "seats": len(names), **terms})
    path = f"/v1/matches/{view['match_id']}"
    for other in others:
        await here.done(other, "POST", f"{path}/seats", {"invite": view["invite"] or ""})
    return path


async def view(here: World, name: str, path: str) -> dict[str, Any]:
    seen: dict[str, Any] = await here.done(here.viewers[name], "GET", path)
    return seen


async def choose(here: World, name: str, path: str, at: int = 0) -> Any:
    choice = (await view(here, name, path))["decisions"][0]["choices"][at]
    await here.done(here.viewers[name], "POST", f"{path}/commands", {"command": choice})
    return choice


def told(here: World, name: str) -> str:
    """Everything that this viewer was told, but for the announcement of which cards the game is played with."""
    return re.sub(r'\{"type":"black-sheep.series_begun".*?\}', "", "".join(note.body for note in here.notes if note.viewer == name))


async def test_a_spectator_was_handed_the_first_state_with_all_hands_the_deck_and_the_seed(here: World) -> None:
    path = await playing(here, "black-sheep", "ada", "bob", "cid", **DEAL)
    await here.look(path)
    for name in ("nobody", "eve", "operator", "ada", "bob", "cid"):
        assert SEED not in told(here, name)
    for name in ("nobody", "eve", "operator"):
        assert CARD.findall(told(here, name)) == []


async def test_a_client_that_was_cut_off_could_turn_over_cards_that_it_held_already(here: World) -> None:
    path = await playing(here, "black-sheep", "ada", "bob", "cid", **DEAL)
    await here.look(path)
    for seat, name in enumerate(("ada", "bob", "cid")):
        assert set(CARD.findall(told(here, name))) == set(DECK[8 * seat : 8 * (seat + 1)]), f"{name} was told of a card that is not theirs"


async def test_the_log_kept_the_arguments_of_moves_and_published_a_secret_choice(here: World) -> None:
    path = await playing(here, "pico", "ada", "bob")
    choices = (await view(here, "ada", path))["decisions"][0]["choices"]
    await choose(here, "ada", path)
    await here.look(path, "ada")
    for name in ("bob", "eve", "nobody"):
        page = await here.done(here.viewers[name], "GET", f"{path}/events?limit=500")
        item = page["items"][-1]
        assert item["event"] == {"type": "pico.card_committed", "seat": 0, "card": None}
        guesses = [json.dumps(each, separators=(",", ":"), sort_keys=True).encode() for each in choices]
        assert item["seal"] not in {hashlib.sha256(guess).hexdigest() for guess in guesses}, "a hash that can be reversed by trying"


async def test_whoever_named_another_seat_in_the_request_saw_through_its_eyes(here: World) -> None:
    path = await playing(here, "black-sheep", "ada", "bob", "cid", **DEAL)
    ada = (await view(here, "ada", path))["seats"][0]["player_id"]
    for name in ("bob", "eve", "nobody"):
        plain = {key: value for key, value in (await view(here, name, path)).items() if key != "server_time"}
        asked = await here.call(here.viewers[name], "GET", path, **{"X-Player-Id": ada, "Cookie": f"player={ada}"})
        assert {key: value for key, value in asked.json().items() if key != "server_time"} == plain
        for wish in ("seat=0", "you=0", "viewer=0", f"player_id={ada}", "as=host"):
            refused = await here.call(here.viewers[name], "GET", f"{path}?{wish}")
            assert (refused.status_code, refused.json()["code"]) == (400, "invalid_parameter")


async def test_a_player_without_a_choice_was_passed_over_and_the_others_knew_what_they_did_not_hold(here: World) -> None:
    """Bob holds one card of the colour led, or many. He is asked all the same, and nobody can tell."""
    seen = []
    for hand in ([*DECK[:8], *DECK[14:21], "white-2", *DECK[9:14], *DECK[21:]], DECK):
        path = await playing(here, "black-sheep", "ada", "bob", "cid", seats=3, testing={"outcomes": [hand, [1]]})
        offered = (await view(here, "ada", path))["decisions"][0]["choices"]
        white = next(choice for choice in offered if choice["card"].startswith("white"))
        await here.done(here.viewers["ada"], "POST", f"{path}/commands", {"command": white})
        now = await view(here, "eve", path)
        seen.append((now["waiting_for"], now["version"], len((await view(here, "bob", path))["decisions"][0]["choices"])))
    (*forced, one), (*free, many) = seen
    assert forced == free
    assert free[0] == [1]
    assert one == 1 < many


async def test_the_others_choices_were_on_the_wire_before_the_reveal(here: World) -> None:
    path = await playing(here, "pico", "ada", "bob")
    before = await view(here, "bob", path)
    await choose(here, "ada", path)
    after = await view(here, "bob", path)
    assert {key for key in before if before[key] != after[key]} <= {"version", "waiting_for", "table", "server_time"}
    assert {key for key in before["table"] if before["table"][key] != after["table"][key]} <= {"committed"}


async def test_who_chose_last_saw_what_the_others_had_chosen(here: World) -> None:
    path = await playing(here, "wolves", "ada", "bob", "cid")
    first = (await view(here, "ada", path))["table"]
    chosen = [await choose(here, name, path, at) for at, name in enumerate(("cid", "bob"))]
    last = (await view(here, "ada", path))["table"]
    assert {key for key in first if first[key] != last[key]} <= {"committed"}
    assert json.dumps(last.get("committed")).count(chosen[0]["card"]) == 0
    chosen.append(await choose(here, "ada", path, 2))
    page = await here.done(here.viewers["eve"], "GET", f"{path}/events?limit=500")
    [shown] = [item["event"]["cards"] for item in page["items"] if item["event"]["type"] == "wolves.cards_revealed"]
    assert shown == [each["card"] for each in reversed(chosen)], "in seat order, whoever came first"


async def test_a_second_account_that_looked_on_saw_everything(here: World) -> None:
    path = await playing(here, "black-sheep", "ada", "bob", "cid", **DEAL)
    await here.look(path, "ada", "bob", "cid")
    assert CARD.findall(told(here, "eve")) == []
    quiet = await here.done(here.viewers["ada"], "POST", "/v1/matches", {"options": {"game": "pico"}, "spectators": "none"})
    hidden = f"/v1/matches/{quiet['match_id']}"
    assert (await view(here, "bob", hidden))["spectators"] == "none", "before anybody sits down"
    await here.done(here.viewers["bob"], "POST", f"{hidden}/seats", {})
    assert (await here.call(here.viewers["eve"], "GET", hidden)).json()["code"] == "no_spectators"


async def test_a_replay_could_be_had_in_the_middle_of_the_game(here: World) -> None:
    path = await playing(here, "pico", "ada", "bob")
    await choose(here, "ada", path)
    for name in here.viewers:
        assert (await here.call(here.viewers[name], "GET", f"{path}/record")).json()["code"] == "match_not_over"
        assert (await here.call(here.viewers[name], "GET", f"{path}/proof")).json()["proof"] is None


async def test_the_id_in_a_link_was_all_it_took_to_play_for_another(here: World) -> None:
    path = await playing(here, "pico", "ada", "bob", visibility="private", start="by_host")
    code, seen = (await view(here, "ada", path))["invite"], await view(here, "bob", path)
    assert code
    await here.look(path, "ada")
    for name in here.viewers:
        assert code not in told(here, name), "the host alone has the code"
    await here.done(here.viewers["ada"], "POST", f"{path}/start", {})
    await here.look(path)
    for name in here.viewers:
        assert PREFIX not in told(here, name), "no answer holds a token"
    for word in (seen["match_id"], seen["host"], seen["seats"][0]["player_id"], path):
        answer = await here.call(here.viewers["nobody"], "GET", path, Authorization=f"Bearer {word}")
        assert answer.status_code == 401


async def test_who_had_left_a_seat_could_play_for_who_sat_down_there(here: World) -> None:
    ada, bob, cid = [await here.join(name) for name in ("ada", "bob", "cid")]
    for visibility, unknown in (("public", "not_seated"), ("private", "match_not_found")):
        terms = {"options": {"game": "pico"}, "visibility": visibility, "start": "by_host"}
        opened = await here.done(ada, "POST", "/v1/matches", terms)
        path, invite = f"/v1/matches/{opened['match_id']}", {"invite": opened["invite"] or ""}
        await here.done(bob, "POST", f"{path}/seats", invite)
        await here.done(bob, "DELETE", f"{path}/seats/me")
        await here.done(cid, "POST", f"{path}/seats", invite)
        await here.done(ada, "POST", f"{path}/start", {})
        choice = (await view(here, "cid", path))["decisions"][0]["choices"][0]
        answer = await here.call(bob, "POST", f"{path}/commands", {"command": choice})
        assert answer.json()["code"] == unknown
        looked = await here.call(bob, "GET", path)
        assert looked.status_code == (200 if visibility == "public" else 404)
        assert visibility == "private" or (looked.json()["you"], looked.json()["decisions"]) == (None, [])


async def test_a_side_door_told_who_stood_behind_a_name_that_was_taken_away(here: World) -> None:
    """No table here is blind; what is hidden of a person is who erased themselves, and who has muted whom."""
    path = await playing(here, "schemers", "Ada Lovelace", "bob", "cid")
    ada = here.viewers.pop("Ada Lovelace")
    bob = (await view(here, "bob", path))["seats"][1]["player_id"]
    await here.done(ada, "POST", f"{path}/messages", {"text": "It is I, Ada Lovelace"})
    await here.done(ada, "PUT", f"/v1/players/me/mutes/{bob}")
    await here.done(ada, "DELETE", "/v1/players/me")
    await here.look(path)
    for name in here.viewers:
        assert "Lovelace" not in told(here, name)


async def test_a_whisper_reached_those_who_looked_on(here: World) -> None:
    path = await playing(here, "schemers", "ada", "bob", "cid", options={"whispers": True})
    await here.done(here.viewers["ada"], "POST", f"{path}/messages", {"text": "xyzzy", "to_seat": 1})
    await here.look(path)
    for name in ("bob", "cid", "ada"):
        await here.done(here.viewers[name], "POST", f"{path}/resign")
    await here.look(path)
    assert any(note.asked.endswith("/record") and note.status == 200 for note in here.notes), "the end has opened the record"
    assert "xyzzy" in told(here, "bob")
    for name in ("cid", "eve", "nobody", "operator"):
        assert "xyzzy" not in told(here, name)
