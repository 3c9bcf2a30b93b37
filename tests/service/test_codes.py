"""The table of problem codes is whole: every code that the source raises stands in it, and nothing else does."""

import re
from pathlib import Path

from service.http.codes import KINDS
from service.http.problems import PLAIN

ROOT = Path(__file__).resolve().parents[2]
RAISED = re.compile(r'\b(?:NotNow|NotAllowed|Unfit|Trouble)\(\s*"(\w+)"')

NOT_YET = {"key_in_flight"}
"""Promised by the API, and raised by parts of the service that are still to come."""

NEVER_ANSWERED = {"not_due"}
"""Between the clocks and the domain; no client is ever told."""


def test_the_table_and_the_source_know_the_same_codes() -> None:
    sources = [path.read_text("utf-8") for folder in ("domain/match", "service") for path in sorted((ROOT / folder).rglob("*.py"))]
    raised = {code for source in sources for code in RAISED.findall(source)}
    framework = {"malformed_request", "not_found", "method_not_allowed", "body_too_large"}
    assert (raised - NEVER_ANSWERED) | set(PLAIN.values()) | framework | NOT_YET | {"refused"} == set(KINDS)


def test_a_code_is_a_word_and_a_title_a_sentence_without_its_stop() -> None:
    for code, kind in KINDS.items():
        assert re.fullmatch(r"[a-z]+(_[a-z]+)*", code)
        assert kind.title[0].isupper()
        assert kind.title[-1] != "."
        assert 400 <= kind.status <= 599
