"""What holds for every request, whatever route it is for. A few routes of the tests' own stand for all."""

import json
from collections.abc import AsyncIterator
from typing import Annotated, Any

import httpx
import msgspec
import pytest
import pytest_asyncio
from asyncpg import AdminShutdownError, TooManyConnectionsError, UndefinedTableError
from litestar import Litestar, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from msgspec import Meta
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolExhausted
from structlog.contextvars import merge_contextvars
from structlog.testing import capture_logs

from domain.match.game import Refused
from domain.match.play import NotNow
from domain.match.table import NotAllowed, Unfit
from service.held import UnknownMatch
from service.http.assembly import http_app
from service.http.auth import signed_in
from service.http.conditions import IfMatch, expected_version
from service.http.idempotency import IdempotencyKey
from service.matches import Busy, Stale
from service.players import Player
from service.store import KeyReused, StoreAway
from tests.service.conftest import inside


class Red(msgspec.Struct, tag_field="type", tag="red", forbid_unknown_fields=True):
    number: Annotated[int, Meta(ge=1, le=9)]
    words: list[str] = []
    open: bool = False


class Blue(msgspec.Struct, tag_field="type", tag="blue", forbid_unknown_fields=True):
    within: "Red | Blue"


class Sent(msgspec.Struct, forbid_unknown_fields=True):
    command: Red | Blue
    note: str | None = None


class Wish(msgspec.Struct, forbid_unknown_fields=True):
    level: str | None = None


FAILURES = {
    "refused": Refused("not_in_hand", "4.2"),
    "not_now": NotNow("match_full"),
    "not_allowed": NotAllowed("not_host"),
    "unfit": Unfit("no_such_seat", "seat"),
    "unknown": UnknownMatch(),
    "stale": Stale(7),
    "reused": KeyReused(),
    "busy": Busy(),
    "away": StoreAway("password=hunter2"),
    "unreachable": ConnectionRefusedError("password=hunter2"),
    "full": TooManyConnectionsError("password=hunter2"),
    "stopping": DBAPIError("SELECT 1", None, AdminShutdownError("password=hunter2")),
    "pool": PoolExhausted("password=hunter2"),
    "wrong_sql": DBAPIError("SELECT 1", None, UndefinedTableError("password=hunter2")),
    "bug": RuntimeError("password=hunter2"),
}


@post("/sent", status_code=200)
async def send(data: JSONBody[Sent]) -> Sent:
    return data


@post("/wish", status_code=200)
async def wish(data: JSONBody[Wish | None] = None, idempotency_key: IdempotencyKey = None, if_match: IfMatch = None) -> dict[str, Any]:
    return {"level": data and data.level, "version": expected_version(if_match)}


@post("/mine", status_code=200, guards=[signed_in])
async def mine(data: JSONBody[Sent], player: NamedDependency[Player]) -> str:
    return player.player_id


@get("/fail/{how:str}")
async def fail(how: FromPath[str]) -> None:
    raise FAILURES[how]


@get("/page")
async def page(
    need: FromQuery[str], limit: Annotated[int, QueryParameter(ge=1, le=100)] = 10, all_of: FromQuery[bool] = False
) -> list[Any]:
    return [need, limit, all_of]


@post("/page", status_code=200)
async def turn_page() -> None:
    return None


class Guests:
    """Stands for the accounts: one player, whose token is `good`."""

    async def by_token(self, secret: str) -> Player | None:
        return (
            msgspec.convert({"player_id": "ply_1", "display_name": "Ada", "created_at": "2026-11-30T00:00:00Z"}, Player)
            if secret == "good"
            else None
        )


@pytest.fixture
def app() -> Litestar:
    return http_app([send, wish, mine, fail, page, turn_page], players=Guests(), services=())  # type: ignore[arg-type]


@pytest_asyncio.fixture
async def client(app: Litestar) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(transport=inside(app), base_url="http://ludicitude.test") as made:
        yield made


