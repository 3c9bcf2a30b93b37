"""The API's document: equal to what is committed, the same every time, valid, and of the shapes that generators read."""

import json
import os
import subprocess
import sys
from copy import deepcopy
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator
from openapi_spec_validator import validate

from service import resources
from service.http.openapi.document import listing, text
from service.http.openapi.openapi30 import in_openapi30
from service.http.openapi.schemas import REF
from tests.contract.building import app_without_database, built
from tests.contract.rules import PROBLEM, faults, operations, resolved
from tests.service.documented import document

FIXED = {
    *("create_player", "get_me", "update_me", "erase_me", "create_token", "list_tokens", "revoke_token", "get_player"),
    *("list_games", "get_game", "list_standings", "open_match", "list_matches", "get_match"),
    *("take_seat", "leave_seat", "start_match", "send_command"),
    *("list_events", "get_record", "send_message", "list_messages", "get_live", "get_ready"),
}
"""Names that clients are generated with. Nothing is ever taken out of here."""


def test_the_committed_document_is_what_the_routes_say() -> None:
    committed = (resources.folder("openapi") / "openapi.json").read_text("utf-8")
    assert committed == text(built()), "the document has changed; if that is meant, write it anew: LUDICITUDE_BLESS=1 pytest tests/contract"


def test_the_older_document_is_committed_and_valid_too() -> None:
    committed = (resources.folder("openapi") / "openapi-3.0.json").read_text("utf-8")
    assert committed == text(in_openapi30(built()))
    validate(json.loads(committed))


def test_the_list_of_operations_is_committed_too() -> None:
    assert (resources.folder("openapi") / "operations.txt").read_text("utf-8") == listing(app_without_database())


def test_it_is_the_same_in_every_process() -> None:
    program = "from tests.contract.building import built; from service.http.openapi.document import text; print(text(built()), end='')"
    for seed in ("1", "2"):
        run = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, env={**os.environ, "PYTHONHASHSEED": seed})
        assert run.stdout.decode() == text(built())


def test_it_is_valid_openapi() -> None:
    validate(document())


def test_it_breaks_no_rule_of_ours() -> None:
    assert faults(document()) == []


def test_no_operation_that_clients_know_was_renamed() -> None:
    assert {operation["operationId"] for _, _, operation in operations(document())} >= FIXED


def test_a_token_is_asked_for_only_where_it_makes_a_difference() -> None:
    security = {operation["operationId"]: operation["security"] for _, _, operation in operations(document())}
    assert security["create_player"] == security["list_games"] == security["get_player"] == []
    assert security["get_match"] == security["stream_events"] == [{}, {"token": []}]
    assert security["open_match"] == security["get_me"] == [{"token": []}]


def test_its_examples_are_of_its_own_schemas() -> None:
    whole = document()
    for path, method, operation in operations(whole):
        bodies = [operation.get("requestBody", {}), *operation["responses"].values()]
        for content in [content for body in bodies for content in body.get("content", {}).values()]:
            validator = Draft202012Validator({**content["schema"], "components": whole["components"]})
            several = [resolved(whole, each)["value"] for each in content.get("examples", {}).values()]
            for example in several or [content["example"]]:
                errors = list(validator.iter_errors(example))
                assert not errors, f"{method} {path}: {errors[0].instance_path} {errors[0].message}"


def test_every_parameter_shows_what_it_looks_like() -> None:
    """By an example that fits, or by the words that an enum has."""
    whole = document()
    for _, _, operation in operations(whole):
        for parameter in operation.get("parameters", ()):
            schema = resolved(whole, parameter["schema"])
            samples = schema.get("enum") or schema.get("examples")
            assert samples, f"{operation['operationId']}: {parameter['name']} has no example"
            assert all(map(Draft202012Validator(schema).is_valid, samples)), f"{operation['operationId']}: {parameter['name']}"


def test_its_links_lead_from_what_was_really_answered_to_operations_that_take_it() -> None:
    whole = document()
    known = {operation["operationId"]: operation for _, _, operation in operations(whole)}
    followed = set()
    for name, operation in known.items():
        for status, response in operation["responses"].items():
            for reference in response.get("links", {}).values():
                key = reference["$ref"].removeprefix("#/components/links/")
                link = whole["components"]["links"][key]
                taken = {each["name"] for each in known[link["operationId"]].get("parameters", ())}
                assert set(link["parameters"]) <= taken, f"{name} {status}: {key} hands over what is not taken"
                for expression in link["parameters"].values():
                    assert _found(expression, operation, response), f"{name} {status}: {key} finds nothing at {expression}"
                followed.add(key)
    assert followed == set(whole["components"]["links"])


