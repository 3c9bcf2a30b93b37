"""A client reads moments and writes them again in its own way: that is no other story than the one that it was told."""

from typing import Any

from tests.fairness.ends import resigned
from tests.fairness.test_verify import told_by_node
from tests.service.conftest import Join
from verify.verify import broken_promises


async def test_a_moment_is_the_same_however_a_client_has_written_it(join: Join) -> None:
    """As `to_dict()` does in Python, and `toISOString()` in JavaScript."""
    record = await resigned(join, "pico")
    noon = "2026-12-01T12:00:00"
    alike = [("Z", "+00:00"), (".0Z", ".000000+00:00"), (".5Z", ".500-00:00")]
    other = [("Z", "+01:00"), ("Z", ".001Z"), ("Z", ""), ("Z", "Z ")]

    def first(ending: str) -> dict[str, Any]:
        return {**record["events"][0], "at": noon + ending}

    asked = [({**record, "events": [first(theirs)]}, [first(mine)]) for theirs, mine in (*alike, *other)]
    told = [[], [], [], *[["event 1 was another one when you saw it"]] * 4]
    assert [broken_promises(*each) for each in asked] == told
    assert [broken for _, broken in await told_by_node(asked)] == told
