"""The page of each game is what `make bless` makes: of the game itself, of a match played over the API, and of notes written by hand."""

import json
import re

import httpx
import pytest

from domain.match.game import AnyGame
from service import chance, resources
from tests.contract.tour import Foretold
from tests.docs.conftest import BLESSING
from tests.docs.game_page import listing, notes_of, page
from tests.docs.recorded import record
from tests.house.test_rulebooks import refusals
from tests.rooms import every_game, own_tests

GAMES = resources.folder("docs") / "games"


@every_game
async def test_the_page_of_a_game_is_as_it_is_made(game: AnyGame, client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chance, "secrets", Foretold(1))
    path, notes = GAMES / f"{game.key}.md", notes_for(game)
    document = json.loads((resources.folder("openapi") / "openapi.json").read_text("utf-8"))
    details = (await client.get(f"/v1/games/{game.key}")).json()
    no = [(code, clause) for code, clause in refusals(game)]
    played = await record(client, terms_in(notes, game))
    if re.search(r'"draw": \d', json.dumps(played)):
        assert "## chance\n" in notes, f"tests/games/{game.key}/page.md has to say under `## chance` what {game.key} draws"
    made = page(details, no, document["components"]["schemas"], notes, played)
    if BLESSING:
        path.write_text(made, "utf-8")
    assert path.is_file(), f"docs/games/{game.key}.md is not there: make bless"
    assert path.read_text("utf-8") == made, f"docs/games/{game.key}.md is not what it would be made: make bless, and read the difference"


async def test_the_list_of_games_leads_to_all_of_them(client: httpx.AsyncClient) -> None:
    made = listing((await client.get("/v1/games")).json()["items"])
    if BLESSING:
        (GAMES / "README.md").write_text(made, "utf-8")
    assert (GAMES / "README.md").read_text("utf-8") == made, "docs/games/README.md is not what it would be made: make bless"


@every_game
def test_every_note_is_shown(game: AnyGame) -> None:
    text = (GAMES / f"{game.key}.md").read_text("utf-8")
    for key in notes_of(notes_for(game)) - {"terms"}:
        note = re.split(rf"^## {re.escape(key)}\n+", notes_for(game), flags=re.MULTILINE)[1].split("\n## ")[0].strip()
        assert note in text, f"the match of {game.key} never comes to {key}"


def notes_for(game: AnyGame) -> str:
    path = own_tests(game) / "page.md"
    return path.read_text("utf-8") if path.is_file() else ""


def terms_in(notes: str, game: AnyGame) -> dict[str, object]:
    """The terms of the match on the page; without notes, the defaults among as few as can play it, but two if they can."""
    found = re.search(r"^## terms\n+```json\n(.*?)```", notes, re.MULTILINE | re.DOTALL)
    if found is not None:
        written: dict[str, object] = json.loads(found[1])
        return written
    return {"options": {"game": game.key}, "seats": min(game.seats, key=lambda seats: (seats < 2, seats))}
