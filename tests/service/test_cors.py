"""Calls from pages of other sites, as a browser makes them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from litestar import Response, get

from service.http.assembly import http_app
from service.http.deadline import Deadline
from tests.contract.rules import operations
from tests.service.conftest import inside
from tests.service.documented import document

PREFLIGHT = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,idempotency-key"}
SEEN_BY_BROWSERS_ALONE = {"www-authenticate"}
"""What a page has no use for, since a 401 says it all."""


@get("/view")
async def view() -> Response[str]:
    return Response("view", headers={"Vary": "Authorization"})


@asynccontextmanager
async def calling(*origins: str) -> AsyncIterator[httpx.AsyncClient]:
    app = http_app([view], players=None, services=(), origins=origins)  # type: ignore[arg-type]
    async with httpx.AsyncClient(transport=inside(app), base_url="http://ludicitude.test") as client:
        yield client


def listed(value: str) -> set[str]:
    return {each.strip().lower() for each in value.split(",")}


async def test_any_site_may_call_unless_told_otherwise_but_without_cookies() -> None:
    async with calling("*") as client:
        preflight = await client.options("/view", headers={"Origin": "https://play.example", **PREFLIGHT})
        assert preflight.status_code == 204
        assert preflight.headers["access-control-allow-origin"] == "*"
        assert listed(preflight.headers["access-control-allow-methods"]) >= {"get", "post", "patch", "delete"}
        assert listed(preflight.headers["access-control-allow-headers"]) == {
            *("authorization", "content-type", "idempotency-key", "if-match", "if-none-match", "last-event-id", "request-id")
        }
        assert preflight.headers["access-control-max-age"] == "7200"
        for path in ("/view", "/nowhere"):
            answer = await client.get(path, headers={"Origin": "https://play.example"})
            assert answer.headers["access-control-allow-origin"] == "*"
            assert listed(answer.headers["access-control-expose-headers"]) >= {
                *("etag", "location", "retry-after", "ratelimit", "ratelimit-policy", "request-id")
            }
            assert "access-control-allow-credentials" not in answer.headers


async def test_a_list_of_sites_is_kept_and_a_foreign_page_is_told_nothing() -> None:
    async with calling("https://play.example", "http://localhost:5173") as client:
        ours = await client.get("/view", headers={"Origin": "https://play.example"})
        assert ours.headers["access-control-allow-origin"] == "https://play.example"
        assert listed(ours.headers["vary"]) == {"authorization", "origin"}
        for origin in ("https://evil.example", "https://play.example.evil", "null"):
            foreign = await client.get("/view", headers={"Origin": origin})
            assert foreign.status_code == 200
            assert "access-control-allow-origin" not in foreign.headers
            assert "origin" in listed(foreign.headers["vary"])
            preflight = await client.options("/view", headers={"Origin": origin, **PREFLIGHT})
            assert (preflight.status_code, "access-control-allow-origin" in preflight.headers) == (204, False)


async def test_a_page_reads_also_that_the_service_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: Any) -> None:
        raise RuntimeError

    monkeypatch.setattr(Deadline, "__call__", broken)
    async with calling("https://play.example") as client:
        answer = await client.get("/view", headers={"Origin": "https://play.example"})
    assert (answer.status_code, answer.json()["code"]) == (500, "internal_error")
    assert answer.headers["access-control-allow-origin"] == "https://play.example"


async def test_options_that_is_no_preflight_tells_the_methods() -> None:
    async with calling("*") as client:
        answer = await client.options("/view")
        assert (answer.status_code, answer.headers["allow"]) == (204, "GET, OPTIONS")


async def test_a_page_may_use_and_read_all_that_the_document_tells_of() -> None:
    """Whatever is added to the API can be called from a page of another site at once."""
    asked = [operation for _, _, operation in operations(document())]
    sent = {named["name"].lower() for operation in asked for named in operation.get("parameters", ()) if named["in"] == "header"}
    told = {name.lower() for operation in asked for answer in operation["responses"].values() for name in answer.get("headers", ())}
    async with calling("*") as client:
        preflight = (await client.options("/view", headers={"Origin": "https://play.example", **PREFLIGHT})).headers
        exposed = (await client.get("/view")).headers["access-control-expose-headers"]
    assert {method for _, method, _ in operations(document())} <= listed(preflight["access-control-allow-methods"])
    assert {"idempotency-key", "if-match"} <= sent | {"authorization"} <= listed(preflight["access-control-allow-headers"])
    assert {"etag", "request-id"} <= told - SEEN_BY_BROWSERS_ALONE <= listed(exposed)
