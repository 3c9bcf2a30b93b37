"""Spans of OpenTelemetry: one for each request, with nothing in it that is anybody's secret; none unless they are asked for."""

import re
import threading
from collections.abc import AsyncIterator, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import httpx
import pytest
import pytest_asyncio
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from service import settings
from service.app import create_app
from service.cant_run import CantRun
from tests.service.conftest import inside, running

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


class Collector(HTTPServer):
    """Takes what is sent by OTLP."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Taking)
        self.taken: list[ExportTraceServiceRequest] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1/traces"


class Taking(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            raise AssertionError("not asked for")
        self.server.taken.append(ExportTraceServiceRequest.FromString(body))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector() as collecting:
        thread = threading.Thread(target=collecting.serve_forever)
        thread.start()
        yield collecting
        collecting.shutdown()
        thread.join()


@pytest_asyncio.fixture
async def traced(database_url: str, collector: Collector) -> AsyncIterator[Collector]:
    """What a collector has when the service has ended after a few requests."""
    chosen = settings.read({"DATABASE_URL": database_url, "LUDICITUDE_TRACES": collector.url})
    async with running(create_app(chosen)) as app, httpx.AsyncClient(transport=inside(app), base_url="http://ludicitude.test") as client:
        assert (await client.get("/v1/live")).status_code == 200
        headers = {"traceparent": f"00-{TRACE}-{PARENT}-01", "Authorization": "Bearer secret", "Request-Id": "mine"}
        assert (await client.get("/v1/matches/mat_0123?ticket=secret", headers=headers)).status_code == 401
    yield collector


async def test_each_request_is_a_span_on_the_trace_of_its_caller(traced: Collector) -> None:
    spans = [span for taken in traced.taken for each in taken.resource_spans for scope in each.scope_spans for span in scope.spans]
    assert [span.name for span in spans] == ["GET /v1/live", "GET /v1/matches/{match_id}"]
    assert (spans[1].trace_id.hex(), spans[1].parent_span_id.hex()) == (TRACE, PARENT)
    told = {field.key: field.value.string_value or field.value.int_value for field in spans[1].attributes}
    assert told == {
        "http.request.method": "GET",
        "http.route": "/v1/matches/{match_id}",
        "http.response.status_code": 401,
        "ludicitude.request_id": "mine",
    }
    assert spans[1].end_time_unix_nano > spans[1].start_time_unix_nano
    assert not re.search("secret|0123", str(traced.taken[0].resource_spans).replace(TRACE, ""))


def test_a_wrong_address_of_a_collector_is_told() -> None:
    with pytest.raises(CantRun, match="LUDICITUDE_TRACES"):
        settings.read({"LUDICITUDE_TRACES": "localhost:4318"})
