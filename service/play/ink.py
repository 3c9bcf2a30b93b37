"""How a terminal sets words off from others; a file gets the words alone."""

from collections.abc import Mapping
from typing import TextIO


class Ink:
    """Colours text where there is a person to see it: on a terminal, unless NO_COLOR is set (https://no-color.org)."""

    def __init__(self, out: TextIO, environment: Mapping[str, str]) -> None:
        self._on = out.isatty() and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"

    def bold(self, text: str) -> str:
        return self._in("1", text)

    def dim(self, text: str) -> str:
        return self._in("2", text)

    def key(self, text: str) -> str:
        """What can be typed."""
        return self._in("36", text)

    def title(self, text: str) -> str:
        return self._in("1;36", text)

    def _in(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._on else text
