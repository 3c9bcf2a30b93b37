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
ADA = {"kind": "player", "display_name": "Ada", "player_id": "ply_a"}
BEN = {"kind": "player", "display_name": "Ben", "player_id": "ply_b"}
WHO: dict[Language, list[str]] = {
    "en": ["$& {number}", "A player who has left", "Bot 3", "Seat 4", "Kept for $& {number}"],
    "fr": ["$& {number}", "Un joueur parti", "Robot 3", "Place 4", "Réservée à $& {number}"],
}

PROBLEMS: list[Any] = [
    {"message_key": "problem.rate_limited", "message_params": {"seconds": "4"}},
    {"message_key": "problem.of_a_newer_server", "message_params": {}, "detail": "In English."},
    {"message_key": "problem.of_a_newer_server"},
    {"message_key": "problem.invalid_body", "message_params": {}, "errors": [{"pointer": "/clock/turn_seconds", "least": 5, "most": None}]},
    {"message_key": "problem.invalid_body", "message_params": {}, "errors": [{"pointer": "/seats", "least": None, "most": 8}]},
    {"message_key": "problem.invalid_body", "message_params": {}, "errors": [{"pointer": "/display_name", "least": None, "most": None}]},
    {"message_key": "problem.invalid_body", "message_params": {}, "errors": [{"pointer": ""}]},
    {},
    None,
]
NO: dict[Language, list[str]] = {
    "en": [
        *("Not so fast! Try again in 4 seconds.", "In English.", "problem.of_a_newer_server"),
        *("Time for a choice, in seconds: 5 at least.", "Seats: 8 at most.", "Name: please check."),
        *("The server does not understand what is asked for.", *["The server does not answer."] * 2),
    ],
    "fr": [
        *("Pas si vite ! Réessayez dans 4 secondes.", "In English.", "problem.of_a_newer_server"),
        *("Temps pour un choix, en secondes : 5 au minimum.", "Places : 8 au maximum.", "Nom : à vérifier."),
        *("Le serveur ne comprend pas ce qui est demandé.", *["Le serveur ne répond pas."] * 2),
    ],
}
TIMES = [-1, 9.9, 65, 3600, 86_399, 86_400, 259_199]
LEFT: dict[Language, list[str]] = {
    "en": [f"Time left: {time}" for time in ("0:00", "0:09", "1:05", "1:00:00", "23:59:59", "1 d 0 h", "2 d 23 h")],
    "fr": [f"Temps restant : {time}" for time in ("0:00", "0:09", "1:05", "1:00:00", "23:59:59", "1 j 0 h", "2 j 23 h")],
}

VIEWS = [
    {"seats": [{"seat": 0, **ADA, "kept_for": None}, {"seat": 1, **BEN, "kept_for": None}]},
    {
        "seats": [
            {"seat": 0, **ADA, "kept_for": None},
            {"seat": 1, "kind": "open", "display_name": None, "player_id": None, "kept_for": None},
        ]
    },
]
"""Of a table that Ben has left in between."""

