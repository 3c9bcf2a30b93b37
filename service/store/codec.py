"""Between the domain's entries and the events of the store: the one place that writes and reads their JSON.

The event's tag is stored as its type and stands in no other place. Beside the event's own fields goes what the house adds to
it: who caused it, which draw it shows, what the seats owe after it, the command and the release that wrote it.
"""

import typing
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any
from uuid import UUID

import msgspec

from domain.match.events import log_events
from domain.match.game import AnyGame
from domain.match.play import Draw, Entry, Owed, Sealed
from service.store.contract import NewEvent, Stored
from service.store.upcasters import STEPS, Steps, UnknownEvent, current_version, upcast


class Record(msgspec.Struct, frozen=True, gc=False):
    """One entry of a match's log as stored: the version it brought the match to, and when."""

    version: int
    at: datetime
    entry: Entry


class Origin(msgspec.Struct, frozen=True):
    """Where an append comes from: the player (an opaque id; empty for the house) and the command."""

    actor: str
    command: UUID


class _Meta(msgspec.Struct, frozen=True, omit_defaults=True):
    actor: str
    command: UUID
    app: str
    seat: int | None = None
    draw: Draw | None = None
    sealed: Sealed | None = None
    owed: tuple[Owed, ...] = ()
    due: datetime | None = None


try:
    _APP = version("ludicitude")
except PackageNotFoundError:
    _APP = "source"

_read_meta = msgspec.json.Decoder(_Meta).decode
_write = msgspec.json.Encoder().encode


def encode(entry: Entry, origin: Origin, steps: Steps = STEPS) -> NewEvent:
    """An entry as it is stored."""
    config = entry.event.__struct_config__
    fields = b"{" + _write(entry.event).removeprefix(_beginning(config.tag_field, config.tag)).removeprefix(b",")
    meta = _Meta(origin.actor, origin.command, _APP, entry.seat, entry.draw, entry.sealed, entry.owed, entry.due)
    return NewEvent(config.tag, current_version(config.tag, steps), fields, _write(meta))


@cache
def _beginning(tag_field: str, tag: str) -> bytes:
    """How the JSON of a struct with this tag begins."""
    return b"{%s:%s" % (_write(tag_field), _write(tag))


class Decoder:
    """Reads stored events of a union of tagged structs.

    Raises `UnknownEvent` for what is not in the union or was written by a later release.
    """

    def __init__(self, union: Any, steps: Steps = STEPS) -> None:
        self._steps = steps
        # One reader per type: the type's column is the truth, so nothing has to look for a tag in the JSON.
        self._readers: Mapping[str, msgspec.json.Decoder[Any]] = {
            (typing.get_origin(member) or member).__struct_config__.tag: msgspec.json.Decoder(member)
            for member in typing.get_args(union) or (union,)
        }
        self._current = {event_type: current_version(event_type, steps) for event_type in self._readers}

    @property
    def types(self) -> frozenset[str]:
        """The types of events that can be read."""
        return frozenset(self._readers)

    def knows(self, event_type: str) -> bool:
        """Whether events of this type can be read, in the forms that this release knows."""
        return event_type in self._readers

    def decode(self, stored: Stored) -> Record:
        """A stored event in today's form; everything around the event stays as it was stored."""
        reader = self._readers.get(stored.type)
        if reader is None:
            raise UnknownEvent(stored.type, stored.schema_version)
        data = stored.data
        if stored.schema_version != self._current[stored.type]:
            data = _write(upcast(stored.type, stored.schema_version, msgspec.json.decode(data), self._steps))
        meta = _read_meta(stored.meta)
        return Record(stored.version, stored.at, Entry(reader.decode(data), meta.seat, meta.draw, meta.sealed, meta.owed, meta.due))


def origin(stored: Stored) -> Origin:
    """Where a stored event comes from."""
    meta = _read_meta(stored.meta)
    return Origin(meta.actor, meta.command)


_decoders: dict[str, Decoder] = {}


def decode(game: AnyGame, stored: Stored) -> Record:
    """A stored event of a match of this game."""
    decoder = _decoders.get(game.key)
    if decoder is None:
        events = typing.get_args(game.event) or (game.event,)
        decoder = _decoders[game.key] = Decoder(log_events(game.options, *events))
    return decoder.decode(stored)