async def sent(client: httpx.AsyncClient, body: bytes, path: str = "/sent", **headers: str) -> tuple[int, str | None, list[str]]:
    """What comes of a body: the status, the code and the pointers."""
    answer = await client.post(path, content=body, headers={"Content-Type": "application/json", **headers})
    problem = answer.json() if answer.is_error else {}
    return answer.status_code, problem.get("code"), [each["pointer"] for each in problem.get("errors", ())]


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        (b'{"command":{"type":"red","number":"1"}}', "/command/number"),
        (b'{"command":{"type":"red","number":1.5}}', "/command/number"),
        (b'{"command":{"type":"red","number":1.0}}', "/command/number"),
        (b'{"command":{"type":"red","number":true}}', "/command/number"),
        (b'{"command":{"type":"red","number":null}}', "/command/number"),
        (b'{"command":{"type":"red","number":0}}', "/command/number"),
        (b'{"command":{"type":"red","number":1,"open":"true"}}', "/command/open"),
        (b'{"command":{"type":"red","number":1,"open":1}}', "/command/open"),
        (b'{"command":{"type":"red","number":1,"words":["a",2]}}', "/command/words/1"),
        (b'{"command":{"type":"red"}}', "/command/number"),
        (b'{"command":{"type":"red","number":1,"extra":1}}', "/command/extra"),
        (b'{"command":{"type":"green"}}', "/command/type"),
        (b'{"command":{"number":1}}', "/command/type"),
        (b'{"command":{"type":"blue","within":{"type":"red","number":"x"}}}', "/command/within/number"),
        (b'{"command":[]}', "/command"),
        (b'{"note":"x"}', "/command"),
        (b"[]", ""),
        (b"null", ""),
        (b'"x"', ""),
    ],
)
async def test_a_body_of_another_shape_is_refused_at_the_place(client: httpx.AsyncClient, body: bytes, pointer: str) -> None:
    assert await sent(client, body) == (422, "invalid_body", [pointer])


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b" ",
        b"{",
        b'{"command":{"type":"red","number":1}}x',
        b'{"command":{"type":"red","number":NaN}}',
        b'{"command":{"type":"red","number":1},"note":"\\ud800"}',
        b'{"command":{"type":"red","number":1},"note":"\\ud800\\u0041"}',
        b'{"command":{"type":"red","number":1},"note":"\\u0000"}',
        b'{"command":{"type":"red","number":1,"words":["a\\u0000"]}}',
        b'{"command":{"type":"red","number":1},"note":"\x00"}',
        b'{"command":{"type":"red","number":1},"note":"\xff"}',
        b'\xef\xbb\xbf{"command":{"type":"red","number":1}}',
        b'{"command":{"type":"red","number":1,"number":1}}',
        b'{"command":{"type":"red","number":1},"note":"a","note":"b"}',
        b'{"command":' + b'{"type":"blue","within":' * 600,
    ],
)
async def test_what_is_not_json_for_every_reader_is_malformed(client: httpx.AsyncClient, body: bytes) -> None:
    assert await sent(client, body) == (400, "malformed_json", [])


async def test_numbers_are_bounded_cleanly(client: httpx.AsyncClient) -> None:
    for number in (2**53, 2**63, 2**64, 2**70, -(2**53), 10**400):
        status, code, _ = await sent(client, b'{"command":{"type":"red","number":%d}}' % number)
        assert (status, code) == (422, "invalid_body"), number


async def test_text_is_kept_as_it_came(client: httpx.AsyncClient) -> None:
    for note in ("\\u0000", "\U0001f3b2", "\u2028", "a\\", "é"):
        answer = await client.post("/sent", json={"command": {"type": "red", "number": 1}, "note": note})
        assert answer.json()["note"] == note


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", "multipart/form-data", ""]
)
async def test_only_json_is_read(client: httpx.AsyncClient, content_type: str) -> None:
    assert (await sent(client, b'{"command":{"type":"red","number":1}}', **{"Content-Type": content_type}))[:2] == (
        415,
        "unsupported_media_type",
    )


async def test_a_charset_is_no_other_type(client: httpx.AsyncClient) -> None:
    assert (await sent(client, b'{"command":{"type":"red","number":1}}', **{"Content-Type": "application/json; charset=utf-8"}))[0] == 200


