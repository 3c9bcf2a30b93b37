"""What a log line looks like, and what it never holds."""

import json
import re
import subprocess
import sys

import pytest
from structlog.dev import ConsoleRenderer

from service.logs import Text

PROGRAM = """
import logging, structlog
from service.logs import REQUEST_ID, configure
configure("info", {form!r})
log = structlog.get_logger("somewhere")
def reads(token):
    raise ValueError("it broke")
REQUEST_ID.set("req_1")
log.info("request", status=200)
log.debug("detail")
logging.getLogger("another.package").warning("from a %s", "package")
logging.getLogger("sqlalchemy.engine").info("SELECT secret")
try:
    reads("lud_secret")
except ValueError as error:
    log.error("request failed", exc_info=error, odd=object)
"""


def logged(form: str) -> list[str]:
    run = subprocess.run([sys.executable, "-c", PROGRAM.format(form=form)], capture_output=True, check=True, text=True)
    assert run.stdout == ""
    return run.stderr.splitlines()


def test_lines_for_machines_are_json_whoever_wrote_them() -> None:
    request, library, failure = [json.loads(line) for line in logged("json")]
    assert request["timestamp"].endswith("Z")
    assert (request["event"], request["status"], request["level"], request["request_id"]) == ("request", 200, "info", "req_1")
    assert (library["event"], library["level"], library["request_id"]) == ("from a package", "warning", "req_1")
    assert 'raise ValueError("it broke")' not in failure["event"]
    assert "ValueError: it broke" in failure["exception"]


def test_no_line_holds_the_values_of_variables() -> None:
    for form in ("json", "text"):
        assert not any("lud_secret" in line.replace('reads("lud_secret")', "") for line in logged(form))


ANSWERED = """
import structlog
from service import logs
logs.configure({level!r}, {form!r})
logs.REQUEST_ID.set("req_1")
for method, player, duration in (("GET", None, 0.0), ("POST", "ply_1", 12.5)):
    logs.ANSWERED(method, "/v1/matches/{{match_id}}", 200, duration, player, None)
    told = dict(method=method, route="/v1/matches/{{match_id}}", status=200, duration_ms=duration, player_id=player)
    structlog.get_logger("access").info("request", **told)
logs.ANSWERED("GET", "/", 200, 0.1, None, "an operator")
"""


@pytest.mark.parametrize("form", ["json", "text"])
def test_the_quick_way_to_the_line_of_a_request_writes_the_same_line(form: str) -> None:
    quiet, run = (
        subprocess.run([sys.executable, "-c", ANSWERED.format(form=form, level=level)], capture_output=True, check=True, text=True)
        for level in ("warning", "info")
    )
    assert quiet.stderr == ""
    lines = [re.sub(r"20\d\d-[-:.T\d]*Z", "", line) for line in run.stderr.splitlines()]
    assert len(lines) == 5
    assert (lines[0], lines[2]) == (lines[1], lines[3])
    assert "ply_1" in lines[2]
    assert "an operator" in lines[4]


def test_lines_for_people_can_be_read() -> None:
    first = logged("text")[0]
    assert "request" in first
    assert "status=200" in first
    assert "\x1b" not in first, "no colours where nobody looks"


def test_the_quick_way_to_a_line_writes_the_same_line() -> None:
    quick, slow = Text(colors=False), ConsoleRenderer(colors=False)
    head = {"timestamp": "2026-11-30T12:00:00Z", "level": "info", "event": "request"}
    odd = ["two words", "a=b", 'a "quote"', "two\nlines", "", "\x1b[31m", "é", None, True, 7, 0.5, [1], {"a": 1}, "/v1/matches/{match_id}"]
    for value in odd:
        line = {**head, "status": 200, "player_id": value, "duration_ms": 1.5}
        assert quick(None, "info", dict(line)) == slow(None, "info", dict(line))
    for event in ("request failed", "a longer event than most of the events that there are"):
        assert quick(None, "info", {**head, "event": event}) == slow(None, "info", {**head, "event": event})
