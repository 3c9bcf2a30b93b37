"""The bench's own PostgreSQL, which is thrown away, and its databases."""

import asyncio
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import asyncpg
import msgspec

from service.embedded import EmbeddedPostgres
from service.migrate import migrate

HOME = Path(__file__).parents[1] / ".bench"


class Place(msgspec.Struct, frozen=True):
    """A folder, and a server with a database for the service, one for the references, and one for the peers."""

    folder: Path
    server: EmbeddedPostgres

    @property
    def url(self) -> str:
        """The service's database."""
        return self.server.url("bench")

    @property
    def reference_url(self) -> str:
        """That of pgbench's tables, which fastify writes too."""
        return self.server.url("reference")

    @property
    def peers_url(self) -> str:
        """That of the peers' own tables."""
        return for_node(self.server.url("peers"))

    @property
    def node_reference_url(self) -> str:
        """`reference_url` as Node.js reads it."""
        return for_node(self.reference_url)

    @property
    def postgres_pid(self) -> int:
        """The server's process."""
        return self.server.pid


def for_node(url: str) -> str:
    """An address of a socket's folder that Node.js and Python read alike."""
    parts = urlsplit(url)
    return f"postgresql://postgres@localhost{parts.path}?host={parse_qs(parts.query)['host'][0]}"


@contextmanager
def place(home: Path = HOME) -> Iterator[Place]:
    """A fresh server, on the disk of the checkout, with fsync as everywhere; what peers have installed stays beside it."""
    home.mkdir(exist_ok=True)
    home.chmod(0o711)
    shutil.rmtree(home / "postgres", ignore_errors=True)
    (home / "service.log").unlink(missing_ok=True)
    with EmbeddedPostgres(home / "postgres", settings={"max_connections": "200"}) as server:
        made = Place(home, server)
        asyncio.run(_databases(server))
        asyncio.run(migrate(made.url))
        yield made


async def _databases(server: EmbeddedPostgres) -> None:
    connection = await asyncpg.connect(server.url())
    for name in ("bench", "reference", "peers"):
        await connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        await connection.execute(f"CREATE DATABASE {name}")
    await connection.close()
