"""The Dockerfile, read as far as the tests of this folder need it."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def instructions() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile in order, each as its name and the rest, on one line."""
    text = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text())
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(name, rest) for name, _, rest in (line.partition(" ") for line in lines)]


def copied() -> list[str]:
    """What is copied from the checkout into the image."""
    copies = [rest.split() for name, rest in instructions() if name == "COPY"]
    return [source for words in copies if not words[0].startswith("--from") for source in words[:-1]]
