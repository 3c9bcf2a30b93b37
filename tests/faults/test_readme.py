"""The first match of the README, pasted line by line into a shell as a newcomer does."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.faults.served import served

README = Path(__file__).resolve().parents[2] / "README.md"


def test_the_first_match_of_the_readme_is_played_to_its_end(used_server_folder: Path) -> None:
    if shutil.which("curl") is None:
        pytest.skip("The lines are for curl.")
    chapter = README.read_text("utf-8").partition("## A first match in a minute")[2].partition("\n## ")[0]
    lines = "\n".join(re.findall(r"```sh\n(.*?)```", chapter, re.DOTALL))
    with served(used_server_folder) as service:
        played = lines.replace("http://localhost:8000", service.address) + "\nplay $ADA; play $BOB" * 13 + "\n"
        said = subprocess.run(["bash", "-c", played], capture_output=True, text=True, check=False).stdout
    assert "'pico.trick_resolved'" in said
    assert "'match.ended'" in said
    assert "'reason': 'rounds_played'" in said
