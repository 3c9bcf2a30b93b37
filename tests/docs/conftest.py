"""The pages of games are made with the clients of the service's tests. With LUDICITUDE_BLESS set, pages are written and not compared."""

import os

from tests.service.conftest import app, client, join, transport

__all__ = ["BLESSING", "app", "client", "join", "transport"]

BLESSING = bool(os.environ.get("LUDICITUDE_BLESS"))
