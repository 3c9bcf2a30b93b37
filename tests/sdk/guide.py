"""What docs/sdk.md tells: the table of generators, and the programs that use what they make."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Row:
    """One row of the table: for whom, and the commands that install the generator and run it."""

    name: str
    install: str
    generate: str

    @property
    def needs(self) -> str:
        """The program that the generator runs on, besides Python."""
        return {"npx": "npx", "openapi-generator-cli": "java"}.get(self.generate.split()[0], "python3")


@cache
def page(name: str = "sdk.md") -> str:
    return (ROOT / "docs" / name).read_text("utf-8")


@cache
def rows() -> dict[str, Row]:
    """The rows of the table by their first column."""
    cells = re.findall(r"^\| ([^|]+) \| `([^`]+)` \| `([^`]+)` \| [^|]+ \|$", page(), re.MULTILINE)
    return {name: Row(name, install, generate) for name, install, generate in cells}


def pins(text: str) -> dict[str, str]:
    """The versions of packages that commands name, by package."""
    return dict(re.findall(r"(@?[\w/-]+)(?:@|==)(\d[\w.]*)", text))


def programs(language: str, name: str = "sdk.md") -> list[str]:
    """The blocks of the page in this language."""
    return re.findall(rf"^```{language}[^\n]*\n(.*?)^```$", page(name), re.MULTILINE | re.DOTALL)
