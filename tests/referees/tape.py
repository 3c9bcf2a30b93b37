"""What a referee reads: the events of one match in order, each of them either read as something that players or luck brought about,
or held against what the referee says must follow. Referees know the rulebooks and the record of a match, and none of the rules' code.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

Event = dict[str, Any]
Place = dict[str, Any]


class Foul(Exception):
    """The record of a match breaks the rules."""


class CutShort(Exception):
    """The match ended in the midst of its game, while somebody had to choose."""


CUT = ("resigned", "abandoned", "stopped")
"""Why a match may end before its game does."""


def require(holds: bool, what: str) -> None:
    if not holds:
        raise Foul(what)


class Tape:
    """The events of the game, without those of the match around it."""

    def __init__(self, record: dict[str, Any]) -> None:
        versions = [item["version"] for item in record["events"]]
        require(versions == list(range(1, len(versions) + 1)), "the record has a gap")
        self._cut = record["events"][-1]["event"].get("reason") in CUT
        self.standing: Callable[[], list[Place]] = list
        """How the seats stand by what has been read; the referee sets it, and keeps to it what it goes by."""
        self._items = [item for item in record["events"] if not item["event"]["type"].startswith("match.")]
        self._next = 0

    @property
    def next(self) -> str:
        """The type of the next event without the name of the game; empty at the end."""
        return self._items[self._next]["event"]["type"].partition(".")[2] if self._next < len(self._items) else ""

    def read(self, kind: str) -> Event:
        """The next event, which has to be of this kind and nobody's choice: luck, or something that the referee goes on to check."""
        return self._take(kind, None)

    def choice(self, kind: str, among: Iterable[int]) -> Event:
        """The next event, which has to be a choice of this kind by one of these seats. Raises `CutShort` where the match ended instead."""
        if self._cut and not self.next:
            raise CutShort
        event = self._take(kind, self._items[self._next]["event"].get("seat", -1) if self.next else None)
        require(event["seat"] in among, f"seat {event['seat']} owes no {kind}")
        return event

    def expect(self, kind: str, **fields: Any) -> None:
        """The next event has to be this one, to the last field."""
        event = self._take(kind, None)
        require(event == fields, f"{kind} should say {fields}, not {event}")

    def _take(self, kind: str, seat: int | None) -> Event:
        require(self.next == kind, f"{kind} should come here, not {self.next or 'the end'}")
        item = self._items[self._next]
        require(item["seat"] == seat, f"{kind} is said to be caused by {item['seat']}, not by {seat}")
        self._next += 1
        return {name: value for name, value in item["event"].items() if name != "type"}


def ranked(seats: Sequence[int], worth: Callable[[int], Any], score: Callable[[int], int]) -> list[Place]:
    """The seats, those worth most first; equals share a rank, and the next rank is left out."""
    best_first = sorted(seats, key=lambda seat: (worth(seat), -seat), reverse=True)
    return [{"seat": seat, "rank": 1 + sum(worth(other) > worth(seat) for other in seats), "score": score(seat)} for seat in best_first]
