"""What the guide gives out to say a match in words: all that happens in every game, all choices and all tables, in both languages."""

import asyncio
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from domain.games import GAMES
from domain.match.game import AnyGame
from service.play.words import Language, Words
from tests.docs.conftest import EXAMPLES
from tests.docs.started import FOLLOWERS
from tests.laws.matches import sample
from tests.laws.samples import commands

SEATS = [
    {"seat": 0, "kind": "player", "display_name": "$& {number}", "kept_for": None},
    {"seat": 1, "kind": "player", "display_name": "", "kept_for": None},
    {"seat": 2, "kind": "bot", "display_name": None, "kept_for": None},
    {"seat": 3, "kind": "open", "display_name": None, "kept_for": None},
    {"seat": 4, "kind": "open", "display_name": "$& {number}", "kept_for": "ply_1"},
]
WHO: dict[Language, list[str]] = {
    "en": ["$& {number}", "A player who has left", "Bot 3", "Seat 4", "Kept for $& {number}"],
    "fr": ["$& {number}", "Un joueur parti", "Robot 3", "Place 4", "Réservée à $& {number}"],
}

PROBLEMS: list[Any] = [
    {"message_key": "problem.rate_limited", "message_params": {"seconds": "4"}},
    {"message_key": "problem.of_a_newer_server", "message_params": {}, "detail": "In English."},
    {"message_key": "problem.of_a_newer_server"},
    {},
    None,
]
NO: dict[Language, list[str]] = {
    "en": ["Not so fast! Try again in 4 seconds.", "In English.", "problem.of_a_newer_server", *["The server does not answer."] * 2],
    "fr": ["Pas si vite ! Réessayez dans 4 secondes.", "In English.", "problem.of_a_newer_server", *["Le serveur ne répond pas."] * 2],
}
TIMES = [-1, 9.9, 65, 3600, 86_399, 86_400, 259_199]
LEFT: dict[Language, list[str]] = {
    "en": [f"Time left: {time}" for time in ("0:00", "0:09", "1:05", "1:00:00", "23:59:59", "1 d 0 h", "2 d 23 h")],
    "fr": [f"Temps restant : {time}" for time in ("0:00", "0:09", "1:05", "1:00:00", "23:59:59", "1 j 0 h", "2 j 23 h")],
}


@pytest.fixture(scope="module")
def tellers(javascript: Path, tmp_path_factory: pytest.TempPathFactory) -> Sequence[Sequence[str]]:
    """How what is copied is made to say something, in each programming language."""
    folder = tmp_path_factory.mktemp("words")
    for source in (EXAMPLES / "python" / "words.py", FOLLOWERS / "teller.py"):
        shutil.copy(source, folder)
    return (sys.executable, "-W", "error", str(folder / "teller.py")), ("node", str(javascript / "teller.js"))


@pytest.mark.parametrize(("game", "language"), [*((game, "fr") for game in GAMES.values()), (GAMES["pico"], "en")])
async def test_all_that_happens_and_all_choices_have_their_words(
    game: AnyGame, language: Language, tellers: Sequence[Sequence[str]], client: httpx.AsyncClient
) -> None:
    """As the front end in the terminal says them, which was written for itself."""
    paths = (f"/v1/games/{game.key}", "/v1/labels", "/openapi.json")
    details, shared, document = [(await client.get(path)).json() for path in paths]
    words = Words(details, shared, document, language)
    words.seats = [f"Name {seat}" for seat in range(max(game.seats))]
    largest = [match for match in sample(game) if match.table.seats == len(words.seats)]
    events = [*(event for match in largest for event in match.events)]
    tables = [game.view(moment.state, viewer) for moment in largest[-1].moments for viewer in (None, 0)]
    given: dict[str, Any] = json.loads(msgspec.json.encode({"events": events, "choices": commands(game), "tables": tables}))
    began = await events_of_a_match(client, game)
    newer = [{"type": f"{game.key}.of_a_newer_server"}, {"type": "match.of_a_newer_server"}]
    catalogue = {"game": details, "shared": shared, "schemas": document["components"]["schemas"], "language": language}
    told = {"events": [*given["events"], *began, *newer], "choices": [*given["choices"], *newer], "tables": given["tables"]}
    pieces = [*(piece["id"] for piece in details["components"]), "of-a-newer-server"]
    text = json.dumps({**catalogue, **told, "names": words.seats, "seats": SEATS, "pieces": pieces, "problems": PROBLEMS, "times": TIMES})
    for teller in tellers:
        done = await asyncio.to_thread(subprocess.run, teller, input=text, capture_output=True, text=True, timeout=60, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        said, chosen, drawn, who, fields, named, no, left = map(json.loads, done.stdout.splitlines())
        assert said[: len(given["events"])] == [*map(words.sentence, given["events"])]
        assert said[-2:] == [None, None]
        assert not [words for words in said[:-2] if not words or "{" in words]
        assert chosen == [*map(words.choice, given["choices"]), *(each["type"] for each in newer)]
        colon = {"en": ": ", "fr": " : "}[language]
        for lines, table in zip(drawn, given["tables"], strict=True):
            assert [line.partition(colon)[0] for line in lines] == [words.label(f"field.{name}") for name in table if name != "game"]
            assert not [line for line in lines if re.search(r"undefined|null|None|\[object|field\.|: *$", line)]
            assert not [line for line in lines if language == "fr" and re.search(r"\w;", line)]
        assert (who, no, left) == (WHO[language], NO[language], LEFT[language])
        assert [[line.partition(colon)[2] for line in lines] for lines in drawn] == fields
        assert named == [*(words.label(piece["label"]) for piece in details["components"]), "of-a-newer-server"]


async def events_of_a_match(client: httpx.AsyncClient, game: AnyGame) -> list[dict[str, Any]]:
    """With those that are no game's own."""
    token = (await client.post("/v1/players", json={"display_name": "Ada"})).json()["token"]
    seats = min(game.seats)
    terms = {"options": {"game": game.key}, "seats": seats, "bots": ["normal"] * (seats - 1)}
    headers = {"Authorization": f"Bearer {token}"}
    opened = (await client.post("/v1/matches", json=terms, headers=headers)).json()
    page = (await client.get(f"/v1/matches/{opened['match_id']}/events?after=0", headers=headers)).json()
    return [item["event"] for item in page["items"]]
