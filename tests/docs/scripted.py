"""A server that says what a script says, to see what becomes of whoever follows a match on it."""

import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

MATCH = "/v1/matches/mat_0123456789abcdef0123456789abcdef"


class Answer(NamedTuple):
    """One answer: a status, a problem's code or what else goes out, how it ends (well, cut, or not at all), and when to come back."""

    status: int = 200
    code: str = ""
    text: str = ""
    end: str = "well"
    retry_after: str = "0"


class Script:
    """What is answered to each request for the stream, in turn, to each one for the view, to each command, and to each that waits for news.

    `ids` are what those for the stream brought, `keys` what the commands did, `moments` when there was one for news.
    """

    def __init__(
        self,
        streams: Sequence[Answer] = (),
        views: Sequence[Answer | int] = (),
        commands: Sequence[Answer] = (),
        news: Sequence[Answer] = (),
    ) -> None:
        self.streams, self.views, self.commands, self.news = iter(streams), iter(views), iter(commands), iter(news)
        self.ids: list[str | None] = []
        self.keys: list[str] = []
        self.moments: list[float] = []
        self.address = ""
        self.over = threading.Event()

    def answer(self, asked: BaseHTTPRequestHandler) -> None:
        """Play the next part. Who asks for more than there is gets a 410."""
        if asked.command == "POST":
            asked.rfile.read(int(asked.headers["Content-Length"]))
            self.keys.append(asked.headers["Idempotency-Key"])
            _send(asked, next(self.commands, Answer(410, "gone")), self.over)
        elif asked.path == f"{MATCH}/stream":
            self.ids.append(asked.headers["Last-Event-ID"])
            _send(asked, next(self.streams, Answer(410, "gone")), self.over)
        elif asked.path != MATCH:
            self.moments.append(time.monotonic())
            _send(asked, next(self.news, Answer(410, "gone")), self.over)
        else:
            assert asked.headers["Authorization"] == "Bearer lud_token"
            view = next(self.views, Answer(410, "gone"))
            _send(asked, Answer(text=json.dumps({"version": view})) if isinstance(view, int) else view, self.over)


def told(*frames: Any, cut: str = "") -> str:
    """Frames as the text of a stream; `cut` is the beginning of one more."""
    return "".join(f"id: 0\ndata: {json.dumps(frame)}\n\n" for frame in frames) + cut


def event(version: int) -> dict[str, Any]:
    return {"frame": "event", "item": {"version": version}}


def shown(frame: str, version: int) -> dict[str, Any]:
    return {"frame": frame, "view": {"version": version}}


def bye(reason: str) -> dict[str, str]:
    return {"frame": "bye", "reason": reason}


@contextmanager
def playing(script: Script) -> Iterator[Script]:
    """The script, played at its `address` as long as the block lasts."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            script.answer(self)

        def do_POST(self) -> None:
            script.answer(self)

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        script.address = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield script
        script.over.set()
        server.shutdown()


def _send(asked: BaseHTTPRequestHandler, answer: Answer, over: threading.Event) -> None:
    asked.send_response(answer.status)
    asked.send_header("Retry-After", answer.retry_after)
    asked.send_header("ETag", '"v5"')
    asked.close_connection = True
    body = (json.dumps({"code": answer.code}) if answer.code else answer.text).encode()
    if answer.end == "well":
        asked.send_header("Connection", "close")
    if answer.end == "well" and answer.status != 204:
        asked.send_header("Content-Length", str(len(body)))
    elif answer.end != "well":
        asked.send_header("Transfer-Encoding", "chunked")
        body = f"{len(body):x}\r\n".encode() + body + b"\r\n"
    asked.end_headers()
    asked.wfile.write(body)
    asked.wfile.flush()
    if answer.end == "never":
        over.wait(100)
