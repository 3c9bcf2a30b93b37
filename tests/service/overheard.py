"""What comes over a network, held against the document as it comes: for tests of a service that is a process of its own."""

import http.client
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from tests.service.documented import EVENT_STREAM, check, check_messages, find

API = "/v1/"


class Overheard:
    """Everything that was heard and that the document does not admit; it is raised at once too, which a task may keep to itself."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        self._listening = True

    @contextmanager
    def deaf(self) -> Iterator[None]:
        """Until the end of the block nothing is heard: another release is asked, which has another document."""
        self._listening = False
        try:
            yield
        finally:
            self._listening = True

    def hear(self, request: httpx.Request, response: httpx.Response) -> None:
        """A whole answer, or the head of a stream."""
        if self._listening and request.url.path.startswith(API):
            try:
                check(request, response)
            except AssertionError as fault:
                self.faults.append(str(fault))
                raise

    def hear_messages(self, request: httpx.Request, text: str) -> None:
        """Whole messages of a stream."""
        if not self._listening:
            return
        operation = find(request.method, request.url.path)
        assert operation is not None, "its head was heard before"
        try:
            check_messages(operation, text, str(request.url.path))
        except AssertionError as fault:
            self.faults.append(str(fault))
            raise


class Heard(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A stream of events, heard message by message."""

    def __init__(self, inner: Any, request: httpx.Request, overheard: Overheard) -> None:
        self._inner, self._request, self._overheard = inner, request, overheard
        self._rest = b""

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._inner:
            self._hear(piece)
            yield piece

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._inner:
            self._hear(piece)
            yield piece

    def close(self) -> None:
        self._inner.close()

    async def aclose(self) -> None:
        await self._inner.aclose()

    def _hear(self, piece: bytes) -> None:
        whole, _, self._rest = (self._rest + piece).rpartition(b"\n\n")
        self._overheard.hear_messages(self._request, whole.decode())


@contextmanager
def overhearing() -> Iterator[Overheard]:
    """Until the end of the block, whatever httpx gets over a network from the API is heard."""
    heard = Overheard()
    ask, ask_async = httpx.HTTPTransport.handle_request, httpx.AsyncHTTPTransport.handle_async_request

    def handle_request(self: httpx.HTTPTransport, request: httpx.Request) -> httpx.Response:
        response = ask(self, request)
        if _is_stream(request, response):
            heard.hear(request, _head(response))
            response.stream = Heard(response.stream, request, heard)
        elif request.url.path.startswith(API):
            response.read()
            heard.hear(request, response)
        return response

    async def handle_async_request(self: httpx.AsyncHTTPTransport, request: httpx.Request) -> httpx.Response:
        response = await ask_async(self, request)
        if _is_stream(request, response):
            heard.hear(request, _head(response))
            response.stream = Heard(response.stream, request, heard)
        elif request.url.path.startswith(API):
            await response.aread()
            heard.hear(request, response)
        return response

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(httpx.HTTPTransport, "handle_request", handle_request)
        patch.setattr(httpx.AsyncHTTPTransport, "handle_async_request", handle_async_request)
        yield heard


def connection_to(overheard: Overheard) -> type[http.client.HTTPConnection]:
    """The standard library's client, whose answers are heard."""

    class Connection(http.client.HTTPConnection):
        asked: httpx.Request

        def request(self, method: str, url: str, *rest: Any, **more: Any) -> None:
            self.asked = httpx.Request(method, f"http://{self.host}{url}")
            super().request(method, url, *rest, **more)

        def getresponse(self) -> http.client.HTTPResponse:
            answer = super().getresponse()
            content = answer.read()
            overheard.hear(self.asked, httpx.Response(answer.status, headers=answer.getheaders(), content=content))
            answer.read = lambda *_: content  # type: ignore[method-assign]
            return answer

    return Connection


def _is_stream(request: httpx.Request, response: httpx.Response) -> bool:
    return request.url.path.startswith(API) and response.headers.get("content-type", "").startswith(EVENT_STREAM)


def _head(response: httpx.Response) -> httpx.Response:
    return httpx.Response(response.status_code, headers=response.headers)
