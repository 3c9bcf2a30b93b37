"""What is never the same twice, made the same, so that what a page shows can be held against what is printed."""

import re

ANYTHING = "…"
"""On a page: whatever is printed here."""

MASKS = (
    (r"\b(mat|ply|tok|req|msg|key)_[0-9a-z]{8,}", r"\1_*"),
    (r"\blud_[A-Za-z0-9]{20,}", "lud_*"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "<moment>"),
    (r"\b[0-9a-f]{64}\b", "<sha256>"),
    (r"-[0-9a-f]{16}\b", "-<hash>"),
    (r"\b(?=[0-9a-z]*[0-9])(?=[0-9a-z]*[a-z])[0-9a-z]{26}\b", "<code>"),
)


def masked(text: str) -> str:
    """The text without what differs from run to run."""
    for pattern, mask in MASKS:
        text = re.sub(pattern, mask, text)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def matches(shown: str, printed: str) -> bool:
    """Whether a page may show this for what was printed; `…` on the page stands for anything."""
    pattern = ".*?".join(map(re.escape, masked(shown).split(ANYTHING)))
    return re.fullmatch(pattern, masked(printed), re.DOTALL) is not None
