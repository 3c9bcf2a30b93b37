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
@pytest.mark.parametrize("name", ["openapi.json"])
def test_the_linter_has_nothing_to_say(lint: Linter, name: str) -> None:
    said = lint(resources.folder("openapi") / name)
    assert said.returncode == 0, said.stdout


def _without_problems(broken: dict[str, Any]) -> None:
    broken["paths"]["/v1/games"]["get"]["responses"]["400"]["content"] = {"application/json": {"schema": {"type": "string"}}}


def _of_another_shape(broken: dict[str, Any]) -> None:
    broken["paths"]["/v1/matches"]["post"]["responses"]["201"]["content"]["application/json"]["example"]["table"] = 1


def _named_twice(broken: dict[str, Any]) -> None:
    broken["paths"]["/v1/games"]["get"]["operationId"] = "get_game"


@pytest.mark.parametrize(
    ("lint", "spoil"), [(redocly, _without_problems), (redocly, _of_another_shape), (spectral, _of_another_shape), (spectral, _named_twice)]
)
def test_it_does_look(lint: Linter, spoil: Callable[[dict[str, Any]], None], tmp_path: Path) -> None:
    broken = deepcopy(document())
    spoil(broken)
    path = tmp_path / "openapi.json"
    path.write_text(json.dumps(broken), "utf-8")
    assert lint(path).returncode != 0
