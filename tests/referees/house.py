"""The referee of what happens around a game: giving up and coming back, the clock, and how a match ends by them.

It knows `docs/clocks.md` and the record of a match, as the others know their rulebooks.
"""

from collections.abc import Sequence
from typing import Any

from tests.referees.tape import Place, require

Items = Sequence[dict[str, Any]]


def judge(record: dict[str, Any], standing: list[Place], reason: str) -> tuple[list[Place], str]:
    """The ranking and the reason of the end. `standing` is how the game ranks the seats, `reason` why it is over, empty if it is not."""
    items = record["events"]
    opened, [begun] = items[0]["event"], [item for item in items if _kind(item) == "started"]
    people = {chair["seat"] for chair in begun["event"]["seats"] if chair["player_id"] is not None}
    gone: dict[int, int] = {}
    for place, item in enumerate(items):
        event, rest = item["event"], items[place + 1 :]
        match _kind(item):
            case "resigned":
                require(item["seat"] == event["seat"] and event["seat"] in people - gone.keys(), "who gives up is a player who is there")
                gone[event["seat"]] = item["version"]
                over = len(begun["event"]["seats"]) == 2 or not people - gone.keys()
                require(
                    over == (_kind(rest[0]) == "ended" and not reason), "a match ends with two seats, or with nobody left, and goes on else"
                )
            case "returned":
                require(item["seat"] == event["seat"] and event["seat"] in gone, "who comes back had given up")
                del gone[event["seat"]]
            case "timed_out":
                _require_clock_acts(opened["clock"], event["seats"], rest, people - gone.keys())
    if items[-1]["event"]["reason"] == "stopped":
        return [], "stopped"
    if not reason:
        reason = "resigned" if len(begun["event"]["seats"]) == 2 and _kind(items[-2]) == "resigned" else "abandoned"
        require(_kind(items[-2]) == "resigned" or opened["clock"] is None, "nothing has ended the match")
    return _without_those_gone(standing, gone), reason


def _kind(item: dict[str, Any]) -> str:
    """What happened to the match; empty for an event of its game."""
    of, _, kind = item["event"]["type"].partition(".")
    return kind if of == "match" else ""


def _require_clock_acts(clock: dict[str, Any] | None, late: list[int], rest: Items, there: set[int]) -> None:
    """The clock does what was agreed on for each seat that is late, one after the other."""
    require(clock is not None and late == sorted(set(late)) != [], "the clock acts for seats that are late")
    assert clock is not None
    for seat in late:
        if clock["on_timeout"] == "resign" and seat in there:
            require(_kind(rest[0]) == "resigned" and rest[0]["event"]["seat"] == seat, "who is late gives up")
            rest = rest[1:]
        at = next(at for at, item in enumerate(rest) if item["seat"] is not None or _kind(item) == "ended")
        if _kind(rest[at]) == "ended":
            return
        require(_kind(rest[at]) == "" and rest[at]["seat"] == seat, "a choice is made for who is late")
        rest = rest[at + 1 :]


def _without_those_gone(standing: list[Place], gone: dict[int, int]) -> list[Place]:
    """Who never came back ranks after the others; of several the one who left last is the first."""
    there = [place for place in standing if place["seat"] not in gone]
    left = sorted((place for place in standing if place["seat"] in gone), key=lambda place: -gone[place["seat"]])
    ranks = [1 + sum(other["rank"] < place["rank"] for other in there) for place in there]
    ranks += range(len(there) + 1, len(standing) + 1)
    return [{**place, "rank": rank} for place, rank in zip([*there, *left], ranks, strict=True)]
