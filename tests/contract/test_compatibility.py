"""No change of the document breaks a client that was made from a released one; the comparison does see what would."""

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.contract import release
from tests.contract.compatibility import breaks
from tests.service.documented import document

Document = dict[str, Any]
Change = Callable[[Document], object]


def the_same_api(version: str) -> bool:
    """Whether a release is of the API as it is now: what breaks clients raises the first number."""
    return version.partition(".")[0] == str(document()["info"]["version"]).partition(".")[0]


RELEASED = sorted(path for path in release.FOLDER.glob("*.json") if the_same_api(path.stem))


def test_something_was_released() -> None:
    assert RELEASED


@pytest.mark.parametrize("path", RELEASED, ids=lambda path: path.stem)
def test_clients_of_a_release_go_on_working(path: Path) -> None:
    assert breaks(json.loads(path.read_text("utf-8")), document()) == [], "give these back, or raise the first number and the /v1"


def schema(whole: Document, name: str) -> Any:
    return whole["components"]["schemas"][name]


def operation(whole: Document, method: str, path: str) -> Any:
    return whole["paths"][path][method]


def parameter(whole: Document, method: str, path: str, name: str) -> Any:
    return next(each for each in operation(whole, method, path)["parameters"] if each["name"] == name)


def without(node: Any, key: Any) -> None:
    node.remove(key) if isinstance(node, list) else node.pop(key)


def a_variant_more(whole: Document, union: str, tag: str, member: str) -> None:
    schema(whole, union)["oneOf"].append({"$ref": f"#/components/schemas/{member}"})
    schema(whole, union)["discriminator"]["mapping"][tag] = f"#/components/schemas/{member}"


def a_variant_less(whole: Document, union: str, tag: str) -> None:
    reference = schema(whole, union)["discriminator"]["mapping"].pop(tag)
    schema(whole, union)["oneOf"].remove({"$ref": reference})


BREAKING: dict[str, Change] = {
    "DELETE /v1/players/me is gone": lambda new: without(new["paths"]["/v1/players/me"], "delete"),
    "GET /v1/games is gone": lambda new: without(new["paths"], "/v1/games"),
    "get_me is called whoami now": lambda new: operation(new, "get", "/v1/players/me").update(operationId="whoami"),
    "get_game wants a token now": lambda new: operation(new, "get", "/v1/games/{game}").update(security=[{"token": []}]),
    "list_matches: the query parameter mine is gone": lambda new: without(
        operation(new, "get", "/v1/matches")["parameters"], parameter(new, "get", "/v1/matches", "mine")
    ),
    "list_games: the query parameter lang is new and required": lambda new: operation(new, "get", "/v1/games")["parameters"].append(
        {"name": "lang", "in": "query", "required": True, "schema": {"type": "string"}}
    ),
    "MatchStatus cannot be open any more": lambda new: without(schema(new, "MatchStatus")["enum"], "open"),
    "start_match: its body is required now": lambda new: operation(new, "post", "/v1/matches/{match_id}/start")["requestBody"].update(
        required=True
    ),
    "rematch wants a body now": lambda new: operation(new, "post", "/v1/matches/{match_id}/rematch").update(
        requestBody=operation(new, "post", "/v1/matches")["requestBody"]
    ),
    "open_match does not answer 201 any more": lambda new: without(operation(new, "post", "/v1/matches")["responses"], "201"),
    "open_match: 201 comes without Location": lambda new: without(
        operation(new, "post", "/v1/matches")["responses"]["201"]["headers"], "Location"
    ),
    "get_me may answer 202 now": lambda new: operation(new, "get", "/v1/players/me")["responses"].update(
        {"202": {"description": "Later."}}
    ),
    "MatchView.waiting_for is gone": lambda new: without(schema(new, "MatchView")["properties"], "waiting_for"),
    "MatchView.version may be missing now": lambda new: without(schema(new, "MatchView")["required"], "version"),
    "MatchView.version can be null now": lambda new: schema(new, "MatchView")["properties"]["version"].update(type=["integer", "null"]),
    "MatchStatus can be paused now": lambda new: schema(new, "MatchStatus")["enum"].append("paused"),
    "MatchView.status can be paused now": lambda new: schema(new, "MatchView")["properties"].update(
        status={"type": "string", "enum": ["ended", "open", "paused", "playing"]}
    ),
    "MatchView.host can be integer now": lambda new: schema(new, "MatchView")["properties"]["host"].update(type=["string", "integer"]),
    "Problem.code is gone": lambda new: without(schema(new, "Problem")["properties"], "code"),
    "TakeSeat.seat is required now": lambda new: schema(new, "TakeSeat").update(required=["seat"]),
    "TakeSeat.seat cannot be null any more": lambda new: schema(new, "TakeSeat")["properties"]["seat"].update(type="integer"),
    "SendMessage.text has another maxLength: 10 after 2000": lambda new: schema(new, "SendMessage")["properties"]["text"].update(
        maxLength=10
    ),
    "OpenMatch.start cannot be when_full any more": lambda new: schema(new, "OpenMatch")["properties"].update(
        start={"type": "string", "enum": ["by_host"]}
    ),
    "OpenMatch.clock cannot be null any more": lambda new: without(
        schema(new, "OpenMatch")["properties"]["clock"]["oneOf"], {"type": "null"}
    ),
    "MatchEvent can be pico.card_burnt now": lambda new: a_variant_more(new, "MatchEvent", "pico.card_burnt", "PicoCardCommitted"),
    "StreamFrame can be pause now": lambda new: a_variant_more(new, "StreamFrame", "pause", "ByeFrame"),
    "MatchCommand cannot be pico.commit_card any more": lambda new: a_variant_less(new, "MatchCommand", "pico.commit_card"),
}


