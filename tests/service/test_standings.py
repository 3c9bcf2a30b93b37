"""Where players stand, as a front end meets it."""

import asyncio
import time
from typing import Any

import httpx

from tests.service.conftest import Join

STANDINGS = "/v1/games/pico/standings"


async def beaten(winner: httpx.AsyncClient, loser: httpx.AsyncClient) -> str:
    """Play a match that the loser gives up; answers its id."""
    match_id = (await winner.post("/v1/matches", json={"options": {"game": "pico"}})).json()["match_id"]
    await loser.post(f"/v1/matches/{match_id}/seats", json={})
    assert (await loser.post(f"/v1/matches/{match_id}/resign")).json()["result"]["reason"] == "resigned"
    return str(match_id)


async def counted(client: httpx.AsyncClient, game: str, seats: int) -> list[dict[str, Any]]:
    """The standings as soon as matches with so many seats in all count."""
    gives_up = time.monotonic() + 60
    while time.monotonic() < gives_up:
        items: list[dict[str, Any]] = (await client.get(f"/v1/games/{game}/standings")).json()["items"]
        if sum(item["matches"] for item in items) == seats:
            return items
        await asyncio.sleep(0.01)
    raise AssertionError("the matches do not count")


async def test_a_match_that_is_over_counts_a_moment_later(client: httpx.AsyncClient, join: Join) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    answer = await client.get(STANDINGS)
    assert answer.json() == {"items": [], "next_cursor": None}
    assert answer.headers["cache-control"] == "public, max-age=1"
    await beaten(ada, bob)
    first, second = await counted(client, "pico", 2)
    assert (first["rank"], first["display_name"], first["wins"], first["mean_rank"]) == (1, "Ada", 1, 1)
    assert (second["rank"], second["display_name"], second["wins"], second["mean_rank"]) == (2, "Bob", 0, 2)
    assert first["rating"] > second["rating"]
    assert (await client.get("/v1/games/little-train/standings")).json()["items"] == []


async def test_the_best_train_that_was_built_alone_is_kept(client: httpx.AsyncClient, join: Join) -> None:
    ada = await join("Ada")
    opened = await ada.post("/v1/matches", json={"options": {"game": "little-train", "games": 2}, "seats": 1})
    view, path = opened.json(), f"/v1/matches/{opened.json()['match_id']}"
    while view["status"] == "playing":
        choice = {"command": view["decisions"][0]["choices"][0]}
        view = (await ada.post(f"{path}/commands", json=choice)).json()["view"]
    events = [item["event"] for item in (await ada.get(f"{path}/events", params={"limit": 500})).json()["items"]]
    trains = [event["points"] for event in events if event["type"] == "little-train.turn_scored"]
    [ada_alone] = await counted(client, "little-train", 1)
    assert len(trains) == 2
    assert (ada_alone["matches"], ada_alone["best"], ada_alone["wins"], ada_alone["rating"]) == (1, max(trains), 0, None)


async def test_what_one_gives_up_alone_is_not_played_to_an_end(client: httpx.AsyncClient, join: Join) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    opened = (await ada.post("/v1/matches", json={"options": {"game": "little-train"}, "seats": 1})).json()
    given_up = (await ada.post(f"/v1/matches/{opened['match_id']}/resign")).json()
    assert given_up["result"]["reason"] == "abandoned"
    await beaten(ada, bob)
    await counted(client, "pico", 2)
    assert await counted(client, "little-train", 0) == []


async def test_it_shows_the_names_that_players_have_now(client: httpx.AsyncClient, join: Join) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    await beaten(ada, bob)
    await counted(client, "pico", 2)
    await ada.patch("/v1/players/me", json={"display_name": "Countess"})
    assert [item["display_name"] for item in (await client.get(STANDINGS)).json()["items"]] == ["Countess", "Bob"]


async def test_equals_share_a_rank_also_over_the_edge_of_a_page(client: httpx.AsyncClient, join: Join) -> None:
    for _ in range(3):
        await beaten(await join("winner"), await join("loser"))
    whole = await counted(client, "pico", 6)
    assert [item["rank"] for item in whole] == [1, 1, 1, 4, 4, 4]
    paged, cursor = list[dict[str, Any]](), dict[str, str]()
    for _ in range(3):
        page = (await client.get(STANDINGS, params={"limit": 2, **cursor})).json()
        paged += page["items"]
        cursor = {"cursor": page["next_cursor"]}
    assert paged == whole
    assert page["next_cursor"] is None


async def test_only_games_have_standings_and_cursors_are_for_one_game(client: httpx.AsyncClient, join: Join) -> None:
    answer = await client.get("/v1/games/chess/standings")
    assert (answer.status_code, answer.json()["code"]) == (404, "game_not_found")
    await beaten(await join("Ada"), await join("Bob"))
    await counted(client, "pico", 2)
    cursor = (await client.get(STANDINGS, params={"limit": 1})).json()["next_cursor"]
    assert len((await client.get(STANDINGS, params={"cursor": cursor})).json()["items"]) == 1
    answer = await client.get("/v1/games/little-train/standings", params={"cursor": cursor})
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, "/cursor")
