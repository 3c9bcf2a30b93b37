"""The server's edge: what may come over a connection before there is a request, how long it may take, and how many there may be.

The parser and the loop are uvicorn's. This class bounds what they leave open: a client that never finishes its request or never
takes its answer, requests that are too large to look at, and more connections than the process can hold. Whatever the parser
refuses is answered by a problem document, as everything else is, and the connection ends, since nobody can tell where the next
request on it would begin.
"""

import asyncio
from collections.abc import Collection
from typing import ClassVar, NoReturn, cast

import httptools
import structlog
from prometheus_client import Counter
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from service import chance
from service.http import head, problems
from service.http.access import DEFAULT_HEADERS
from service.http.body import BODY_MAX_BYTES
from service.http.cors import ANY, EXPOSED, mark
from service.http.gathered import Gathered
from service.http.problems import Trouble

REQUEST_MAX_BYTES = 262_144
"""Of one request as it comes in. A body that is allowed fits, even in chunks of one byte each."""

PIPELINE_MAX = 32
"""Requests that may wait on one connection for the answers to those before them."""

REQUEST_SECONDS = 20.0
"""From the first byte of a request, or from the connection on, to the last byte of its body."""

TAKE_SECONDS = 30.0
"""A client that takes nothing of an answer for so long is cut off."""

LINGER_SECONDS = 2.0
"""For so long the rest of a refused request is thrown away, so that the client can read why; then the connection is cut."""

STOPPING_LINGER_SECONDS = 0.5
"""The same when the process stops."""

BACKSTOP_SECONDS = 60.0
"""By then every earlier answer on a connection is out, when a later request on it was refused."""

CUT = Counter("ludicitude_connections_cut_total", "Connections that the server ended before their time.", ["reason"])

log = structlog.get_logger("edge")


