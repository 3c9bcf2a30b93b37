"""What goes into the event store, what comes out of it, and what it raises."""

import re
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import msgspec


class NewEvent(msgspec.Struct, frozen=True):
    """One event to store. `data` and `meta` are JSON text."""

    type: str
    schema_version: int
    data: bytes
    meta: bytes


class Stored(msgspec.Struct, frozen=True):
    """One event as stored: the `version` that the stream had right after it, and when it was stored."""

    version: int
    at: datetime
    type: str
    schema_version: int
    data: bytes
    meta: bytes


class Line(msgspec.Struct, frozen=True):
    """The match's own row: what lists show of it (`shown`, JSON text), when its clock is due, and whether its bots owe a choice.

    `seats_open` are those that anybody may take, and `players` those whom the match concerns: everyone who sits or for whom a seat is
    kept, and the host. `waits_for` are the players who owe a choice, or for whom a seat is kept.
    `rematch_of` is the match that this one follows, of which there is one at most.
    """

    game: str
    status: str
    visibility: str
    seats: int
    seats_open: int
    players: tuple[str, ...]
    due_at: datetime | None = None
    bots_owe: bool = False
    shown: bytes = b"{}"
    rematch_of: UUID | None = None
    waits_for: tuple[str, ...] = ()


class Append(msgspec.Struct, frozen=True):
    """Events that one command adds to one stream, all of them or none, if the stream stands at version `expected` (0: it is new).

    `command` names the command for good: sent twice, it takes effect once. `fingerprint` is a hash of what it asked for.
    `seed` goes with the first append of a match; it is opened when the line says that the match has ended.
    """

    stream: UUID
    expected: int
    command: UUID
    fingerprint: bytes
    events: tuple[NewEvent, ...]
    line: Line
    seed: bytes | None = None
    category: str = "match"


class Appended(msgspec.Struct, frozen=True):
    """Where the events of a command stand in their stream, and when they were stored.

    `duplicate` says that the same command had been appended before, and that nothing was added now.
    """

    first: int
    last: int
    duplicate: bool
    at: datetime


class Remembered(msgspec.Struct, frozen=True):
    """What a command did when it came: what it asked for, and where its events stand."""

    fingerprint: bytes
    first: int
    last: int


class Snapshot(NamedTuple):
    """A state as it was saved: JSON text, byte for byte, and the version of the stream that it stands for."""

    version: int
    state: bytes


class Loaded(msgspec.Struct, frozen=True):
    """A match as stored: the latest snapshot if there is one, the events after it, and the match's seed."""

    game: str
    snapshot: Snapshot | None
    tail: tuple[Stored, ...]
    seed: bytes | None

    @property
    def version(self) -> int:
        """The version of the stream that this leads to."""
        if self.tail:
            return self.tail[-1].version
        return self.snapshot.version if self.snapshot else 0


class Waiting(NamedTuple):
    """A match that waits for a player, as its row tells it: until when, what its line shows of it, and which match it follows."""

    stream: UUID
    game: str
    rematch_of: UUID | None
    shown: bytes
    due: datetime


class Cursor(NamedTuple):
    """A place in the order of all events of all streams; everything up to it has been read."""

    epoch: int = 0
    tx: int = 0
    position: int = 0


class Logged(msgspec.Struct, frozen=True):
    """One event among those of all streams, and the cursor that stands right after it."""

    stream: UUID
    event: Stored
    cursor: Cursor


class Page(msgspec.Struct, frozen=True):
    """Events of all streams in their order, and the cursor to read on from. `count` is 0 when there is nothing new yet; it counts those too
    that were left out.
    """

    items: tuple[Logged, ...]
    cursor: Cursor
    count: int


class WrongVersion(Exception):
    """The stream stands at version `actual`, not at the one that was expected. Nothing was stored."""

    def __init__(self, actual: int) -> None:
        super().__init__(f"the stream stands at version {actual}")
        self.actual = actual


class KeyReused(Exception):
    """This command id has been used for a command that asked for something else. Nothing was stored."""


class RematchTaken(Exception):
    """The match has a rematch already. Nothing was stored."""


class Unstorable(ValueError):
    """PostgreSQL cannot hold this (see `is_storable`). Nothing was sent."""


def is_storable(text: bytes) -> bool:
    """Whether PostgreSQL can hold this JSON text: one with the character U+0000 it cannot."""
    return not (b"\\u0000" in text and _NUL.search(text))


_NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")
"""The escape, which an even number of backslashes before it leaves one."""


class StoreAway(Exception):
    """The database is away or too busy, for longer than we are willing to wait.

    Whether an append took effect is not known then; sending the same command again finds out, and never doubles it.
    """
