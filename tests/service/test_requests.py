"""What holds for every request, whatever route it is for."""

from typing import Any

import httpx
import pytest
from structlog.testing import capture_logs

from service.http.access import Access
from service.logs import of_request
from tests.service.conftest import inside
from tests.service.routes import FAILURES, app_of_routes


async def test_parameters_are_named_when_they_are_wrong(bare: httpx.AsyncClient) -> None:
    for path, pointer in (
        ("/page", "/need"),
        ("/page?need=x&limit=0", "/limit"),
        ("/page?need=x&limit=101", "/limit"),
        ("/page?need=x&limit=ten", "/limit"),
        ("/page?need=x&limit=1.5", "/limit"),
        ("/page?need=x&limit=", "/limit"),
        ("/page?need=x&all_of=maybe", "/all_of"),
    ):
        answer = await bare.get(path)
        problem = answer.json()
        assert (answer.status_code, problem["code"]) == (400, "invalid_parameter"), path
        assert [(each["source"], each["pointer"]) for each in problem["errors"]] == [("query", pointer)], path
    assert (await bare.get("/page?need=x&limit=5&all_of=true")).json() == ["x", 5, True]


async def test_parameters_that_are_not_there_are_named_with_those_that_are(bare: httpx.AsyncClient) -> None:
    problem = (await bare.get("/page?need=x&Limit=5&a/b~=1&Limit=6")).json()
    assert (problem["status"], problem["code"]) == (400, "invalid_parameter")
    assert [(each["source"], each["pointer"]) for each in problem["errors"]] == [("query", "/Limit"), ("query", "/a~1b~0")]
    assert all("`need`, `limit`, `all_of`" in each["detail"] for each in problem["errors"])
    problem = (await bare.post("/wish?level=high", json={})).json()
    assert (problem["code"], problem["errors"][0]["pointer"]) == ("invalid_parameter", "/level")
    assert "no query parameters" in problem["errors"][0]["detail"]
    many = "&".join(f"p{number}" for number in range(1_000))
    assert len((await bare.get(f"/page?{many}")).content) < 3_000


async def test_headers_are_named_when_they_are_wrong(bare: httpx.AsyncClient) -> None:
    for name, value in (
        ("Idempotency-Key", ""),
        ("Idempotency-Key", "a b"),
        ("Idempotency-Key", "k" * 256),
        ("If-Match", "v12"),
        ("If-Match", '"v12", "v13"'),
    ):
        answer = await bare.post("/wish", headers={name: value})
        problem = answer.json()
        assert (answer.status_code, problem["code"]) == (400, "invalid_parameter"), value
        assert [(each["source"], each["pointer"]) for each in problem["errors"]] == [("header", f"/{name}")], value
    assert (await bare.post("/wish", headers={"Idempotency-Key": "k" * 255, "If-Match": '"v12"'})).json()["version"] == 12


@pytest.mark.parametrize(
    ("how", "status", "code", "retry"),
    [
        ("refused", 422, "not_in_hand", None),
        ("not_now", 409, "match_full", None),
        ("not_allowed", 403, "not_host", None),
        ("unfit", 422, "no_such_seat", None),
        ("unknown", 404, "match_not_found", None),
        ("stale", 412, "precondition_failed", None),
        ("reused", 422, "key_reused", None),
        ("busy", 503, "match_busy", "2"),
        ("away", 503, "unavailable", "2"),
        ("newer", 503, "unavailable", "2"),
        ("unreachable", 503, "unavailable", "2"),
        ("full", 503, "unavailable", "2"),
        ("stopping", 503, "unavailable", "2"),
        ("pool", 503, "unavailable", "2"),
        ("wrong_sql", 500, "internal_error", None),
        ("bug", 500, "internal_error", None),
    ],
)
async def test_every_failure_is_a_problem_document(bare: httpx.AsyncClient, how: str, status: int, code: str, retry: str | None) -> None:
    answer = await bare.get(f"/fail/{how}")
    problem = answer.json()
    assert answer.headers["content-type"] == "application/problem+json"
    assert (answer.status_code, problem["status"], problem["code"]) == (status, status, code)
    assert answer.headers.get("retry-after") == retry
    assert problem["type"].startswith("urn:ludicitude:problem:")
    assert problem["request_id"] == answer.headers["request-id"]
    assert "hunter2" not in answer.text


async def test_what_does_not_fit_is_said_once(bare: httpx.AsyncClient) -> None:
    problem = (await bare.get("/fail/unfit")).json()
    assert problem["detail"] == problem["errors"][0]["detail"] == "The match has no such seat."


async def test_a_refusal_names_the_clause_and_the_words_of_its_game(bare: httpx.AsyncClient) -> None:
    problem = (await bare.get("/fail/refused")).json()
    assert (problem["type"], problem["clause"], problem["message_key"]) == ("urn:ludicitude:problem:refused", "4.2", "refusal.not_in_hand")


