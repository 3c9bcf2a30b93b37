"""A server between the store and its database that breaks connections when a test says so."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import parse_qs, urlsplit


class Proxy:
    """Passes bytes on in both directions. `url` is the address of the database through it."""

    def __init__(self, database_url: str) -> None:
        self._database = urlsplit(database_url)
        self._streams = set[asyncio.StreamWriter]()
        self._passing = set[asyncio.Task[None]]()
        self.url = ""
        self.swallow_next_answer = False
        """Break the connection instead of passing on the next answer that says that a transaction is complete."""
        self.down = False
        """Break every connection at once."""

    async def serve(self, client_reader: asyncio.StreamReader, client: asyncio.StreamWriter) -> None:
        """One client's connection."""
        self._streams.add(client)
        if not self.down:
            server_reader, server = await self._to_database()
            self._streams.add(server)
            both = [
                asyncio.create_task(self._pass(client_reader, server)),
                asyncio.create_task(self._pass(server_reader, client, answers=True)),
            ]
            self._passing.update(both)
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            server.close()
        client.close()

    async def _to_database(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        folder = parse_qs(self._database.query).get("host")
        if folder:
            return await asyncio.open_unix_connection(f"{folder[0]}/.s.PGSQL.{self._database.port or 5432}")
        return await asyncio.open_connection(self._database.hostname, self._database.port or 5432)

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, answers: bool = False) -> None:
        while data := await reader.read(65536):
            # CommandComplete of a SELECT: the statement was a transaction of its own, so it has been committed.
            if answers and self.swallow_next_answer and b"SELECT 1\0" in data:
                self.swallow_next_answer = False
                return
            if writer.is_closing():
                return
            writer.write(data)

    def cut(self) -> None:
        """Break all connections and take no new ones."""
        self.down = True
        for stream in self._streams:
            stream.close()

    async def end(self) -> None:
        """Leave nothing behind."""
        self.cut()
        for task in self._passing:
            task.cancel()
        await asyncio.gather(*self._passing, return_exceptions=True)


@asynccontextmanager
async def proxy_to(database_url: str) -> AsyncIterator[Proxy]:
    """A proxy in front of this database."""
    proxy = Proxy(database_url)
    async with await asyncio.start_server(proxy.serve, "127.0.0.1", 0) as server:
        host, port = server.sockets[0].getsockname()
        split = urlsplit(database_url)
        account = split.netloc.rpartition("@")[0] or "postgres"
        proxy.url = f"postgresql://{account}@{host}:{port}{split.path}"
        yield proxy
        await proxy.end()
