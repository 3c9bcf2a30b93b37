"""The contract's tests use the clients of the service's tests. With LUDICITUDE_BLESS set they write what they else compare."""

import os

import pytest

from service import resources
from service.http.openapi.document import write
from tests.contract.building import app_without_database
from tests.service.conftest import app, client, join, transport

__all__ = ["app", "client", "join", "transport"]

BLESSING = bool(os.environ.get("LUDICITUDE_BLESS"))


@pytest.fixture(scope="session", autouse=True)
def _blessed() -> None:
    """The visit that makes new examples is held against a document that knows the new routes already."""
    if BLESSING:
        write(app_without_database(), resources.folder("openapi"))
