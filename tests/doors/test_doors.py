"""Who is let in where: every operation, tried by everybody, answers what the table `doors.csv` says.

The table holds every check of who may do what to which match, player or token. After a change that is meant, write it anew with
LUDICITUDE_BLESS=1 and read the difference: each cell is somebody who gets in now and did not before, or the other way round.
"""

import csv
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.http.routes import stream
from tests.contract.rules import operations
from tests.doors.cast import CALLERS, MATCHES, Cast
from tests.service.documented import Documented, document

TABLE = Path(__file__).parent / "doors.csv"
BLESSING = bool(os.environ.get("LUDICITUDE_BLESS"))
HEADINGS = ("operation", "match", *CALLERS)


def doors() -> Iterator[tuple[str, str, str, str]]:
    """Every operation with every state of a match that it is tried on: its name, method, path, and the state, `-` without a match."""
    for path, method, operation in sorted(operations(document()), key=lambda each: str(each[2]["operationId"])):
        about_a_match = "{match_id}" in path or operation["operationId"] in ("create_stream_ticket", "look_up_invite")
        for state in MATCHES if about_a_match else ("-",):
            yield operation["operationId"], method.upper(), path, state


def written() -> dict[tuple[str, str], list[str]]:
    with TABLE.open(newline="", encoding="utf-8") as file:
        headings, *rows = csv.reader(file)
    assert headings == list(HEADINGS)
    return {(row[0], row[1]): row[2:] for row in rows}


async def test_every_door_lets_in_whom_the_table_says(transport: Documented, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "ROTATE_SECONDS", -1)
    cast = Cast(transport)
    await cast.gather()
    told = {
        (name, state): [await cast.knock(name, method, path, state, caller) for caller in CALLERS] for name, method, path, state in doors()
    }
    if BLESSING:
        with TABLE.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([HEADINGS, *([*door, *answers] for door, answers in told.items())])
    table = written()
    assert table.keys() == told.keys(), "the table has a row for each operation and each state of a match: bless it, and read what it says"
    assert {door: answers for door, answers in told.items() if table[door] != answers} == {}


def test_a_private_match_is_unknown_to_everybody_who_is_not_of_it() -> None:
    """What must hold whatever else changes: a stranger is told of a private match as of one that is not there. Operators alone look in.

    Only whoever holds its code is told where it leads, as long as the match has not begun.
    """
    for (name, state), (nobody, stranger, former, _, _, operator) in written().items():
        if name == "look_up_invite":
            assert (nobody, stranger) == (("200",) if state in CODES else ("404 invite_not_found",)) * 2
        elif state.endswith("private"):
            outside = {nobody, stranger, *([former] if state.startswith(("open", "a rematch")) else [])} - {
                "401 not_authenticated",
                "403 not_operator",
            }
            assert outside <= {"404 match_not_found"}, f"{name}, {state}"
            assert operator in ("200", "401 not_authenticated", "404 match_not_found"), f"{name}, {state}"


CODES = ("open, private", "a rematch, private")
"""The states in which a match has a code that is good."""


def test_nobody_changes_anything_without_a_token() -> None:
    methods = {name: method for name, method, _, _ in doors()}
    for (name, state), (nobody, *_) in written().items():
        if methods[name] != "GET" and name not in ("create_player", "look_up_invite"):
            assert nobody == "401 not_authenticated", f"{name}, {state}"


def test_operators_do_what_operators_do_and_nobody_else_does() -> None:
    theirs = {name for name, _, path, _ in doors() if path.startswith("/v1/operator/")}
    for (name, state), (nobody, *players, operator) in written().items():
        if name in theirs:
            assert nobody == "401 not_authenticated"
            assert set(players) == {"403 not_operator"}, f"{name}, {state}"
            assert operator in ("200", "409 match_over"), f"{name}, {state}"
        elif not operator.startswith("4"):
            assert operator in ("200", "201"), f"{name}, {state}"
