"""The test client of the API: every answer it gets is held against the committed document."""

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

import httpx
from jsonschema import Draft202012Validator, FormatChecker

from service import resources
from tests.rooms import shared_labels

PROBLEM = "application/problem+json"
EVENT_STREAM = "text/event-stream"
BESIDE_THE_API = ("/docs", "/openapi.json", "/metrics")
"""What is served and stands in no document."""

formats = FormatChecker()


@formats.checks("date-time")
def _whole_seconds(value: object) -> bool:
    return not isinstance(value, str) or re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", value) is not None


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
    if request.url.path.startswith(BESIDE_THE_API) and not response.is_error:
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
    missing = {name for name in declared.get("headers", {}) if name not in response.headers}
    assert not missing, f"{name} declares the headers {missing}: {told}"
    if "content" not in declared:
        assert response.content == b"", told
        return str(name)
    [(media_type, content)] = declared["content"].items()
    if media_type == EVENT_STREAM:
        _check_stream(content["schema"]["$ref"], response, told)
    else:
        _check_body(content["schema"]["$ref"], response, media_type, told)
    if response.is_error:
        codes = re.findall(r"`(\w+)`", declared["description"])
        assert response.json()["code"] in codes or (response.json()["clause"] and "refused" in codes), (
            f"{name} does not declare this code: {told}"
        )
    return str(name)


def find(method: str, path: str) -> Mapping[str, Any] | None:
    """The operation that a request is for. Where several templates match, the one with the fewest parameters is meant."""
    paths = document()["paths"]
    matching = [template for template in paths if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", template), path.rstrip("/"))]
    return paths[min(matching, key=lambda template: template.count("{"))].get(method.lower()) if matching else None


@cache
def document() -> dict[str, Any]:
    """The document as committed."""
    return dict(json.loads((resources.folder("openapi") / "openapi.json").read_text("utf-8")))


@cache
def _validator(reference: str) -> Draft202012Validator:
    """Stricter than the document: nothing is sent that it does not tell of."""
    schemas = {name: _closed(schema) for name, schema in document()["components"]["schemas"].items()}
    return Draft202012Validator({"$ref": reference, "components": {"schemas": schemas}}, format_checker=formats)


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


def _check_stream(reference: str, response: httpx.Response, told: str) -> None:
    assert response.headers["content-type"].partition(";")[0] == EVENT_STREAM, told
    for message in messages(response.text):
        errors = list(_validator(reference).iter_errors(json.loads(str(message["data"]))))
        assert not errors, f"{errors[:3]} in {told}"


def _check_body(reference: str, response: httpx.Response, media_type: str, told: str) -> None:
    assert response.headers["content-type"] == media_type, told
    errors = [f"{error.json_path}: {error.message}" for error in _validator(reference).iter_errors(response.json())]
    assert not errors, f"{errors[:3]} in {told}"
    if media_type == PROBLEM:
        assert response.json()["status"] == response.status_code, told
        assert response.json()["request_id"] == response.headers["request-id"], told
        _check_sentence(response.json(), told)


def _check_sentence(problem: dict[str, Any], told: str) -> None:
    """A problem that is no refusal of a game has a sentence, with exactly the parameters that came with it."""
    if problem["clause"] is None:
        assert problem["message_key"] in shared_labels(), f"service/http/labels.json has no {problem['message_key']}: {told}"
        sentence = shared_labels()[problem["message_key"]]["en"]
        assert set(re.findall(r"\{(\w+)\}", sentence)) == set(problem["message_params"]), f"{sentence!r} does not fit {told}"
