"""What a player may be called: one rule, and what it makes of names from all over the world and of tricks with them."""

# ruff: noqa: RUF001 - letters that look alike are what this is about.

import pytest

from service.accounts.names import BadName, display_name

FAMILY = "👩\u200d👩\u200d👧"
RAINBOW = "🏳\ufe0f\u200d🌈"
ENGLAND = "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"

GOOD = {
    "Ada": "Ada",
    "  Ada \t": "Ada",
    "Ada \u00a0 Lovelace": "Ada Lovelace",
    "Zoe\u0308": "Zo\u00eb",
    "Ada <b>&\"'": "Ada <b>&\"'",
    "Ａｄａ ﬁ": "Ada fi",
    "Ж" * 40: "Ж" * 40,
    " " * 50 + "x" * 40: "x" * 40,
    "王小明": "王小明",
    "さくら・ハルト": "さくら・ハルト",
    "김철수": "김철수",
    "محمد": "محمد",
    "נתן": "נתן",
    "क्षत्रिय": "क्षत्रिय",
    "क\u094d\u200dष": "क\u094d\u200dष",
    "نامه\u200cای": "نامه\u200cای",
    "สมชาย": "สมชาย",
    "Nguyễn Thị Hồng": "Nguyễn Thị Hồng",
    "1\ufe0f\u20e3": "1\ufe0f\u20e3",
    "❤\ufe0f Ada ⭐": "❤\ufe0f Ada ⭐",
    "👍🏽🇫🇷": "👍🏽🇫🇷",
    "👩\u200d👩\u200d": "👩👩",
    f"{FAMILY} {RAINBOW}{ENGLAND}": f"{FAMILY} {RAINBOW}{ENGLAND}",
}

BAD = {
    "nothing": "",
    "spaces": " \u00a0\u3000 ",
    "too long": "x" * 41,
    "line break": "a\nb",
    "tab": "a\tb",
    "escape": "a\x1b[31mb",
    "next line": "a\u0085b",
    "line separator": "\u2028",
    "zero width space": "a\u200bb",
    "byte order mark": "a\ufeffb",
    "soft hyphen": "a\u00adb",
    "word joiner": "a\u2060b",
    "right-to-left override": "a\u202eb",
    "right-to-left isolate": "\u2067a\u2069",
    "right-to-left mark": "a\u200fb",
    "Hangul filler": "\u3164",
    "half width Hangul filler": "\uffa0",
    "Hangul choseong filler": "\u115f",
    "Braille blank": "\u2800",
    "a Braille blank in a name": "Ada\u2800",
    "null notehead": "\U0001d159",
    "object replacement": "\ufffc",
    "grapheme joiner": "a\u034fb",
    "tag character": "a\U000e0041",
    "variation selector": "a\ufe00",
    "lone joiner": "\u200d",
    "joiner between letters": "a\u200db",
    "private use": "\ue000",
    "private use beyond the first plane": "\U000f0000",
    "surrogate": "\ud800",
    "unassigned": "\u0378",
    "no character": "\uffff",
    "lone mark": "\u0301",
    "mark on a space": "Ada \u0301",
    "mark on an emoji": "👍\u0301",
    "a tower of marks": "a" + "\u0316" * 5,
}


@pytest.mark.parametrize(("sent", "kept"), GOOD.items())
def test_a_name_is_kept_as_people_write_it(sent: str, kept: str) -> None:
    assert display_name(sent) == kept
    assert display_name(kept) == kept, "what is kept can be kept again"


@pytest.mark.parametrize("name", BAD.values(), ids=BAD)
def test_nobody_is_called_what_cannot_be_seen_or_misleads(name: str) -> None:
    with pytest.raises(BadName):
        display_name(name)