def _found(expression: str, operation: dict[str, Any], response: dict[str, Any]) -> bool:
    """Whether the example of this operation has something there."""
    place, _, pointer = expression.partition("#")
    if place.startswith("$request.path."):
        return any(each["in"] == "path" and each["name"] == place.removeprefix("$request.path.") for each in operation["parameters"])
    body = operation["requestBody"] if place == "$request.body" else response
    value = body["content"]["application/json"]["example"]
    for step in pointer.split("/")[1:]:
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value is not None


def _broken(change: str) -> dict[str, Any]:
    broken = deepcopy(document())
    schemas = broken["components"]["schemas"]
    match change:
        case "a nullable enum":
            schemas["Token"]["properties"]["token_id"] = {"type": ["string", "null"], "enum": ["a", None]}
        case "an anonymous union":
            schemas["Token"]["properties"]["token_id"] = {"oneOf": [{"$ref": REF + "Text"}, {"$ref": REF + "Health"}]}
        case "an anonymous union of scalars":
            schemas["Token"]["properties"]["token_id"] = {"type": ["string", "integer"]}
        case "a union that nothing tells apart":
            del schemas["MatchEvent"]["discriminator"]
        case "a property called like its component":
            schemas["Token"]["properties"]["token"] = {"type": "array", "items": {"type": "string"}, "description": "Itself."}
            schemas["Token"]["required"].append("token")
        case "an anonymous object":
            schemas["Token"]["properties"]["token_id"] = {"type": "object", "properties": {"a": {"type": "string"}}}
        case "an object that says nothing":
            schemas["Token"]["properties"]["token_id"] = {"type": "object", "description": "Anything."}
        case "an optional property of a response":
            schemas["Token"]["required"].remove("last_used_at")
        case "a closed response":
            schemas["MatchView"]["additionalProperties"] = False
        case "an incomplete mapping":
            schemas["MatchEvent"]["discriminator"]["mapping"].popitem()
        case "an error of another shape":
            broken["paths"]["/v1/games"]["get"]["responses"]["401"]["content"] = {
                "application/json": {"schema": {"$ref": "#/components/schemas/Text"}}
            }
        case "a response that leads nowhere":
            broken["paths"]["/v1/games"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]["$ref"] = (
                "#/components/schemas/Nothing"
            )
        case "a property without a word":
            del schemas["Token"]["properties"]["created_at"]["description"]
        case "a missing example":
            del broken["paths"]["/v1/games"]["get"]["responses"]["200"]["content"]["application/json"]["example"]
        case "a problem without an example":
            broken["paths"]["/v1/games"]["get"]["responses"]["401"]["content"][PROBLEM]["examples"].popitem()
        case "an example of another problem":
            broken["components"]["examples"]["rate_limited"] = broken["components"]["examples"]["too_many_streams"]
        case "an example that nothing refers to":
            broken["components"]["examples"]["other"] = broken["components"]["examples"]["rate_limited"]
        case "a name that is taken":
            schemas["Result"] = schemas["MatchResult"]
            schemas["MatchView"]["properties"]["result"] = {"$ref": REF + "Result", "description": "How it ended."}
        case "a renamed path":
            broken["paths"]["/v1/Games_list"] = broken["paths"].pop("/v1/games")
    return broken


@pytest.mark.parametrize(
    "change",
    [
        "a nullable enum",
        "a property called like its component",
        "an anonymous union",
        "an anonymous union of scalars",
        "a union that nothing tells apart",
        "an anonymous object",
        "an object that says nothing",
        "an optional property of a response",
        "a closed response",
        "an incomplete mapping",
        "an error of another shape",
        "a response that leads nowhere",
        "a property without a word",
        "a missing example",
        "a problem without an example",
        "an example of another problem",
        "an example that nothing refers to",
        "a name that is taken",
        "a renamed path",
    ],
)
def test_the_rules_bite(change: str) -> None:
    assert faults(_broken(change)), change


def test_the_document_is_small_enough_to_read_as_a_page() -> None:
    assert len(json.dumps(document(), separators=(",", ":"))) < 1_000_000
