"""The page of errors has every code that the service answers with by itself, under the status and title that it has."""

import re
from pathlib import Path

from service.http.codes import KINDS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "errors.md"
ROW = re.compile(r"^\| `(\w+)` \| (\d+) \| (.+) \|$", re.MULTILINE)
STATUSES = re.compile(r"^\| ([\d, ]+) \| (.+) \|$", re.MULTILINE)


def test_every_code_is_there_as_the_service_has_it() -> None:
    text = PAGE.read_text("utf-8")
    there = {code: (int(status), said) for code, status, said in ROW.findall(text)}
    needed = {code: kind for code, kind in KINDS.items() if code != "refused"}
    missing = [
        f"  | `{code}` | {kind.status} | {kind.title}. What more there is to know |" for code, kind in needed.items() if code not in there
    ]
    assert not missing, "Add to docs/errors.md, in the table of what it is about:\n" + "\n".join(missing)
    assert not (idle := set(there) - set(needed)), f"docs/errors.md tells of codes that service/http/codes.py does not have: {sorted(idle)}"
    wrong = [code for code, kind in needed.items() if there[code][0] != kind.status or not there[code][1].startswith(f"{kind.title}.")]
    assert not wrong, f"docs/errors.md says otherwise than service/http/codes.py of {wrong}"


def test_it_says_of_every_status_what_to_do() -> None:
    said = [int(status) for statuses, _ in STATUSES.findall(PAGE.read_text("utf-8")) for status in statuses.split(", ")]
    assert sorted(said) == sorted({kind.status for kind in KINDS.values()})
