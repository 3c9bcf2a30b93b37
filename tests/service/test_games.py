"""The catalogue, as a front end that knows no game reads it."""

import httpx
from jsonschema import Draft202012Validator

from domain.games import GAMES
from tests.service.conftest import Join


async def test_every_game_is_listed_with_what_a_list_shows(client: httpx.AsyncClient) -> None:
    page = (await client.get("/v1/games")).json()
    assert page["next_cursor"] is None
    assert {each["game"] for each in page["items"]} == set(GAMES)
    for each in page["items"]:
        assert each["title"]["en"]
        assert each["title"]["fr"]
        assert each["seats"] == list(GAMES[each["game"]].seats)
        assert each["bot_levels"] == list(GAMES[each["game"]].bots)


async def test_a_game_brings_all_that_a_screen_needs(client: httpx.AsyncClient) -> None:
    for item in (await client.get("/v1/games")).json()["items"]:
        game = (await client.get(f"/v1/games/{item['game']}")).json()
        assert item == {key: game[key] for key in item}
        Draft202012Validator.check_schema(game["options_schema"])
        form = Draft202012Validator(game["options_schema"])
        assert form.is_valid({"game": item["game"]}), "the game alone is options enough: everything else has a default"
        assert not form.is_valid({"game": "another"})
        assert not form.is_valid({"game": item["game"], "unknown": 1})
        defaults = {name: each for name, each in game["options_schema"]["properties"].items() if name != "game"}
        assert all("default" in each for each in defaults.values())
        assert {component["label"] for component in game["components"]} <= game["labels"].keys()
        assert {f"bot.{level}" for level in game["bot_levels"]} <= game["labels"].keys()
        assert game["rules"]["en"] != game["rules"]["fr"]
        assert "1.1" in game["rules"]["en"]


async def test_the_catalogue_is_sent_once(client: httpx.AsyncClient) -> None:
    for path in ("/v1/games", "/v1/games/pico"):
        first = await client.get(path)
        assert first.headers["cache-control"] == "public, max-age=300"
        again = await client.get(path, headers={"If-None-Match": first.headers["etag"]})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])
        assert (await client.get(path, headers={"If-None-Match": '"other"'})).status_code == 200


async def test_an_unknown_game_is_not_found(client: httpx.AsyncClient) -> None:
    for key in ("chess", "PICO", "..", "%00", "__init__"):
        answer = await client.get(f"/v1/games/{key}")
        assert (answer.status_code, answer.json()["code"]) == (404, "game_not_found" if key != ".." else "not_found"), key


async def test_the_words_that_all_games_share_are_sent_once_and_to_everybody(client: httpx.AsyncClient) -> None:
    first = await client.get("/v1/labels", headers={"Authorization": "Bearer nobody's"})
    assert first.json()["labels"]["problem.not_authenticated"] == {"en": "Please sign in.", "fr": "Veuillez vous connecter."}
    again = await client.get("/v1/labels", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


async def test_a_problem_that_says_when_to_come_back_tells_it_to_people_too(client: httpx.AsyncClient, join: Join) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    path = f"/v1/matches/{(await ada.post('/v1/matches', json={'options': {'game': 'pico'}})).json()['match_id']}"
    await bob.post(f"{path}/seats", json={})
    said = [await ada.post(f"{path}/messages", json={"text": "Hello"}) for _ in range(11)][-1]
    assert said.json()["message_params"] == {"seconds": said.headers["Retry-After"]}
    assert "{seconds}" in (await client.get("/v1/labels")).json()["labels"][said.json()["message_key"]]["fr"]
