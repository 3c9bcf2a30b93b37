"""What can be known of the image and of its composition without building them."""

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from service import settings
from tests.packaging.dockerfile import ROOT, copied, instructions

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICE, DATABASE = COMPOSE["services"]["service"], COMPOSE["services"]["database"]
IMAGE_VARIABLES = dict(re.findall(r"(\w+)=(\S+)", next(rest for name, rest in instructions() if name == "ENV")))


class Answering(BaseHTTPRequestHandler):
    """A service that is alive, or is not."""

    status = 200
    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_response(self.status)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def answering() -> Iterator[HTTPServer]:
    Answering.asked = []
    with HTTPServer(("127.0.0.1", 0), Answering) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def known_variables() -> set[str]:
    asked: set[str] = set()

    class Recording(dict[str, str]):
        def get(self, name: str, default: Any = None) -> Any:
            asked.add(name)
            return default

    settings.read(Recording())
    return asked


def with_defaults(text: str) -> str:
    """The text with the default of every ${VARIABLE:-default} in it."""
    return re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", text)


def test_what_is_copied_is_there_and_reaches_the_build() -> None:
    let_through = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert set(copied()) == let_through
    assert [name for name in copied() if not (ROOT / name).exists()] == []


def test_every_variable_it_sets_is_one_that_the_service_reads() -> None:
    assert set(IMAGE_VARIABLES) - {"PATH"} <= known_variables()
    assert set(SERVICE["environment"]) <= known_variables()
    assert settings.read(IMAGE_VARIABLES).host == "0.0.0.0"


def test_it_does_not_run_as_root() -> None:
    last_stage = instructions()[max(i for i, (name, _) in enumerate(instructions()) if name == "FROM") :]
    names = [name for name, _ in last_stage]
    assert dict(last_stage)["USER"] not in ("root", "0")
    assert max(names.index(name) for name in ("RUN", "COPY")) < names.index("USER") < names.index("ENTRYPOINT")


@pytest.mark.parametrize(("status", "healthy"), [(200, True), (503, False)])
def test_the_health_check_asks_the_service_and_believes_its_answer(answering: HTTPServer, status: int, healthy: bool) -> None:
    Answering.status = status
    assert (health_check(answering.server_port) == 0) == healthy
    (path,) = Answering.asked
    assert path in json.loads((ROOT / "openapi" / "openapi.json").read_text())["paths"]


def test_the_health_check_fails_when_nobody_listens(answering: HTTPServer) -> None:
    answering.server_close()
    assert health_check(answering.server_port) != 0


def health_check(port: int) -> int:
    command = json.loads(next(rest for name, rest in instructions() if name == "HEALTHCHECK").partition("CMD ")[2])
    assert command[0] == "python"
    return subprocess.run([sys.executable, *command[1:]], env=os.environ | {"PORT": str(port)}, capture_output=True, check=False).returncode


def test_the_composition_points_the_service_at_its_database() -> None:
    url = settings.read({"DATABASE_URL": with_defaults(SERVICE["environment"]["DATABASE_URL"])}).database_url
    parts, server = urlsplit(url), {name: with_defaults(value) for name, value in DATABASE["environment"].items()}
    assert (parts.hostname, parts.port or 5432) == ("database", 5432)
    assert (parts.username, parts.password) == (server["POSTGRES_USER"], server["POSTGRES_PASSWORD"])
    assert parts.path == f"/{server['POSTGRES_DB']}"
    assert DATABASE["healthcheck"]["test"][-3:] == [server["POSTGRES_USER"], "-d", server["POSTGRES_DB"]]
    assert SERVICE["depends_on"] == {"database": {"condition": "service_healthy"}}
    assert [volume.partition(":")[0] for volume in DATABASE["volumes"]] == list(COMPOSE["volumes"])


def test_the_published_port_is_the_one_that_the_service_listens_on() -> None:
    (published,) = SERVICE["ports"]
    assert with_defaults(published) == f"8000:{IMAGE_VARIABLES['PORT']}"
