"""The service over real connections, for clients that are no part of this house."""

import asyncio
import socket
import threading
from collections.abc import Iterator

import pytest
import uvicorn

from service import settings
from service.app import create_app
from service.http.edge import Edge
from service.http.routes import stream
from tests.conftest import fresh_database

UNLIMITED = {f"LUDICITUDE_{name}": "1000000000" for name in ("PLAYER_REQUESTS", "ADDRESS_REQUESTS", "ADDRESS_ACCOUNTS")}


@pytest.fixture(scope="module")
def address(server_url: str, template: str) -> Iterator[str]:
    """Where the service answers to all tests of a file, on one database, in a thread with a loop of its own."""
    with fresh_database(server_url, template) as url, socket.create_server(("127.0.0.1", 0)) as listening:
        app = create_app(settings.read({"DATABASE_URL": url, "LUDICITUDE_TEST_MODE": "on", **UNLIMITED}))
        server = uvicorn.Server(uvicorn.Config(app, http=Edge, ws="none", log_config=None, log_level="critical", lifespan="on"))
        running = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listening])))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(stream, "ROTATE_SECONDS", -1)  # A stream that would go on for ever ends after its first frame.
            running.start()
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
            server.should_exit = True
            running.join()
