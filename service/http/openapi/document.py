"""The OpenAPI document: built from the app's routes, written once, committed, and served as committed."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from litestar import Litestar

from domain.games import AnyCommand, AnyEvent, AnyOptions, AnyView
from domain.match.events import OnTimeout, Spectators, Start, Visibility
from domain.match.game import Request
from domain.match.state import Status
from service.http.body import without_none
from service.http.openapi import failures
from service.http.openapi.links import links
from service.http.openapi.openapi30 import in_openapi30
from service.http.openapi.operations import Operation, headers, operations
from service.http.openapi.schemas import JsonSchema, Schemas
from service.http.problems import Problem
from service.http.routes.stream import ByeReason, StreamFrame
from service.http.routes.turns import TurnStreamFrame
from service.projector import SeatKind
from service.turns import TurnOrInvitation

VERSION = "0.1.0"
"""Of the API, not of the program: what is added raises the second number, what breaks clients the first (and the `/v1`)."""

DESCRIPTION = """\
The backend of small tabletop games: it holds the rules, the secrets, the dice and the history; your front end holds the screen.

Become a player with `create_player`, open a match, and send one of the choices that the view offers. You need no rule of any
game for that: every view lists what your seat may do now, each choice a command that is ready to send.

Within `/v1` nothing that you use is taken away, and no union or enum that you are sent gets a member, but for those of new games:
those may come at any time, so pass over matches of games that you do not know. Members of objects may be added: pass over them too.

A whole number whose `format` is `seat` is a seat, by its number from 0; a list with `x-seat-order` holds one thing for each seat, in their
order, or nothing. In queries as in bodies what is not known is refused, so that nothing misspelt is passed over.

Errors are always RFC 9457 problem documents. Programs go by their `code`. Beside what each operation declares, the server may
refuse what is no request that it can read, and then ends the connection: 400, 408, 413, 414, 431, or 503 when it is full.

How much you may ask for stands in `RateLimit-Policy`, what you have left of it in `RateLimit`. Who asks for more gets 429 with
`Retry-After` in seconds.
"""

BEARER = """\
A player's token, from `create_player` or `create_token`. A server that is set up to trust an outside issuer, such as a front end's own
identity provider, takes that issuer's JSON Web Tokens (RS256, ES256 or EdDSA) as well: who comes with one for the first time is made
a player, and is the same player ever after, whatever else the tokens say.
"""

TAGS: Mapping[str, str] = {
    "players": "Accounts, and the tokens that let a device act for them.",
    "games": "The catalogue of games: options, pieces, words and rules.",
    "matches": "A table, one game, from the lobby to the result.",
    "seats": "Sitting down, leaving, giving up.",
    "hosting": "What the host of a match does before the start.",
    "talk": "What players say to each other at a match.",
    "play": "Choices, and what comes of them.",
    "live": "A match as it happens, and what waits for you.",
    "testing": "For the tests of front ends, on a server in test mode.",
    "operators": "For operators, whom the settings of the service name.",
    "health": "For those who run the service.",
}


UNIONS: Mapping[str, tuple[Any, str]] = {
    "MatchOptions": (AnyOptions, "What the players of a match agree on, told apart by `game`."),
    "MatchCommand": (
        AnyCommand,
        "A choice in a game, told apart by `type`: `<game>.<what is done>`. A view lists those that you may send.",
    ),
    "MatchEvent": (
        AnyEvent,
        "Something that happened, told apart by `type`: `match.<what>` for the match itself, `<game>.<what>` for its game.",
    ),
    "MatchTable": (AnyView, "What lies on the table of one game, through the eyes of one viewer, told apart by `game`."),
    "DrawRequest": (Request, "What the rules asked of chance, told apart by `kind`."),
    "StreamFrame": (StreamFrame, "One frame of the stream of a match, told apart by `frame`."),
    "TurnStreamFrame": (TurnStreamFrame, "One frame of the stream of your turns, told apart by `frame`."),
    "TurnOrInvitation": (TurnOrInvitation, "What a match waits for, told apart by `kind`."),
    "Drawn": (int | str, "What a draw brings: the face of a die as a number, or the id of a component."),
}
"""The unions and what is said of each, by their public names."""


ENUMS: Mapping[str, Any] = {
    "MatchStatus": Status,
    "MatchVisibility": Visibility,
    "MatchStart": Start,
    "Spectators": Spectators,
    "OnTimeout": OnTimeout,
    "SeatKind": SeatKind,
    "ByeReason": ByeReason,
}
"""The enums that have names of their own, by them."""


def document(app: Litestar, examples: Mapping[str, Mapping[str, Any]]) -> JsonSchema:
    """The OpenAPI 3.1 document of `app`; `examples` holds a `request` and a `response` by operationId."""
    found = operations(app)
    schemas = Schemas(_requests(found), _responses(found), UNIONS, ENUMS)
    paths: dict[str, JsonSchema] = {}
    for each in found:
        paths.setdefault(each.path, {})[each.method] = each.document(schemas, examples.get(each.name, {}))
    used = {tag for item in paths.values() for operation in item.values() for tag in operation["tags"]}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Ludicitude",
            "version": VERSION,
            "description": DESCRIPTION,
            "license": {"name": "Apache 2.0", "identifier": "Apache-2.0"},
            "contact": {"name": "The makers of Ludicitude"},
        },
        "servers": [{"url": "/", "description": "The service this document comes from."}],
        "tags": [{"name": name, "description": text} for name, text in TAGS.items() if name in used],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "description": BEARER},
                "operator": {"type": "http", "scheme": "bearer", "description": "An operator's token, from `ludicitude operator-token`."},
            },
            "headers": headers(),
            "links": links(),
            "examples": failures.shared({code for each in found for code in each.problems}),
            "schemas": schemas.components,
        },
    }


def write(app: Litestar, folder: Path) -> None:
    """Write `openapi.json`, `openapi-3.0.json` and `operations.txt` into `folder`, with the examples that lie there."""
    examples = json.loads((folder / "examples.json").read_text("utf-8"))
    written = document(app, examples)
    (folder / "openapi.json").write_text(text(written), "utf-8")
    (folder / "openapi-3.0.json").write_text(text(in_openapi30(written)), "utf-8")
    (folder / "operations.txt").write_text(listing(app), "utf-8")


def text(content: JsonSchema) -> str:
    """The document as it is written and served."""
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def listing(app: Litestar) -> str:
    """A line for each operation, `operationId METHOD path`: what a reviewer reads to see that none was renamed."""
    return "".join(sorted(f"{each.name} {each.method.upper()} {each.path}\n" for each in operations(app)))


def _requests(found: list[Operation]) -> list[Any]:
    bodies = [without_none(each.body.annotation) for each in found if each.body is not None]
    return bodies + [without_none(field.annotation) for each in found for _, _, field in each.parameters]


def _responses(found: list[Operation]) -> list[Any]:
    return [Problem, *(each.answer for each in found if each.answer is not None)]
