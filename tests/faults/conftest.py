"""A PostgreSQL of a test's own, which it may stop."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from service.embedded import EmbeddedPostgres
from tests.conftest import THROW_AWAY


@pytest.fixture
def postgres(server_folder: Path) -> Iterator[EmbeddedPostgres]:
    """A server of the test's own, which it may stop."""
    with EmbeddedPostgres(server_folder / "postgres", settings=THROW_AWAY) as server:
        yield server