async def test_a_large_body_is_not_read_to_its_end(client: httpx.AsyncClient) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(1000):
            yield b" " * 10_000
        pytest.fail("everything was read")

    assert (await sent(client, b" " * 16_385))[:2] == (413, "body_too_large")
    assert (await sent(client, b" " * 16_000 + b'{"command":{"type":"red","number":1}}'))[0] == 200
    answer = await client.post("/sent", content=chunks(), headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")


async def test_a_body_that_need_not_be_may_be_missing(client: httpx.AsyncClient) -> None:
    assert (await client.post("/wish")).json()["level"] is None
    assert (await client.post("/wish", json={})).json()["level"] is None
    assert (await client.post("/wish", json={"level": "hard"})).json()["level"] == "hard"


async def test_parameters_are_named_when_they_are_wrong(client: httpx.AsyncClient) -> None:
    for path, pointer in (
        ("/page", "/need"),
        ("/page?need=x&limit=0", "/limit"),
        ("/page?need=x&limit=101", "/limit"),
        ("/page?need=x&limit=ten", "/limit"),
        ("/page?need=x&limit=1.5", "/limit"),
        ("/page?need=x&limit=", "/limit"),
        ("/page?need=x&all_of=maybe", "/all_of"),
    ):
        answer = await client.get(path)
        problem = answer.json()
        assert (answer.status_code, problem["code"]) == (400, "invalid_parameter"), path
        assert [(each["source"], each["pointer"]) for each in problem["errors"]] == [("query", pointer)], path
    assert (await client.get("/page?need=x&limit=5&all_of=true&unknown=1")).json() == ["x", 5, True]


async def test_headers_are_named_when_they_are_wrong(client: httpx.AsyncClient) -> None:
    for name, value in (
        ("Idempotency-Key", ""),
        ("Idempotency-Key", "a b"),
        ("Idempotency-Key", "k" * 256),
        ("If-Match", "v12"),
        ("If-Match", '"v12", "v13"'),
    ):
        answer = await client.post("/wish", headers={name: value})
        problem = answer.json()
        assert (answer.status_code, problem["code"]) == (400, "invalid_parameter"), value
        assert [(each["source"], each["pointer"]) for each in problem["errors"]] == [("header", f"/{name}")], value
    assert (await client.post("/wish", headers={"Idempotency-Key": "k" * 255, "If-Match": '"v12"'})).json()["version"] == 12


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
        ("unreachable", 503, "unavailable", "2"),
        ("full", 503, "unavailable", "2"),
        ("stopping", 503, "unavailable", "2"),
        ("pool", 503, "unavailable", "2"),
        ("wrong_sql", 500, "internal_error", None),
        ("bug", 500, "internal_error", None),
    ],
)
async def test_every_failure_is_a_problem_document(client: httpx.AsyncClient, how: str, status: int, code: str, retry: str | None) -> None:
    answer = await client.get(f"/fail/{how}")
    problem = answer.json()
    assert answer.headers["content-type"] == "application/problem+json"
    assert (answer.status_code, problem["status"], problem["code"]) == (status, status, code)
    assert answer.headers.get("retry-after") == retry
    assert problem["type"].startswith("urn:ludicitude:problem:")
    assert problem["request_id"] == answer.headers["request-id"]
    assert "hunter2" not in answer.text


async def test_a_refusal_names_the_clause_and_the_words_of_its_game(client: httpx.AsyncClient) -> None:
    problem = (await client.get("/fail/refused")).json()
    assert (problem["type"], problem["clause"], problem["message_key"]) == ("urn:ludicitude:problem:refused", "4.2", "refusal.not_in_hand")


async def test_a_bug_is_logged_with_its_traceback_and_the_id_that_the_client_was_told(client: httpx.AsyncClient) -> None:
    with capture_logs(processors=[merge_contextvars]) as lines:
        answer = await client.get("/fail/bug")
    [line] = [line for line in lines if line["log_level"] == "error"]
    assert line["exc_info"] is FAILURES["bug"]
    assert line["request_id"] == answer.headers["request-id"]


