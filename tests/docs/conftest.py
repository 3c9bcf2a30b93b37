"""The pages of games are made with the clients of the service's tests. With LUDICITUDE_BLESS set, pages are written and not compared."""

import os
import re
import shutil
from pathlib import Path

import pytest

from tests import node
from tests.docs.started import FOLLOWERS, HASTE, IMPATIENCE, Commands, hastened, programs_in
from tests.service.conftest import app, client, join, transport

__all__ = ["BLESSING", "app", "client", "join", "transport"]

BLESSING = bool(os.environ.get("LUDICITUDE_BLESS"))

ROOT = Path(__file__).parents[2]

EXAMPLES = ROOT / "examples"

COPIED = ("follow", "send", "talk", "turns", "words")
"""What a front-end developer copies of the examples, in each language."""


@pytest.fixture(scope="session")
def javascript(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of what there is to copy, and of the programs that try it, made JavaScript as the guide says."""
    folder = tmp_path_factory.mktemp("javascript")
    node.program("tsc")
    sources = [*(EXAMPLES / "typescript" / f"{name}.ts" for name in (*COPIED, "terminal")), *FOLLOWERS.glob("*.ts")]
    for source in sources:
        shutil.copy(source, folder)
    (folder / "package.json").write_text('{"type": "module"}', "utf-8")
    page = (ROOT / "docs" / "setup.md").read_text("utf-8")
    said = re.search(r"^npx --package typescript@\S+ tsc (--.+?) (?=\w+\.ts)", page, re.MULTILINE)
    assert said
    done = node.run("tsc", *said[1].split(), "--noCheck", *(source.name for source in sources), folder=folder)
    assert done.returncode == 0, done.stdout
    return folder


@pytest.fixture(scope="session")
def patient(javascript: Path, tmp_path_factory: pytest.TempPathFactory) -> Commands:
    """How each program that follows or sends is started, by its name, which is in its language."""
    folder = tmp_path_factory.mktemp("python")
    for source in (*(EXAMPLES / "python" / f"{name}.py" for name in (*COPIED, "terminal")), *FOLLOWERS.glob("*.py")):
        shutil.copy(source, folder)
    return programs_in(folder, javascript)


@pytest.fixture(scope="session")
def programs(javascript: Path, tmp_path_factory: pytest.TempPathFactory) -> Commands:
    """The same, in a hurry."""
    return hastened(tmp_path_factory.mktemp("hasty"), EXAMPLES / "python", javascript, HASTE)


@pytest.fixture(scope="session")
def impatient(javascript: Path, tmp_path_factory: pytest.TempPathFactory) -> Commands:
    """The same, for a person who has no patience."""
    return hastened(tmp_path_factory.mktemp("impatient"), EXAMPLES / "python", javascript, HASTE | IMPATIENCE)