async def test_a_bug_is_logged_with_its_traceback_and_the_id_that_the_client_was_told(bare: httpx.AsyncClient) -> None:
    with capture_logs(processors=[of_request]) as lines:
        answer = await bare.get("/fail/bug")
    [line] = [line for line in lines if line["log_level"] == "error"]
    assert line["exc_info"] is FAILURES["bug"]
    assert line["request_id"] == answer.headers["request-id"]


async def test_what_is_not_there_is_a_problem_too(bare: httpx.AsyncClient) -> None:
    missing, method = await bare.get("/nowhere"), await bare.put("/sent")
    assert (missing.status_code, missing.json()["code"]) == (404, "not_found")
    assert (method.status_code, method.json()["code"]) == (405, "method_not_allowed")
    assert set(method.headers["allow"].split(", ")) == {"OPTIONS", "POST"}
    host = await bare.get("/page?need=x", headers={"Host": "a b"})
    assert (host.status_code, host.json()["code"]) == (400, "malformed_request")


async def test_a_client_that_leaves_in_mid_sentence_is_no_fault_of_ours() -> None:
    headers = [(b"host", b"ludicitude.test"), (b"content-type", b"application/json"), (b"content-length", b"100")]
    scope = {"type": "http", "method": "POST", "path": "/sent", "query_string": b"", "headers": headers, "client": None, "server": None}
    received: list[Any] = [{"type": "http.request", "body": b'{"comm', "more_body": True}, {"type": "http.disconnect"}]
    answered: list[Any] = []

    async def receive() -> Any:
        return received.pop(0)

    async def send(message: Any) -> None:
        answered.append(message)

    with capture_logs() as lines:
        await app_of_routes()(scope, receive, send)  # type: ignore[arg-type]
    assert answered[0]["status"] == 400
    assert [line["log_level"] for line in lines] == ["info"]


async def test_head_is_get_without_the_body(bare: httpx.AsyncClient) -> None:
    for path in ("/page?need=x", "/page", "/nowhere"):
        full, head = await bare.get(path), await bare.head(path)
        assert (head.status_code, head.content) == (full.status_code, b"")
        assert head.headers["content-type"] == full.headers["content-type"]
    assert (await bare.head("/sent")).status_code == 405


async def test_a_request_keeps_its_sane_id_and_gets_another_for_any_other(bare: httpx.AsyncClient) -> None:
    assert (await bare.get("/nowhere", headers={"Request-Id": "trace-1.2:3"})).headers["request-id"] == "trace-1.2:3"
    for bad in ("", "a b", "x" * 65, '"}'):
        assert (await bare.get("/nowhere", headers={"Request-Id": bad})).headers["request-id"].startswith("req_")


async def test_the_log_tells_of_every_request_and_gives_nothing_away(bare: httpx.AsyncClient) -> None:
    with capture_logs(processors=[of_request]) as lines:
        await bare.post(
            "/mine?ticket=s3cret",
            content=b'{"command":{"type":"red","number":1},"note":"whisper"}',
            headers={"Content-Type": "application/json", "Authorization": "Bearer good"},
        )
        await bare.get("/nowhere/s3cret")
    told = [{key: line[key] for key in ("method", "route", "status", "player_id")} for line in lines if line["event"] == "request"]
    assert told == [
        {"method": "POST", "route": "/mine", "status": 200, "player_id": "ply_1"},
        {"method": "GET", "route": "(none)", "status": 404, "player_id": None},
    ]
    assert all(line["duration_ms"] >= 0 and line["request_id"] for line in lines)
    assert not any(secret in str(lines) for secret in ("s3cret", "whisper", "good"))


async def test_every_answer_is_safe_to_show(bare: httpx.AsyncClient) -> None:
    for answer in (await bare.get("/page?need=x"), await bare.get("/nowhere"), await bare.get("/fail/bug")):
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert "default-src 'none'" in answer.headers["content-security-policy"]


async def test_an_address_tells_all_its_methods(bare: httpx.AsyncClient) -> None:
    for answer in (await bare.options("/page"), await bare.put("/page")):
        assert set(answer.headers["allow"].split(", ")) == {"GET", "OPTIONS", "POST"}


async def test_a_fault_outside_of_every_route_is_a_problem_document_too() -> None:
    async def broken(*_: Any) -> None:
        raise RuntimeError("password=hunter2")

    async with httpx.AsyncClient(transport=inside(Access(broken)), base_url="http://ludicitude.test") as client:
        answer = await client.get("/page")
    assert (answer.status_code, answer.headers["content-type"]) == (500, "application/problem+json")
    assert (answer.json()["code"], answer.json()["request_id"]) == ("internal_error", answer.headers["request-id"])
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "hunter2" not in answer.text
