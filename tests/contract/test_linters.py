"""What others' linters say of the document, which is nothing; the rules that are off stand in `tools/`, each with its reason."""

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from service import resources
from tests import node
from tests.service.documented import document

Linter = Callable[[Path], CompletedProcess[str]]


def redocly(path: Path) -> CompletedProcess[str]:
    return node.run("redocly", "lint", "--config", "redocly.yaml", path)


def spectral(path: Path) -> CompletedProcess[str]:
    return node.run("spectral", "lint", "--ruleset", "spectral.yaml", "--fail-severity", "hint", path)


LINTERS = pytest.mark.parametrize("lint", [redocly, spectral])


@LINTERS
@pytest.mark.parametrize("name", ["openapi.json", "openapi-3.0.json"])
def test_the_linter_has_nothing_to_say(lint: Linter, name: str) -> None:
    said = lint(resources.folder("openapi") / name)
    assert said.returncode == 0, said.stdout


def _spoiled() -> dict[str, Any]:
    """The document without the problems of an answer, with an example of another shape, and with a name twice."""
    broken = deepcopy(document())
    broken["paths"]["/v1/games"]["get"]["responses"]["400"]["content"] = {"application/json": {"schema": {"type": "string"}}}
    broken["paths"]["/v1/matches"]["post"]["responses"]["201"]["content"]["application/json"]["example"]["table"] = 1
    broken["paths"]["/v1/games"]["get"]["operationId"] = "get_game"
    return broken


@pytest.mark.parametrize(
    ("lint", "rules"),
    [
        (redocly, {"operation-4xx-problem-details-rfc7807", "no-invalid-media-type-examples", "operation-operationId-unique"}),
        (spectral, {"oas3-valid-media-example", "operation-operationId-unique"}),
    ],
)
def test_it_does_look(lint: Linter, rules: set[str], tmp_path: Path) -> None:
    path = tmp_path / "openapi.json"
    path.write_text(json.dumps(_spoiled()), "utf-8")
    said = lint(path)
    assert said.returncode != 0
    assert {rule for rule in rules if rule not in said.stdout} == set()
