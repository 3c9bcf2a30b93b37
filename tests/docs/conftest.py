"""The pages of games are made with the clients of the service's tests. With LUDICITUDE_BLESS set, pages are written and not compared."""

import os
import shutil
from pathlib import Path

import pytest

from tests import node
from tests.service.conftest import app, client, join, transport

__all__ = ["BLESSING", "app", "client", "join", "transport"]

BLESSING = bool(os.environ.get("LUDICITUDE_BLESS"))

EXAMPLES = Path(__file__).parents[2] / "examples"

FOLLOWERS = Path(__file__).parent / "followers"

COPIED = ("follow", "send", "talk", "words")
"""What a front-end developer copies of the examples, in each language."""


@pytest.fixture(scope="session")
def javascript(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of what there is to copy, and of the programs that try it, in JavaScript."""
    folder = tmp_path_factory.mktemp("javascript")
    node.program("tsc")
    for source in (*(EXAMPLES / "typescript" / f"{name}.ts" for name in COPIED), *FOLLOWERS.glob("*.ts")):
        shutil.copy(source, folder)
    shutil.copy(node.TOOLS / "tsconfig.json", folder)
    (folder / "package.json").write_text('{"type": "module"}', "utf-8")
    (folder / "node_modules").symlink_to(node.TOOLS / "node_modules")
    done = node.run("tsc", "--noCheck", folder=folder)
    assert done.returncode == 0, done.stdout
    return folder
