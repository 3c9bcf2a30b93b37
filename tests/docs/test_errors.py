"""The page of errors has every code that the service answers with by itself, under the status and title that it has."""

import re
from pathlib import Path

from service.http.codes import KINDS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "errors.md"
ROW = re.compile(r"^\| `(\w+)` \| (\d+) \| (.+?) \| (.+?) \|$", re.MULTILINE)


def test_every_code_is_there_with_what_a_client_does_about_it() -> None:
    there = {code: f"| `{code}` | {status} | {what} |" for code, status, what, _ in ROW.findall(PAGE.read_text("utf-8"))}
    needed = {code: f"| `{code}` | {kind.status} | {kind.title}. |" for code, kind in KINDS.items() if code != "refused"}
    missing = "\n".join(f"  {row} what a client does about it, in a sentence or two |" for code, row in needed.items() if code not in there)
    assert not missing, f"Add to docs/errors.md, in the table of what it is about:\n{missing}"
    assert not (idle := set(there) - set(needed)), f"docs/errors.md tells of codes that service/http/codes.py does not have: {sorted(idle)}"
    wrong = "\n".join(f"  {row}" for code, row in needed.items() if there[code] != row)
    assert not wrong, f"docs/errors.md says otherwise than service/http/codes.py, where it is:\n{wrong}"
