"""All referees, and the judgement of a whole record."""

from typing import Any

from tests.referees import black_sheep, house, little_train, pico, schemers, wolves
from tests.referees.tape import CutShort, Foul, Tape

REFEREES = {
    "wolves": wolves.judge,
    "pico": pico.judge,
    "black-sheep": black_sheep.judge,
    "schemers": schemers.judge,
    "little-train": little_train.judge,
}


def judge(record: dict[str, Any]) -> None:
    """Raises `Foul` unless the match was played by the rules, from its first event to its result."""
    tape = Tape(record)
    try:
        try:
            standing, reason = REFEREES[record["game"]](tape, record["options"], len(record["seats"]))
        except CutShort:
            standing, reason = tape.standing(), ""
        ranking, reason = house.judge(record, standing, reason)
    except LookupError as error:
        raise Foul("the record tells of a seat or a thing that is not there") from error
    ended = record["events"][-1]["event"]
    if tape.next or ended != {"type": "match.ended", "ranking": ranking, "reason": reason}:
        raise Foul(f"the match should end here, ranked {ranking} by {reason}, not go on with {tape.next} to {ended}")
    if record["result"] != {"ranking": ranking, "reason": reason}:
        raise Foul(f"the record tells another result than its events: {record['result']}")