class Edge(HttpToolsProtocol):
    """One connection. Somebody has to call `judge` about every second."""

    connections_max: ClassVar[int] = 10_000
    origins: ClassVar[Collection[str]] = frozenset({ANY})
    """The pages that may read why they were refused (see `service.http.cors`)."""

    _began: float | None = None
    """Since when the client owes us the rest of a request; None while it owes nothing."""
    _stuffed: float | None = None
    """Since when the client takes nothing of what it is sent."""
    _ends: float | None = None
    """When the connection is cut. What still comes until then is thrown away."""
    _bytes = 0
    """What has come in for this request, but for what came in one piece with the request before it."""
    _piece = 0
    """What came in last."""
    _unsent: int | None = None
    """What the client had not taken of its answers when the process, which stops, looked last; None while it does not stop."""
    _in_head = False
    _refusal: Trouble | None = None
    """Why the parser was stopped, if it was not the parser's own doing."""

    @classmethod
    def holding(cls, connections_max: int, origins: Collection[str]) -> type["Edge"]:
        """The same edge with a bound of its own on connections, and its own pages that may read its answers."""
        return type(cls.__name__, (cls,), {"connections_max": connections_max, "origins": frozenset(origins)})

    def judge(self, now: float) -> None:
        """Cut the connection if its client has taken too long over something. `now` is the loop's time."""
        if self._ends is None and self.transport.is_closing():
            self._ends = now + TAKE_SECONDS  # The rest of the last answer is on its way out.
        if self._ends is not None:
            if now > self._ends:
                self.transport.abort()
        elif self._stuffed is not None and now - self._stuffed > TAKE_SECONDS:
            CUT.labels("slow_reader").inc()
            self.transport.abort()
        elif self._began is not None and now - self._began > REQUEST_SECONDS:
            self._time_out(now)

    # What uvicorn and the parser call

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.transport = cast("asyncio.Transport", Gathered(transport, self.loop))
        self._began = self.loop.time()
        if len(self.connections) > self.connections_max and not self._make_room():
            self._refuse(Trouble("too_many_connections"))

    def data_received(self, data: bytes) -> None:
        if self._ends is not None:
            return
        self._unset_keepalive_if_required()
        self._piece = len(data)
        self._bytes += self._piece
        try:
            while data:
                data = self._parse(data)
        except httptools.HttpParserError:
            if self._ends is None:
                self._refuse(self._refusal or Trouble("malformed_request", "The request is not HTTP that can be read."))
        else:
            if self._ends is None and self._began is not None and self._bytes > REQUEST_MAX_BYTES:
                self._refuse(Trouble("headers_too_large" if self._in_head else "body_too_large"))

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._began, self._in_head = self.loop.time(), True

    def on_headers_complete(self) -> None:
        if self.parser.should_upgrade():
            return
        self._in_head = False
        if self._ends is not None:  # It came in one piece with the body that ended the connection, and could not be answered.
            raise httptools.HttpParserError
        try:
            head.require_lawful(self.url, self.parser.get_http_version(), self.headers, self._bytes + self._piece)
            if len(self.pipeline) >= PIPELINE_MAX:
                raise Trouble("malformed_request", f"More than {PIPELINE_MAX} requests wait on this connection.")
        except Trouble as why:
            self._stop(why)
        super().on_headers_complete()
        if any(name == b"content-length" and len(value) > 4 and int(value) > BODY_MAX_BYTES for name, value in self.headers):
            self._end_after_answer()
        self._body_bytes = 0
        self.headers = []  # For trailers, which nobody reads.

    def on_body(self, body: bytes) -> None:
        super().on_body(body)
        self._body_bytes += len(body)
        if self._body_bytes > BODY_MAX_BYTES:
            self._end_after_answer()

    def on_message_complete(self) -> None:
        if self.parser.should_upgrade():
            return
        self._began, self._bytes = None, 0
        super().on_message_complete()
        if self.cycle.response_complete:  # The rest of its body came after the answer, and was thrown away.
            self._unset_keepalive_if_required()
            self.timeout_keep_alive_task = self.loop.call_later(self.timeout_keep_alive, self.timeout_keep_alive_handler)

    def pause_writing(self) -> None:
        self._stuffed = self.loop.time()
        super().pause_writing()

    def resume_writing(self) -> None:
        self._stuffed = None
        super().resume_writing()

    # How a connection ends

    def shutdown(self) -> None:
        """The process stops. It calls this again about every half second, until the connection has ended.

        What was asked for is answered. Nobody is waited for who takes nothing, or has not sent all of a request by the second call.
        """
        before, self._unsent = self._unsent, self.transport.get_write_buffer_size()
        if self._unsent and self._unsent == before:
            CUT.labels("stuck_at_stop").inc()
            self.transport.abort()
        elif self._ends is not None:
            self.judge(self.loop.time())
        elif before is not None and not self.pipeline and self.cycle is not None and self.cycle.more_body:
            self._refuse(Trouble("unavailable"))
        else:
            super().shutdown()

    def linger(self) -> None:
        """End the connection so that what was written arrives. Closed at once, it would be reset by what the client still sends."""
        if self._ends is None and not self.transport.is_closing():
            self._ends = self.loop.time() + (LINGER_SECONDS if self._unsent is None else STOPPING_LINGER_SECONDS)
            self.pipeline.clear()  # Whatever waits for its turn could not be answered, and is not done.
            self.transport.write_eof()

    def _stop(self, why: Trouble) -> NoReturn:
        self._refusal = why
        raise httptools.HttpParserError(why.code)

    def _parse(self, data: bytes) -> bytes:
        """Parse what came in; what this answers is to be parsed after it."""
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            return self._without_offer() + data[upgrade.args[0] :]
        return b""

    def _without_offer(self) -> bytes:
        """The head that has just been read, for a parser of its own: the old one takes what follows it for another protocol."""
        method, version, keep_alive = self.parser.get_method(), self.parser.get_http_version(), self.parser.should_keep_alive()
        self.parser = httptools.HttpRequestParser(self)
        try:
            return head.without_offer(method, self.url, version, self.headers, keep_alive)
        except Trouble as why:
            self._stop(why)

    def _end_after_answer(self) -> None:
        """The body of this request is larger than any that is read; nobody waits for the rest."""
        if self.cycle.response_complete:
            self.linger()
        elif not isinstance(self.cycle.transport, _LastAnswer):
            self.cycle.keep_alive = False
            self.cycle.transport = cast("asyncio.Transport", _LastAnswer(self))

    def _refuse(self, why: Trouble) -> None:
        """Tell the client why, as far as it still can be told, and end the connection."""
        CUT.labels(why.code).inc()
        log.info("connection_refused", code=why.code)
        cycle = self.cycle
        answering = cycle is not None and not cycle.response_complete
        if answering and cycle.more_body:
            cycle.disconnected = True  # The app must not take what has come for the whole body.
            cycle.message_event.set()
        if answering and (self.pipeline or not cycle.more_body):
            # The requests before the bad one are answered, and that is all.
            cycle.keep_alive = False
            self._ends = self.loop.time() + BACKSTOP_SECONDS
            return
        if not (cycle is not None and cycle.more_body and cycle.response_started):
            marks = mark(self.origins, head.origin(self._headers))
            self.transport.write(_written(why, [*self.server_state.default_headers, *DEFAULT_HEADERS, *marks, EXPOSED]))
        self.linger()

    def _time_out(self, now: float) -> None:
        cycle = self.cycle
        if cycle is not None and not cycle.response_complete and not cycle.more_body:
            self._began = now  # Half a request came before the answer to the one before it. That is no reason to lose the answer.
        elif cycle is None and not self._in_head:
            CUT.labels("never_asked").inc()
            self.transport.close()
        else:
            self._refuse(Trouble("request_timeout"))

    def _make_room(self) -> bool:
        """End some connections that wait for nothing from us, for a new one: those between requests, or else the slowest to ask."""
        others = [each for each in self.connections if isinstance(each, Edge) and each is not self and not each._busy]
        idle = [each for each in others if each._began is None] or sorted(others, key=lambda each: each._began or 0.0)
        for each in idle[: max(1, self.connections_max // 20)]:
            CUT.labels("made_room").inc()
            each.transport.close()
        return bool(idle)

    @property
    def _headers(self) -> head.Headers:
        """Of the request that is being read, as far as they have come."""
        if self._in_head or self.cycle is None:
            return self.headers or ()
        return cast("head.Headers", self.cycle.scope["headers"])

    @property
    def _busy(self) -> bool:
        """Whether the client waits for an answer, or is told that there is none."""
        return self._ends is not None or (self.cycle is not None and not self.cycle.response_complete)


class _LastAnswer:
    """The transport of an answer whose client may still be sending: its end is no reset."""

    def __init__(self, edge: Edge) -> None:
        self._edge = edge

    def write(self, data: bytes) -> None:
        self._edge.transport.write(data)

    def close(self) -> None:
        self._edge.linger()

    def is_closing(self) -> bool:
        return self._edge.transport.is_closing()


def _written(why: Trouble, usual: head.Headers) -> bytes:
    """The whole answer to what is no request, with the headers that every answer has."""
    request_id = chance.new_id("req")
    headers, body = problems.written(why, request_id)
    lines = [*usual, *headers, (b"request-id", request_id.encode()), (b"connection", b"close")]
    return STATUS_LINE[why.kind.status] + b"".join(b"%s: %s\r\n" % line for line in lines) + b"\r\n" + body
