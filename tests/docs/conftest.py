"""The pages of games are made with the clients of the service's tests. With LUDICITUDE_BLESS set, pages are written and not compared."""

import os
import re
import shutil
from pathlib import Path

import pytest

from tests import node
from tests.service.conftest import app, client, join, transport

__all__ = ["BLESSING", "app", "client", "join", "transport"]

BLESSING = bool(os.environ.get("LUDICITUDE_BLESS"))

ROOT = Path(__file__).parents[2]

EXAMPLES = ROOT / "examples"

FOLLOWERS = Path(__file__).parent / "followers"

COPIED = ("follow", "send", "talk", "turns", "words")
"""What a front-end developer copies of the examples, in each language."""


@pytest.fixture(scope="session")
def javascript(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of what there is to copy, and of the programs that try it, made JavaScript as the guide says."""
    folder = tmp_path_factory.mktemp("javascript")
    node.program("tsc")
    sources = [*(EXAMPLES / "typescript" / f"{name}.ts" for name in COPIED), *FOLLOWERS.glob("*.ts")]
    for source in sources:
        shutil.copy(source, folder)
    (folder / "package.json").write_text('{"type": "module"}', "utf-8")
    said = re.search(r"^npx --package typescript@\S+ tsc (--.+?) (?=\w+\.ts)", (ROOT / "docs" / "live.md").read_text("utf-8"), re.MULTILINE)
    assert said
    done = node.run("tsc", *said[1].split(), "--noCheck", *(source.name for source in sources), folder=folder)
    assert done.returncode == 0, done.stdout
    return folder
