"""Raw connections to the edge of the server, and time that passes there when a test says so."""

import asyncio
import json
from contextlib import suppress
from typing import Any

import uvicorn
from uvicorn.server import ServerState

from service.http.edge import Edge

PATIENCE_SECONDS = 20

BODY = b'{"command":{"type":"red","number":1}}'
GOOD = b"POST /sent HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: 37\r\n\r\n" + BODY
CHUNKED = b"POST /sent HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"


class Client:
    """One raw connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def answer(self) -> tuple[int, dict[str, str], Any]:
        """The next answer: its status, its headers and its body."""
        head = (await asyncio.wait_for(self.reader.readuntil(b"\r\n\r\n"), PATIENCE_SECONDS)).decode("latin-1")
        status, *lines = head.rstrip().split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines)
        body = await asyncio.wait_for(self.reader.readexactly(int(headers["content-length"])), PATIENCE_SECONDS)
        return int(status.split()[1]), headers, json.loads(body) if body else None

    async def refused(self) -> tuple[int, str]:
        """The status and the code of the last answer on this connection, which has to be a whole problem document."""
        status, headers, problem = await self.answer()
        assert headers["content-type"] == "application/problem+json"
        assert headers["connection"] == "close"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["request-id"] == problem["request_id"]
        assert problem["status"] == status
        await self.ended()
        return status, problem["code"]

    async def ended(self) -> None:
        """Wait until the server ends its side, with nothing more to say."""
        assert await asyncio.wait_for(self.reader.read(), PATIENCE_SECONDS) == b""


class Server:
    """The edge and the app behind it. `state` holds its connections."""

    def __init__(self, app: Any) -> None:
        self.state = ServerState()
        self._config = uvicorn.Config(app, ws="none", log_config=None, log_level="critical", lifespan="off", timeout_keep_alive=1000)
        self._config.load()
        self.port = 0
        self._clients: list[Client] = []

    def serve(self, app: Any) -> None:
        """Serve another app to those who come from now on."""
        self._config.loaded_app = app

    def accept(self) -> asyncio.Protocol:
        return Edge(self._config, self.state, {})

    async def open(self) -> Client:
        """A new connection, which the server has seen."""
        seen = len(self.state.connections)
        client = Client(*await asyncio.open_connection("127.0.0.1", self.port))
        self._clients.append(client)
        for _ in range(1000):
            if len(self.state.connections) != seen:
                break
            await asyncio.sleep(0.001)
        return client

    def after(self, seconds: float) -> None:
        """Let so much time pass for those that the server waits for."""
        now = asyncio.get_running_loop().time()
        for connection in list(self.state.connections):
            assert isinstance(connection, Edge)
            connection.judge(now + seconds)

    async def close(self) -> None:
        """End every connection from both sides."""
        for connection in list(self.state.connections):
            connection.transport.abort()
        for client in self._clients:
            client.writer.close()
            with suppress(ConnectionError):
                await client.writer.wait_closed()
        await self.empty()

    async def empty(self) -> None:
        """Wait until every connection has gone."""
        for _ in range(2000):
            if not self.state.connections:
                return
            await asyncio.sleep(0.005)
        raise AssertionError(f"{len(self.state.connections)} connections stay")