@pytest.mark.parametrize("told", BREAKING)
def test_what_breaks_a_client_is_named(told: str) -> None:
    new = deepcopy(document())
    BREAKING[told](new)
    assert told in breaks(document(), new)


def _a_new_game(new: Document) -> None:
    a_variant_more(new, "MatchOptions", "chess", "PicoOptions")
    a_variant_more(new, "MatchOptionsInput", "chess", "PicoOptionsInput")
    a_variant_more(new, "MatchEvent", "chess.piece_moved", "PicoCardCommitted")
    a_variant_more(new, "MatchCommand", "chess.move_piece", "PicoCommitCard")
    a_variant_more(new, "MatchTable", "chess", "PicoView")


ADDING: dict[str, Change] = {
    "nothing": lambda new: None,
    "an operation": lambda new: new["paths"].update({"/v1/more": new["paths"]["/v1/games"]}),
    "a parameter": lambda new: operation(new, "get", "/v1/games")["parameters"].append(
        {"name": "lang", "in": "query", "required": False, "schema": {"type": "string"}}
    ),
    "a member of an answer": lambda new: (
        schema(new, "MatchView")["properties"].update(mood={"type": "string"}),
        schema(new, "MatchView")["required"].append("mood"),
    ),
    "a member that a request may leave out": lambda new: schema(new, "TakeSeat")["properties"].update(mood={"type": "string"}),
    "a wider bound of a request": lambda new: schema(new, "SendMessage")["properties"]["text"].update(maxLength=9999),
    "a value of a request": lambda new: parameter(new, "get", "/v1/matches", "status").update(
        schema={"type": "string", "enum": ["ended", "open", "paused", "playing"]}
    ),
    "an error": lambda new: operation(new, "get", "/v1/games")["responses"].update(
        {"418": operation(new, "get", "/v1/games")["responses"]["400"]}
    ),
    "a game": _a_new_game,
}


@pytest.mark.parametrize("what", ADDING)
def test_what_only_adds_breaks_nobody(what: str) -> None:
    new = deepcopy(document())
    ADDING[what](new)
    assert breaks(document(), new) == []


def test_a_release_is_for_ever(tmp_path: Path) -> None:
    assert release.cut("1.0.0", b"{}", tmp_path) == tmp_path / "1.0.0.json"
    assert release.cut("1.0.0", b"{}", tmp_path) == tmp_path / "1.0.0.json"
    with pytest.raises(SystemExit, match="released already"):
        release.cut("1.0.0", b"[]", tmp_path)
    assert (tmp_path / "1.0.0.json").read_bytes() == b"{}"
