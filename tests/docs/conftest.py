"""The pages of games are made with the clients of the service's tests. With LUDICITUDE_BLESS set, pages are written and not compared."""

import os
import re
import shutil
from pathlib import Path

import pytest

from tests import node
from tests.docs.started import FOLLOWERS, HASTE, Commands, programs_in
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
def programs(patient: Commands, javascript: Path, tmp_path_factory: pytest.TempPathFactory) -> Commands:
    """The same, in a hurry."""
    folder = tmp_path_factory.mktemp("hasty")
    (folder / "package.json").write_text('{"type": "module"}', "utf-8")
    kept = set(HASTE)
    for source in (*(EXAMPLES / "python").glob("*.py"), *FOLLOWERS.glob("*.py"), *javascript.glob("*.js")):
        text = source.read_text("utf-8")
        kept -= {slow for slow in kept if slow in text}
        for slow, quick in HASTE.items():
            text = text.replace(slow, quick)
        (folder / source.name).write_text(text, "utf-8")
    assert not kept
    return programs_in(folder, folder)
