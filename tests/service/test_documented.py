"""The client that holds every answer against the document does catch answers that the document does not know."""

import json
from typing import Any

import httpx
import pytest

from tests.service.documented import check
from tests.service.overheard import Heard, Overheard

GOOD: dict[str, Any] = {"player_id": "ply_1", "display_name": "Ada", "created_at": "2026-11-30T00:00:00Z"}
PROBLEM: dict[str, Any] = {
    "type": "urn:ludicitude:problem:player_not_found",
    "title": "There is no such player",
    "status": 404,
    "detail": "x",
    "code": "player_not_found",
    "clause": None,
    "message_key": "problem.player_not_found",
    "message_params": {},
    "request_id": "req_1",
    "errors": [],
}


ALWAYS = {"Request-Id": "req_1", "RateLimit": '"address";r=1;t=1', "RateLimit-Policy": '"address";q=1;w=60'}


def answer(status: int, body: Any, media_type: str = "application/json", **headers: str) -> httpx.Response:
    return httpx.Response(status, content=json.dumps(body), headers={"Content-Type": media_type, **ALWAYS, **headers})


def checked(response: httpx.Response, path: str = "/v1/players/ply_1", method: str = "GET") -> str | None:
    return check(httpx.Request(method, f"http://ludicitude.test{path}"), response)


def test_what_the_document_knows_passes() -> None:
    assert checked(answer(200, GOOD)) == "get_player"
    assert checked(answer(200, GOOD), "/v1/players/me") == "get_me"
    assert checked(answer(404, PROBLEM, "application/problem+json")) == "get_player"


@pytest.mark.parametrize(
    "response",
    [
        answer(202, GOOD),
        answer(200, GOOD, "text/plain"),
        answer(200, {**GOOD, "secret": 1}),
        answer(200, {**GOOD, "display_name": 1}),
        answer(200, {**GOOD, "created_at": "2026-11-30T00:00:00.123Z"}),
        answer(200, {key: value for key, value in GOOD.items() if key != "created_at"}),
        answer(404, {**PROBLEM, "type": "urn:ludicitude:problem:match_not_found"}, "application/problem+json"),
        answer(404, {**PROBLEM, "code": "of_another_operation"}, "application/problem+json"),
        answer(404, {**PROBLEM, "title": "Nothing"}, "application/problem+json"),
        answer(404, {**PROBLEM, "errors": [{"source": "body", "pointer": "", "detail": "x"}]}, "application/problem+json"),
        answer(404, {**PROBLEM, "status": 400}, "application/problem+json"),
        answer(404, {**PROBLEM, "request_id": "req_2"}, "application/problem+json"),
        answer(404, PROBLEM),
        answer(401, {**PROBLEM, "status": 401, "code": "not_authenticated"}, "application/problem+json"),
        httpx.Response(200, json=GOOD),
        answer(200, GOOD, **{"X-Of-Another-Kind": "1"}),
    ],
)
def test_what_it_does_not_know_is_caught(response: httpx.Response) -> None:
    with pytest.raises(AssertionError):
        checked(response)


def test_a_sentence_that_is_missing_or_does_not_fit_is_caught() -> None:
    for fault in ({"message_key": "problem.no_such"}, {"message_params": {"seconds": "2"}}):
        with pytest.raises(AssertionError):
            checked(answer(404, {**PROBLEM, **fault}, "application/problem+json"))


def test_a_head_is_of_the_answer_to_get_and_has_no_body() -> None:
    head = httpx.Response(200, headers={"Content-Type": "application/json", **ALWAYS})
    assert checked(head, method="HEAD") == "get_player"
    with pytest.raises(AssertionError):
        checked(answer(200, GOOD), method="HEAD")


def test_what_comes_over_a_network_is_caught_and_remembered() -> None:
    heard, request = Overheard(), httpx.Request("GET", "http://127.0.0.1/v1/players/ply_1")
    heard.hear(request, answer(200, GOOD))
    assert heard.faults == []
    with pytest.raises(AssertionError):
        heard.hear(request, answer(202, GOOD))
    assert len(heard.faults) == 1


def test_a_frame_is_caught_when_the_last_of_its_pieces_comes() -> None:
    heard, request = Overheard(), httpx.Request("GET", "http://127.0.0.1/v1/matches/mat_1/stream")
    good, bad = [b': here\n\ndata: {"frame": "bye", ', b'"reason": "ended"}\n\n'], [b'data: {"frame": "bye", "rea', b'son": "bored"}\n\n']
    assert list(Heard(good, request, heard)) == good
    pieces = iter(Heard(bad, request, heard))
    next(pieces)
    with pytest.raises(AssertionError):
        next(pieces)
    assert len(heard.faults) == 1


def test_an_error_beside_the_api_is_a_problem_too() -> None:
    with pytest.raises(AssertionError):
        checked(httpx.Response(404, text="not found"), "/v1/nowhere")
    with pytest.raises(AssertionError):
        checked(httpx.Response(500, text="oh"), "/docs")
