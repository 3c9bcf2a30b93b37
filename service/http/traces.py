"""A span of OpenTelemetry for each request, sent to the collector that `LUDICITUDE_TRACES` names; nothing at all without that setting.

A span tells the route as a template, the status and the request's id: no path, no query, no body, no token and no player.
"""

import os
import time
from typing import TYPE_CHECKING

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from service.cant_run import CantRun

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

EXPORT_SECONDS = 2
"""A collector that takes longer is given up; so long it can hold up the end of the process."""


class Traced:
    """The app, with a span around each of its requests that goes on the trace of the caller where there is one."""

    def __init__(self, app: ASGIApp, provider: "TracerProvider") -> None:
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        self._app, self._tracer, self._incoming = app, provider.get_tracer("ludicitude"), TraceContextTextMapPropagator()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            return await self._app(scope, receive, send)
        from opentelemetry.trace import SpanKind, Status, StatusCode

        caller = {name.decode(): value.decode("latin-1") for name, value in scope["headers"] if name in (b"traceparent", b"tracestate")}
        method, began, status = scope["method"], time.time_ns(), 0

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            return await self._app(scope, receive, answer)
        finally:
            route = scope.get("path_template") or "(none)"
            told: dict[str, str | int] = {
                "http.request.method": str(method),
                "http.route": str(route),
                "http.response.status_code": status,
                "ludicitude.request_id": str(scope.get("request_id", "")),
            }
            span = self._tracer.start_span(f"{method} {route}", self._incoming.extract(caller), SpanKind.SERVER, told, start_time=began)
            if status >= 500:
                span.set_status(Status(StatusCode.ERROR))
            span.end()


def provider(endpoint: str) -> "TracerProvider":
    """What sends spans to this collector, some at a time, in a thread of its own. Raises `CantRun` when its packages are missing."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as missing:
        raise CantRun("LUDICITUDE_TRACES needs packages that are not installed: pip install 'ludicitude[traces]'") from missing
    made = TracerProvider(resource=Resource.create({"service.name": "ludicitude", "service.instance.id": str(os.getpid())}))
    made.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint, timeout=EXPORT_SECONDS)))
    return made
