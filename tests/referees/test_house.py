"""The referee of what happens around a game sees each way in which that can be told wrongly."""

from typing import Any

import pytest

from tests.referees import house
from tests.referees.tape import Foul

STANDING = [{"seat": 0, "rank": 1, "score": 9}, {"seat": 1, "rank": 1, "score": 9}, {"seat": 2, "rank": 3, "score": 4}]


def record(*events: tuple[str, int | None, dict[str, Any]], on_timeout: str = "auto", bots: int = 0) -> dict[str, Any]:
    """A match of three with these events after its start, with a bot on each of the last seats."""
    seats = [{"seat": seat, "player_id": None if seat >= 3 - bots else f"ply_{seat}"} for seat in range(3)]
    told: list[tuple[str, int | None, dict[str, Any]]] = [
        ("match.opened", None, {"clock": {"on_timeout": on_timeout}}),
        ("match.started", None, {"seats": seats}),
        *events,
    ]
    items = [{"version": at, "seat": seat, "event": {"type": kind, **fields}} for at, (kind, seat, fields) in enumerate(told, start=1)]
    return {"events": items}


def resigned(seat: int) -> tuple[str, int, dict[str, Any]]:
    return "match.resigned", seat, {"seat": seat}


def returned(seat: int) -> tuple[str, int, dict[str, Any]]:
    return "match.returned", seat, {"seat": seat}


def late(*seats: int) -> tuple[str, None, dict[str, Any]]:
    return "match.timed_out", None, {"seats": list(seats)}


def chosen(seat: int) -> tuple[str, int, dict[str, Any]]:
    return "pico.card_committed", seat, {}


def ended(reason: str) -> tuple[str, None, dict[str, Any]]:
    return "match.ended", None, {"reason": reason}


def ranks(judged: tuple[list[dict[str, Any]], str]) -> list[tuple[int, int]]:
    return [(place["seat"], place["rank"]) for place in judged[0]]


def test_who_never_came_back_ranks_last_and_the_latest_to_leave_first_among_them() -> None:
    left = record(resigned(1), resigned(0), ended("rounds_played"))
    assert ranks(house.judge(left, STANDING, "rounds_played")) == [(2, 1), (0, 2), (1, 3)]
    back = record(resigned(1), resigned(0), returned(1), ended("rounds_played"))
    assert ranks(house.judge(back, STANDING, "rounds_played")) == [(1, 1), (2, 2), (0, 3)]


def test_with_nobody_left_it_is_abandoned_as_it_stands_with_bots_first() -> None:
    assert ranks(house.judge(record(*map(resigned, (1, 2, 0)), ended("abandoned")), STANDING, "")) == [(0, 1), (2, 2), (1, 3)]
    judged = house.judge(record(resigned(0), resigned(1), ended("abandoned"), bots=1), STANDING, "")
    assert (ranks(judged), judged[1]) == ([(2, 1), (1, 2), (0, 3)], "abandoned")


def test_what_was_stopped_has_no_ranking() -> None:
    assert house.judge(record(chosen(0), ended("stopped")), STANDING, "") == ([], "stopped")


@pytest.mark.parametrize(
    "wrong",
    [
        record(resigned(2), ended("rounds_played"), bots=1),
        record(resigned(1), resigned(1), ended("rounds_played")),
        record(("match.resigned", 0, {"seat": 1}), ended("rounds_played")),
        record(returned(1), ended("rounds_played")),
        record(*map(resigned, (0, 1, 2)), chosen(0), ended("rounds_played")),
        record(late(1, 0), chosen(1), chosen(0), ended("rounds_played")),
        record(late(0, 1), chosen(1), chosen(0), ended("rounds_played")),
        record(late(0, 1), chosen(0), chosen(2), ended("rounds_played")),
        record(late(), chosen(0), ended("rounds_played")),
        record(late(0), chosen(0), ended("rounds_played"), on_timeout="resign"),
        record(late(0), resigned(1), chosen(0), ended("rounds_played"), on_timeout="resign"),
    ],
)
def test_what_cannot_be_is_a_foul(wrong: dict[str, Any]) -> None:
    with pytest.raises(Foul):
        house.judge(wrong, STANDING, "rounds_played")


@pytest.mark.parametrize("reason", ["abandoned", "resigned"])
def test_a_match_is_not_cut_short_for_nothing(reason: str) -> None:
    with pytest.raises(Foul):
        house.judge(record(chosen(0), ended(reason)), STANDING, "")
    with pytest.raises(Foul):
        house.judge(record(resigned(0), ended(reason)), STANDING, "")
