"""Display names: what a player may be called. One rule for all names, that of nicknames in RFC 8266 (PRECIS), and emoji beside it.

The standard leaves out whatever cannot be seen: controls, formatting and bidirectional controls, fillers, private characters. It
also leaves out the joiners and selectors that emoji are made of, and admits some signs that show nothing, and marks with nothing
to stand on; here it is the other way round.
"""

import re
import unicodedata
from typing import Any

import emoji
from precis_i18n import get_profile

NAME_MAX = 40
WRITTEN_MAX = 200
"""As a name comes, with spaces around it and accents beside their letters."""

MARKS_MAX = 4
"""More marks on one letter than this are no spelling of any language (Unicode Technical Standard 39, 5.4)."""

WRONG_LENGTH = f"A display name has 1 to {NAME_MAX} characters, not counting spaces around it."

_NICKNAME = get_profile("NicknameCasePreserved")
_STAND_IN = "\N{WHITE MEDIUM STAR}"
"""Is an emoji itself, so that none is left in a text in which every emoji has given way to it."""

_SHOWS_NOTHING = re.compile("[\N{BRAILLE PATTERN BLANK}\N{OBJECT REPLACEMENT CHARACTER}\N{MUSICAL SYMBOL NULL NOTEHEAD}]")


class BadName(ValueError):
    """Nobody can be called that; the message says why."""


def display_name(text: str) -> str:
    """`text` as a display name: compatibility forms composed (NFKC), spaces trimmed and single. Raises `BadName`."""
    if len(text) > WRITTEN_MAX:
        raise BadName(WRONG_LENGTH)
    found: list[str] = []

    def keep(sequence: str, _: dict[str, Any]) -> str:
        found.append(sequence)
        return _STAND_IN

    try:
        plain = _NICKNAME.enforce(emoji.replace_emoji(text.strip(), keep)) if text.strip() else ""
    except UnicodeEncodeError as refused:
        raise BadName("A display name has no control, formatting, private or otherwise invisible characters.") from refused
    if _SHOWS_NOTHING.search(plain):
        raise BadName("A display name has no blank characters but spaces between words.")
    if _has_stray_marks(plain):
        raise BadName(f"A display name has its accents on letters, and at most {MARKS_MAX} on each.")
    stood_for = iter(found)
    name = re.sub(_STAND_IN, lambda _: next(stood_for), plain)
    if not 1 <= len(name) <= NAME_MAX:
        raise BadName(WRONG_LENGTH)
    return name


def _has_stray_marks(text: str) -> bool:
    """Whether a mark has no letter to stand on, or a letter has more of them than anybody can read."""
    kinds = "".join(_kind(each) for each in text)
    return re.search(rf"(?:^|gap)(?:mark|sign)|(?:mark){{{MARKS_MAX + 1}}}", kinds) is not None


def _kind(character: str) -> str:
    category = unicodedata.category(character)
    if category in ("Mn", "Me"):
        return "mark"
    return "sign" if category == "Mc" else "gap" if category == "Zs" or character == _STAND_IN else "letter"