OF_BEN = {"seat": 1, "player_id": "ply_b"}
LEFT_BY = [
    {"type": "match.seat_left", **OF_BEN, "host": "ply_a", "removed": False},
    {"type": "match.seat_left", **OF_BEN, "host": "ply_a", "removed": True},
    {"type": "match.seat_left", "seat": 1, "player_id": "ply_never_seen", "host": "ply_a"},
    {"type": "schemers.round_ended", "round": 3, "eliminated": [], "scores": [7, 9]},
    {"type": "schemers.round_ended", "round": 4, "eliminated": [0, 1], "scores": [-1, -2]},
]
OF_ADA = {"seat": 0, "player_id": "ply_a"}
TEXT = {"kind": "text", "pledge": None}
PLEDGE = {"kind": "pledge", "text": None}
MESSAGES = [
    {**OF_BEN, **TEXT, "to_seat": None, "text": "$& {seat}"},
    {**OF_BEN, **TEXT, "to_seat": 0, "text": "Hush."},
    {**OF_ADA, **PLEDGE, "to_seat": None, "pledge": {"phase": "set1", "face": 4, "kept": None}},
    {**OF_ADA, **PLEDGE, "to_seat": 1, "pledge": {"phase": "set2", "face": 1, "kept": False}},
]
RESULTS = [
    {"ranking": [{"seat": 1, "rank": 1}, {"seat": 0, "rank": 2}], "reason": "goal"},
    {"ranking": [{"seat": 0, "rank": 1}, {"seat": 1, "rank": 1}], "reason": "goal"},
    {"ranking": [{"seat": 0, "rank": 1}, {"seat": 1, "rank": 2}], "reason": "abandoned"},
    {"ranking": [{"seat": 0, "rank": 1}], "reason": "goal"},
    {"ranking": [], "reason": "closed"},
]
TOLD: dict[Language, list[list[str | None]]] = {
    "en": [
        [
            *("Ben leaves the table.", "Ben was removed by the host.", "Seat 2 leaves the table."),
            "Round 3 is over. The scores: Ada (7), Seat 2 (9).",
            "Round 4 is over. Out of the game: Ada, Seat 2. The scores: Ada (-1), Seat 2 (-2).",
        ],
        [
            *("Ben: $& {seat}", "Ben whispers to Ada: Hush.", "Ada pledges: first die, 4 (not shown yet)"),
            "Ada whispers to Seat 2: Ada pledges: second die, 1 (broken)",
        ],
        ["Seat 2 wins.", "Ada, Seat 2 share the win.", None, None, None],
        ["Stakes: Start with 50, pass 100", "Last round: No limit", "Whispers between two players: Allowed"],
    ],
    "fr": [
        [
            *("Ben quitte la table.", "L'hôte a retiré Ben de la table.", "Place 2 quitte la table."),
            "Le tour 3 est terminé. Les scores : Ada (7), Place 2 (9).",
            "Le tour 4 est terminé. Hors jeu : Ada, Place 2. Les scores : Ada (-1), Place 2 (-2).",
        ],
        [
            *("Ben : $& {seat}", "Ben chuchote à Ada : Hush.", "Ada promet : premier dé, 4 (pas encore dévoilée)"),
            "Ada chuchote à Place 2 : Ada promet : second dé, 1 (trahie)",
        ],
        ["Place 2 gagne.", "Victoire partagée : Ada, Place 2.", None, None, None],
        ["Enjeu : Commencer à 50, dépasser 100", "Dernier tour : Sans limite", "Messages secrets entre deux joueurs : Permis"],
    ],
}
TABLE = {
    "game": "schemers",
    "phase": "set1",
    "rounds_max": None,
    "whispers": True,
    "committed": [1],
    "first": [None, None],
    "second": [None] * 2,
}
DRAWN: dict[Language, list[str]] = {
    "en": ["No limit", "Allowed", "Ada (none), Ben (hidden)", "Ada (none), Ben (none)"],
    "fr": ["Sans limite", "Permis", "Ada (aucun), Ben (caché)", "Ada (aucun), Ben (aucun)"],
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
    later: dict[str, Any] = {"views": [], "left": [], "messages": [], "results": [], "options": {}}
    asked = {"names": words.seats, "seats": SEATS, "pieces": pieces, "problems": PROBLEMS, "times": TIMES, **later}
    text = json.dumps({**catalogue, **told, **asked})
    for teller in tellers:
        done = await asyncio.to_thread(subprocess.run, teller, input=text, capture_output=True, text=True, timeout=60, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        said, chosen, drawn, who, fields, named, no, left, *_ = map(json.loads, done.stdout.splitlines())
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


@pytest.mark.parametrize("language", ["en", "fr"])
async def test_who_has_left_is_named_and_what_is_said_and_who_has_won(
    language: Language, tellers: Sequence[Sequence[str]], client: httpx.AsyncClient
) -> None:
    paths = ("/v1/games/schemers", "/v1/labels", "/openapi.json")
    details, shared, document = [(await client.get(path)).json() for path in paths]
    catalogue = {"game": details, "shared": shared, "schemas": document["components"]["schemas"], "language": language}
    none: dict[str, list[Any]] = {name: [] for name in ("events", "choices", "seats", "pieces", "problems", "times")}
    options = {"game": "schemers", "stakes": "50-100", "rounds_max": None, "whispers": True}
    later = {"views": VIEWS, "left": LEFT_BY, "messages": MESSAGES, "results": RESULTS, "options": options}
    text = json.dumps({**catalogue, **none, **later, "names": ["Ada", "Ben"], "tables": [TABLE]})
    for teller in tellers:
        done = await asyncio.to_thread(subprocess.run, teller, input=text, capture_output=True, text=True, timeout=60, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        assert answers[-4:] == TOLD[language]
        [fields] = answers[4]
        assert [fields[list(TABLE)[1:].index(name)] for name in ("rounds_max", "whispers", "first", "second")] == DRAWN[language]


async def events_of_a_match(client: httpx.AsyncClient, game: AnyGame) -> list[dict[str, Any]]:
    """With those that are no game's own."""
    token = (await client.post("/v1/players", json={"display_name": "Ada"})).json()["token"]
    seats = min(game.seats)
    terms = {"options": {"game": game.key}, "seats": seats, "bots": ["normal"] * (seats - 1)}
    headers = {"Authorization": f"Bearer {token}"}
    opened = (await client.post("/v1/matches", json=terms, headers=headers)).json()
    page = (await client.get(f"/v1/matches/{opened['match_id']}/events?after=0", headers=headers)).json()
    return [item["event"] for item in page["items"]]
