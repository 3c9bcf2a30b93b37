"""The event store: every match is a stream of events in PostgreSQL, and an acknowledged append is on disk."""

from service.store.contract import (
    Append,
    Appended,
    Cursor,
    KeyReused,
    Line,
    Loaded,
    Logged,
    NewEvent,
    Page,
    RematchTaken,
    Remembered,
    Snapshot,
    StoreAway,
    Stored,
    Unstorable,
    Waiting,
    WrongVersion,
    is_storable,
)
from service.store.event_store import FOLLOWING_MAX, EventStore
from service.store.fitness import UnfitDatabase
from service.store.ids import derived_id, stream_id

__all__ = [
    "FOLLOWING_MAX",
    "Append",
    "Appended",
    "Cursor",
    "EventStore",
    "KeyReused",
    "Line",
    "Loaded",
    "Logged",
    "NewEvent",
    "Page",
    "RematchTaken",
    "Remembered",
    "Snapshot",
    "StoreAway",
    "Stored",
    "UnfitDatabase",
    "Unstorable",
    "Waiting",
    "WrongVersion",
    "derived_id",
    "is_storable",
    "stream_id",
]
