"""What a log line looks like, and what it never holds."""

import json
import subprocess
import sys

from structlog.dev import ConsoleRenderer

from service.logs import Text

PROGRAM = """
import logging, structlog
from service.logs import configure
configure("info", {form!r})
log = structlog.get_logger("somewhere")
def reads(token):
    raise ValueError("it broke")
with structlog.contextvars.bound_contextvars(request_id="req_1"):
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
