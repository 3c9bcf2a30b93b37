"""The catalogue: everything a front end needs to offer a game, draw it and explain it. It comes from the games' rooms alone."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Annotated, Any

import msgspec
from litestar import Response, get
from litestar.params import FromPath
from msgspec import Meta

from domain.games import GAMES
from domain.match.game import AnyGame, Component
from service.http.conditions import RELEASE_HEADERS, IfNoneMatch, etag, tagged
from service.http.openapi.schemas import JsonSchema, standalone
from service.http.problems import Trouble
from service.http.routes.labels import Wording


class GameSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A game, as a list shows it."""

    game: Annotated[str, Meta(description="The game's key, which names it everywhere in the API.")]
    ruleset: Annotated[int, Meta(description="Version of the game's rules that new matches are played by.")]
    title: Annotated[Wording, Meta(description="The game's name.")]
    sentence: Annotated[Wording, Meta(description="The game in one sentence.")]
    seats: Annotated[tuple[int, ...], Meta(description="The numbers of players that can play it.")]
    bot_levels: Annotated[tuple[str, ...], Meta(description="The levels of its bots; `bot.<level>` in the labels names one.")]


class GameDetails(GameSummary, frozen=True, kw_only=True):
    """A game, with all that a screen needs to offer it, draw it and explain it."""

    options_schema: Annotated[JsonSchema, Meta(description="JSON Schema of its options, with their defaults: enough to draw a form.")]
    components: Annotated[tuple[Component, ...], Meta(description="Every kind of card, die face and piece.")]
    labels: Annotated[
        dict[str, Wording],
        Meta(description="Every word that a screen shows for this game, by key; `get_labels` has those that all games share."),
    ]
    rules: Annotated[Wording, Meta(description="The rulebook in Markdown. Its clauses are numbered; refusals name them.")]


class GamePage(msgspec.Struct, frozen=True):
    """The games."""

    items: Annotated[tuple[GameSummary, ...], Meta(description="All of them, in the order in which to offer them.")]
    next_cursor: Annotated[str | None, Meta(description="Always null: all games fit on one page.")]


@get("/v1/games", operation_id="list_games", summary="List the games", tags=["games"], sync_to_thread=False)
def list_games(if_none_match: IfNoneMatch = None) -> Response[GamePage]:
    """All games that can be played here, with what a menu shows of each. `get_game` tells the rest of one.

    New games may come at any time, so build the menu of this list. It changes with a release only: keep it, and send its `ETag`.
    """
    content = _catalogue()
    return tagged(content, etag(content), if_none_match, RELEASE_HEADERS)


@get(
    "/v1/games/{game:str}",
    operation_id="get_game",
    summary="Everything about a game",
    tags=["games"],
    opt={"problems": ["game_not_found"]},
    sync_to_thread=False,
)
def get_game(game: FromPath[str], if_none_match: IfNoneMatch = None) -> Response[GameDetails]:
    """Everything that a front end needs to offer a game, draw it and explain it, in English and in French."""
    if game not in GAMES:
        raise Trouble("game_not_found")
    content = _page(game)
    return tagged(content, etag(content), if_none_match, RELEASE_HEADERS)


@cache
def _catalogue() -> bytes:
    return msgspec.json.encode(GamePage(tuple(GameSummary(**_summary(game)) for game in GAMES.values()), None))


@cache
def _page(key: str) -> bytes:
    game = GAMES[key]
    details = GameDetails(
        **_summary(game),
        options_schema=standalone(game.options),
        components=game.components,
        labels=_labels(game),
        rules=Wording(en=_file(game, "RULES.md").decode(), fr=_file(game, "fr", "RULES.md").decode()),
    )
    return msgspec.json.encode(details)


def _summary(game: AnyGame) -> Mapping[str, Any]:
    labels = _labels(game)
    return {
        "game": game.key,
        "ruleset": game.ruleset,
        "title": labels["title"],
        "sentence": labels["sentence"],
        "seats": tuple(game.seats),
        "bot_levels": tuple(game.bots),
    }


def _labels(game: AnyGame) -> dict[str, Wording]:
    return msgspec.json.decode(_file(game, "labels.json"), type=dict[str, Wording])


def _file(game: AnyGame, *path: str) -> bytes:
    room = game.options.__module__.rpartition(".")[0]
    return files(room).joinpath(*path).read_bytes()


ROUTES = (list_games, get_game)
