"""The test client of the API: every answer it gets is held against the committed document."""

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

import httpx
from jsonschema_rs import Draft202012Validator

from service import resources
from tests.rooms import shared_labels

PROBLEM = "application/problem+json"
EVENT_STREAM = "text/event-stream"
BESIDE_THE_API = ("/docs", "/openapi.json", "/openapi-3.0.json", "/v1/openapi.json", "/metrics")
"""What is served and stands in no document."""

NOT_DECLARED = frozenset(
    {
        *("cache-control", "connection", "content-length", "content-security-policy", "content-type", "date", "referrer-policy", "server"),
        *("transfer-encoding", "vary", "x-accel-buffering", "x-content-type-options"),
        *("access-control-allow-origin", "access-control-expose-headers"),
    }
)
"""Headers that are the business of browsers, proxies and HTTP itself; the document tells of all others."""


def _in_whole_seconds(value: str) -> bool:
    return re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", value) is not None


class Documented(httpx.AsyncBaseTransport):
    """Passes requests on to `inner`, and answers on unless the document does not know them. `answers` keeps them by operation."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self._inner = inner
        self.answers: dict[str, list[httpx.Response]] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await self._inner.handle_async_request(request)
        response.request = request
        await response.aread()
        operation = check(request, response)
        if operation:
            self.answers.setdefault(operation, []).append(response)
        return response


def check(request: httpx.Request, response: httpx.Response) -> str | None:
    """Raise AssertionError unless the document admits this answer; the operationId of the request, if it is for one."""
    if (request.url.path == "/" or request.url.path.startswith(BESIDE_THE_API)) and not response.is_error:
        return None
    told = f"{request.method} {request.url.path} -> {response.status_code} {response.text[:500]}"
    operation = find(request.method, request.url.path)
    if operation is None:
        if response.status_code != 204:  # OPTIONS
            assert response.status_code in (400, 401, 403, 404, 405), told
            _check_body("#/components/schemas/Problem", response, PROBLEM, told)
        return None
    name, responses = operation["operationId"], operation["responses"]
    assert str(response.status_code) in responses, f"{name} does not declare this status: {told}"
    declared = responses[str(response.status_code)]
    _check_headers(declared, response, told)
    if request.method == "HEAD" or "content" not in declared:
        assert response.content == b"", told
        return str(name)
    [(media_type, content)] = declared["content"].items()
    if media_type == EVENT_STREAM:
        check_messages(operation, response.text, told)
    else:
        _check_body(content["schema"]["$ref"], response, media_type, told)
    if response.is_error:
        _check_like_its_example(content["examples"], response.json(), told)
    return str(name)


def check_messages(operation: Mapping[str, Any], text: str, told: str) -> None:
    """Raise AssertionError unless these whole messages are of the stream that `operation` opens."""
    reference = operation["responses"]["200"]["content"][EVENT_STREAM]["schema"]["$ref"]
    for message in messages(text):
        errors = list(_validator(reference).iter_errors(json.loads(str(message["data"]))))
        assert not errors, f"{errors[:3]} in {told}"


def find(method: str, path: str) -> Mapping[str, Any] | None:
    """The operation that a request is for. Where several templates match, the one with the fewest parameters is meant."""
    paths = document()["paths"]
    matching = [template for template in paths if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", template), path.rstrip("/"))]
    method = "get" if method == "HEAD" else method.lower()
    return paths[min(matching, key=lambda template: template.count("{"))].get(method) if matching else None


@cache
def document() -> dict[str, Any]:
    """The document as committed."""
    return dict(json.loads((resources.folder("openapi") / "openapi.json").read_text("utf-8")))


@cache
def _validator(reference: str) -> Draft202012Validator:
    """Stricter than the document: nothing is sent that it does not tell of."""
    schemas = {name: _closed(schema) for name, schema in document()["components"]["schemas"].items()}
    whole = {"$ref": reference, "components": {"schemas": schemas}}
    return Draft202012Validator(whole, validate_formats=True, formats={"date-time": _in_whole_seconds})


def _closed(schema: dict[str, Any]) -> dict[str, Any]:
    return {**schema, "additionalProperties": False} if "properties" in schema else schema


def messages(text: str) -> list[dict[str, str | None]]:
    """The messages of an event stream, without its comments."""
    found = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if line and not line.startswith(":"))
        if fields:
            found.append({"id": fields.get("id"), "data": fields["data"]})
    return found


def _check_headers(declared: Mapping[str, Any], response: httpx.Response, told: str) -> None:
    names = {name.lower() for name in declared.get("headers", {})}
    # Where the service cannot answer, it may not have come to counting the request either.
    uncounted = {"ratelimit", "ratelimit-policy"} if response.status_code == 503 else set()
    missing = names - uncounted - {name.lower() for name in response.headers}
    assert not missing, f"the headers {sorted(missing)} are declared and missing: {told}"
    undeclared = {name.lower() for name in response.headers} - names - NOT_DECLARED
    assert not undeclared, f"the headers {sorted(undeclared)} are not declared: {told}"
    media_type, _, _ = response.headers.get("content-type", "").partition(";")
    assert media_type in declared.get("content", {media_type: None}), f"{media_type} is not declared: {told}"


def _check_body(reference: str, response: httpx.Response, media_type: str, told: str) -> None:
    assert response.headers["content-type"] == media_type, told
    errors = [f"{error.instance_path}: {error.message}" for error in _validator(reference).iter_errors(response.json())]
    assert not errors, f"{errors[:3]} in {told}"
    if media_type == PROBLEM:
        assert response.json()["status"] == response.status_code, told
        assert response.json()["request_id"] == response.headers["request-id"], told
        _check_sentence(response.json(), told)


def _check_like_its_example(examples: Mapping[str, Any], problem: dict[str, Any], told: str) -> None:
    """A problem is one of those that the operation declares, and looks like the example that the document has of it."""
    code = problem["type"].rpartition(":")[2]
    assert code in examples, f"{code} is not declared: {told}"
    example = examples[code].get("value") or document()["components"]["examples"][code]["value"]
    assert _outline(problem) == _outline(example), f"the example of {code} is another: {told}"


def _outline(problem: dict[str, Any]) -> list[Any]:
    """What is the same in all problems of one kind."""
    refused = problem["clause"] is not None
    own = None if refused else (problem["code"], problem["message_key"])
    same = [problem[field] for field in ("type", "title", "status")]
    return [*same, refused, own, set(problem["message_params"]), problem["errors"] != []]


def _check_sentence(problem: dict[str, Any], told: str) -> None:
    """A problem that is no refusal of a game has a sentence, with exactly the parameters that came with it."""
    if problem["clause"] is None:
        assert problem["message_key"] in shared_labels(), f"service/http/labels.json has no {problem['message_key']}: {told}"
        sentence = shared_labels()[problem["message_key"]]["en"]
        assert set(re.findall(r"\{(\w+)\}", sentence)) == set(problem["message_params"]), f"{sentence!r} does not fit {told}"
