"""A small HTTP client that keeps many connections busy: it prepares matches, and bears load where wrk is not to be had."""

import asyncio
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

HEAD_END = b"\r\n\r\n"
AGAIN_MAX = 20


class Answer(msgspec.Struct, frozen=True):
    """What a server said to one request."""

    status: int
    body: bytes
    etag: str = ""

    def json(self) -> Any:
        """The body, which must be that of a success."""
        assert 200 <= self.status < 300, (self.status, self.body)
        return msgspec.json.decode(self.body)


class _Connection(asyncio.Protocol):
    """One connection with at most one request under way. The server must answer with a Content-Length."""

    def __init__(self, waiting: "deque[tuple[int, bytes]]", answers: dict[int, Answer], done: "asyncio.Future[None]") -> None:
        self._waiting, self._answers, self._done = waiting, answers, done
        self._number, self._received = -1, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._next()

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, separator, body = self._received.partition(HEAD_END)
        if not separator:
            return
        lines = (line.partition(b": ") for line in head.split(b"\r\n")[1:])
        headers = {name.lower(): value for name, _, value in lines}
        if len(body) >= int(headers.get(b"content-length", 0)):
            self._answers[self._number] = Answer(int(head[9:12]), body, headers.get(b"etag", b"").decode())
            self._received, self._number = b"", -1
            self._next()

    def connection_lost(self, error: Exception | None) -> None:
        if self._number >= 0 and not self._done.done():
            self._done.set_exception(error or ConnectionResetError("the server closed a connection with a request under way"))

    def _next(self) -> None:
        if self._waiting:
            self._number, request = self._waiting.popleft()
            self._transport.write(request)
        else:
            self._transport.close()
            if not self._done.done():
                self._done.set_result(None)


async def ask_all(host: str, port: int, requests: Iterable[bytes], connections: int = 16) -> list[Answer]:
    """Send these requests, so many at a time, and those again that the service has no time for now; the answers in the same order."""
    asked = list(requests)
    answers = await _ask(host, port, enumerate(asked), connections)
    for _ in range(AGAIN_MAX):
        late = [(number, asked[number]) for number, answer in answers.items() if answer.status == 503]
        if not late:
            break
        await asyncio.sleep(1)
        answers |= await _ask(host, port, late, connections)
    return [answers[number] for number in range(len(answers))]


async def _ask(host: str, port: int, requests: Iterable[tuple[int, bytes]], connections: int) -> dict[int, Answer]:
    waiting = deque(requests)
    answers: dict[int, Answer] = {}
    loop = asyncio.get_running_loop()
    ends = [loop.create_future() for _ in range(min(connections, len(waiting)))]
    for end in ends:
        await loop.create_connection(lambda end=end: _Connection(waiting, answers, end), host, port)  # type: ignore[misc]
    await asyncio.gather(*ends)
    return answers


def request(method: str, path: str, *, token: str = "", body: Any = None, key: str = "", headers: Sequence[str] = ()) -> bytes:
    """A request as its bytes."""
    content = b"" if body is None else msgspec.json.encode(body)
    lines = [f"{method} {path} HTTP/1.1", "Host: bench", *headers]
    lines += [f"Authorization: Bearer {token}"] * bool(token) + [f"Idempotency-Key: {key}"] * bool(key)
    lines += ["Content-Type: application/json", f"Content-Length: {len(content)}"] * (body is not None)
    return "\r\n".join([*lines, "", ""]).encode() + content