async def test_what_is_not_there_is_a_problem_too(client: httpx.AsyncClient) -> None:
    missing, method = await client.get("/nowhere"), await client.put("/sent")
    assert (missing.status_code, missing.json()["code"]) == (404, "not_found")
    assert (method.status_code, method.json()["code"]) == (405, "method_not_allowed")
    assert set(method.headers["allow"].split(", ")) == {"OPTIONS", "POST"}
    host = await client.get("/page?need=x", headers={"Host": "a b"})
    assert (host.status_code, host.json()["code"]) == (400, "malformed_request")


async def test_a_client_that_leaves_in_mid_sentence_is_no_fault_of_ours(app: Litestar) -> None:
    headers = [(b"host", b"ludicitude.test"), (b"content-type", b"application/json"), (b"content-length", b"100")]
    scope = {"type": "http", "method": "POST", "path": "/sent", "query_string": b"", "headers": headers, "client": None, "server": None}
    received: list[Any] = [{"type": "http.request", "body": b'{"comm', "more_body": True}, {"type": "http.disconnect"}]
    answered: list[Any] = []

    async def receive() -> Any:
        return received.pop(0)

    async def send(message: Any) -> None:
        answered.append(message)

    with capture_logs() as lines:
        await app(scope, receive, send)  # type: ignore[arg-type]
    assert answered[0]["status"] == 400
    assert [line["log_level"] for line in lines] == ["info"]


async def test_head_is_get_without_the_body(client: httpx.AsyncClient) -> None:
    for path in ("/page?need=x", "/page", "/nowhere"):
        full, head = await client.get(path), await client.head(path)
        assert (head.status_code, head.content) == (full.status_code, b"")
        assert head.headers["content-type"] == full.headers["content-type"]
    assert (await client.head("/sent")).status_code == 405


async def test_a_request_keeps_its_sane_id_and_gets_another_for_any_other(client: httpx.AsyncClient) -> None:
    assert (await client.get("/nowhere", headers={"Request-Id": "trace-1.2:3"})).headers["request-id"] == "trace-1.2:3"
    for bad in ("", "a b", "x" * 65, '"}'):
        assert (await client.get("/nowhere", headers={"Request-Id": bad})).headers["request-id"].startswith("req_")


async def test_the_log_tells_of_every_request_and_gives_nothing_away(client: httpx.AsyncClient) -> None:
    with capture_logs(processors=[merge_contextvars]) as lines:
        await client.post(
            "/mine?ticket=s3cret",
            content=b'{"command":{"type":"red","number":1},"note":"whisper"}',
            headers={"Content-Type": "application/json", "Authorization": "Bearer good"},
        )
        await client.get("/nowhere/s3cret")
    told = [{key: line[key] for key in ("method", "route", "status", "player_id")} for line in lines if line["event"] == "request"]
    assert told == [
        {"method": "POST", "route": "/mine", "status": 200, "player_id": "ply_1"},
        {"method": "GET", "route": "(none)", "status": 404, "player_id": None},
    ]
    assert all(line["duration_ms"] >= 0 and line["request_id"] for line in lines)
    assert not any(secret in str(lines) for secret in ("s3cret", "whisper", "good"))


async def test_every_answer_is_safe_to_show(client: httpx.AsyncClient) -> None:
    for answer in (await client.get("/page?need=x"), await client.get("/nowhere"), await client.get("/fail/bug")):
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert "default-src 'none'" in answer.headers["content-security-policy"]


async def test_the_token_is_judged_before_the_body(client: httpx.AsyncClient) -> None:
    assert (await sent(client, b"{", "/mine"))[:2] == (401, "not_authenticated")
    assert (await sent(client, b"{", "/mine", Authorization="Bearer bad"))[:2] == (401, "not_authenticated")
    assert (await sent(client, b"{", "/mine", Authorization="Bearer good"))[:2] == (400, "malformed_json")


def test_json_is_compared_as_sent() -> None:
    assert json.loads('"\\\\u0000"') == "\\u0000", "a backslash before u0000 is text, not the character U+0000"


async def test_an_address_tells_all_its_methods(client: httpx.AsyncClient) -> None:
    for answer in (await client.options("/page"), await client.put("/page")):
        assert set(answer.headers["allow"].split(", ")) == {"GET", "OPTIONS", "POST"}
