"""One match at a table, played through `domain.match.play` as the service does, with all that was on the way."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from domain.match.game import AnyGame, Result, Viewer
from domain.match.play import Entry, Fate, Played, fold, play, start


class Table(NamedTuple):
    game: AnyGame
    options: Any
    seats: int


class Moment(NamedTuple):
    """A match when a choice is owed, or when it is over: `events` is how many have happened by then."""

    events: int
    state: Any
    draws: int
    waiting: frozenset[int]


@dataclass
class Match:
    """A match in play or played, with each moment at which it waited for choices, and its end."""

    table: Table
    fate: Fate
    entries: list[Entry] = field(default_factory=list)
    moments: list[Moment] = field(default_factory=list)
    result: Result | None = None

    @property
    def game(self) -> AnyGame:
        return self.table.game

    @property
    def viewers(self) -> Sequence[Viewer]:
        return (None, *range(self.table.seats))

    @property
    def events(self) -> list[Any]:
        return [entry.event for entry in self.entries]

    @property
    def latest(self) -> list[Any]:
        """The events of the latest choice, or of the start."""
        return self.events[self.moments[-2].events if len(self.moments) > 1 else 0 :]

    @property
    def now(self) -> Moment:
        return self.moments[-1]

    def begin(self) -> "Match":
        self._happen(self.game.initial, 0, start(self.game, self.table.options, self.table.seats, self.fate))
        return self

    def choose(self, seat: int, command: Any) -> None:
        self._happen(self.now.state, self.now.draws, play(self.game, self.now.state, seat, command, self.now.draws, self.fate))

    def branch(self, moment: Moment) -> "Match":
        """The same match at that moment, to be played on in another way."""
        return Match(self.table, self.fate, self.entries[: moment.events], [moment])

    def _happen(self, state: Any, draws: int, played: Played) -> None:
        self.entries += played.entries
        state = fold(self.game, state, [entry.event for entry in played.entries])
        draws += sum(entry.draw is not None for entry in played.entries)
        self.moments.append(Moment(len(self.entries), state, draws, played.waiting))
        self.result = played.result
