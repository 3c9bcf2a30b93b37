"""Test mode: time and chance at will for a front end's tests, and out of reach everywhere else."""

import httpx
import pytest

from service import settings
from service.app import create_app
from service.cant_run import CantRun
from tests.service.conftest import Join, inside, running
from tests.service.documented import Documented

DEAL = [4, 8, 10, 13, 16, 5, 6, 7, 9, 11, 12]
PICO = {"options": {"game": "pico"}}


async def test_the_deal_of_a_match_can_be_set_and_is_nobodys_to_read(join: Join) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    opened = (await ada.post("/v1/matches", json={**PICO, "testing": {"outcomes": [DEAL]}})).json()
    path = f"/v1/matches/{opened['match_id']}"
    view = (await bob.post(f"{path}/seats", json={})).json()
    assert view["table"]["hands"] == [sorted(DEAL[:5]), sorted(DEAL[5:10])]
    for reader in (ada, bob):
        events = (await reader.get(f"{path}/events")).json()["items"]
        assert [item["event"] for item in events if item["event"]["type"] == "match.draws_fixed"] == [
            {"type": "match.draws_fixed", "outcomes": None, "seed": None}
        ]


async def test_an_outcome_that_cannot_be_is_refused_and_nothing_begins(join: Join) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    opened = (await ada.post("/v1/matches", json={**PICO, "testing": {"outcomes": [[1, 2, 3]]}})).json()
    path = f"/v1/matches/{opened['match_id']}"
    answer = await bob.post(f"{path}/seats", json={})
    assert (answer.status_code, answer.json()["code"]) == (422, "outcome_does_not_fit")
    assert answer.json()["errors"] == [], "nothing is wrong with this request"
    assert (await bob.get(path)).json()["version"] == opened["version"]


@pytest.mark.parametrize(
    ("game", "outcome"),
    [
        *(("pico", [str(card) for card in DEAL]), ("pico", [str(DEAL[0]), *DEAL[1:]]), ("pico", [DEAL[0], *DEAL[:-1]])),
        *(("little-train", ["1", "2", "3", "4", "5"]), ("little-train", ["a"] * 5), ("little-train", [0, 1, 2, 3, 4])),
        ("black-sheep", [1] * 27),
    ],
)
async def test_faces_are_numbers_and_cards_what_they_are_in_the_game(join: Join, game: str, outcome: list[int | str]) -> None:
    ada = await join("Ada")
    answer = await ada.post("/v1/matches", json={"options": {"game": game}, "bots": ["easy"], "testing": {"outcomes": [outcome]}})
    if answer.status_code == 201:  # The first draw is at the word of a player.
        view = answer.json()
        [decision] = view["decisions"]
        answer = await ada.post(f"/v1/matches/{view['match_id']}/commands", json={"command": decision["choices"][0]})
    assert (answer.status_code, answer.json()["code"]) == (422, "outcome_does_not_fit")


async def test_two_matches_from_one_seed_are_the_same_to_the_last_roll(join: Join) -> None:
    """Whoever sits there and whatever entropy they bring; and another seed, or none, brings something else."""
    seeds = ["ab" * 32, "ab" * 32, "cd" * 32, None]
    stories = [await _story(join, f"{number}" * 32, {"seed": seed}) for number, seed in enumerate(seeds)]
    assert stories[0] == stories[1]
    assert len({str(story) for story in stories}) == 3


async def _story(join: Join, entropy: str, testing: object) -> list[object]:
    """What the dice and a bot bring in a match of Little Train in which the player always takes their first choice."""
    ada = await join("Ada")
    asked = {"options": {"game": "little-train", "games": 1}, "bots": ["easy"], "entropy": entropy, "testing": testing}
    view = (await ada.post("/v1/matches", json=asked)).json()
    path = f"/v1/matches/{view['match_id']}"
    while view["status"] != "ended":
        if view["decisions"]:
            await ada.post(f"{path}/commands", json={"command": view["decisions"][0]["choices"][0]})
        else:
            await ada.get(f"{path}/events", params={"after": view["version"], "wait": 5})
        view = (await ada.get(path)).json()
    return [
        item["event"] for item in (await ada.get(f"{path}/record")).json()["events"] if item["event"]["type"].startswith("little-train")
    ]


@pytest.mark.parametrize(
    ("testing", "told"), [({"seed": "ab" * 32}, [([], "ab" * 32)]), ({"outcomes": [DEAL]}, [([DEAL], None)]), ({}, [])]
)
async def test_a_match_whose_draws_were_set_says_so_in_its_record(join: Join, testing: object, told: list[object]) -> None:
    """The seed of the proof is another one: that which the server drew and committed to."""
    ada, bob = await join("Ada"), await join("Bob")
    path = f"/v1/matches/{(await ada.post('/v1/matches', json={**PICO, 'testing': testing})).json()['match_id']}"
    await bob.post(f"{path}/seats", json={})
    await bob.post(f"{path}/resign")
    record = (await ada.get(f"{path}/record")).json()
    events = [item["event"] for item in record["events"]]
    assert [(event["outcomes"], event["seed"]) for event in events if event["type"] == "match.draws_fixed"] == told
    assert record["proof"]["seed"] != "ab" * 32


async def test_time_passes_at_once(join: Join) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    opened = (await ada.post("/v1/matches", json={**PICO, "clock": {"turn_seconds": 5}})).json()
    path = f"/v1/matches/{opened['match_id']}"
    before = (await bob.post(f"{path}/seats", json={})).json()
    await ada.post(f"{path}/clock", json={"forward_seconds": 60})
    events = (await ada.get(f"{path}/events", params={"after": before["version"] + 1, "wait": 5})).json()["items"]
    assert [item["event"]["type"] for item in events][:4] == [
        "match.timed_out",
        "pico.card_committed",
        "pico.card_committed",
        "pico.cards_revealed",
    ]


async def test_a_server_that_is_not_in_test_mode_does_none_of_this(database_url: str) -> None:
    async with running(create_app(settings.read({"DATABASE_URL": database_url}))) as app:
        transport = Documented(inside(app))
        async with httpx.AsyncClient(transport=transport, base_url="http://ludicitude.test") as nobody:
            token = (await nobody.post("/v1/players", json={"display_name": "Ada"})).json()["token"]
            headers = {"Authorization": f"Bearer {token}"}
            opened = (await nobody.post("/v1/matches", json=PICO, headers=headers)).json()
            clock = f"/v1/matches/{opened['match_id']}/clock"
            for answer in (
                await nobody.post(clock, json={"forward_seconds": 60}, headers=headers),
                await nobody.post("/v1/matches", json={**PICO, "testing": {}}, headers=headers),
            ):
                assert (answer.status_code, answer.json()["code"]) == (403, "test_mode_off")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_test_mode_is_refused_where_strangers_reach_the_server(host: str) -> None:
    with pytest.raises(CantRun, match="LUDICITUDE_TEST_MODE"):
        settings.read({"LUDICITUDE_TEST_MODE": "on", "HOST": host})
