"""How events that were stored in an older form are read today. The only place that knows of older forms.

An event's form has a version of its own, from 1. To change the form of a released event, add one step to `STEPS`: a pure
function from the fields of one version to those of the next. The steps of a type make a chain, so old events pass through
all that came after them, and what is written is always the newest version. An event whose meaning changes gets a new type.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

Fields: TypeAlias = dict[str, Any]
Step: TypeAlias = Callable[[Fields], Fields]
Steps: TypeAlias = Mapping[tuple[str, int], Step]
"""One step per (type of the event, version it starts from)."""

STEPS: Steps = {}


class UnknownEvent(Exception):
    """The store holds an event that this release cannot read: an unknown type, or a version from a later release."""

    def __init__(self, event_type: str, version: int) -> None:
        super().__init__(f"no way to read version {version} of the event {event_type}")
        self.type, self.version = event_type, version


def current_version(event_type: str, steps: Steps) -> int:
    """The version of this type's form that is written today."""
    version = 1
    while (event_type, version) in steps:
        version += 1
    return version


def upcast(event_type: str, version: int, fields: Fields, steps: Steps) -> Fields:
    """The fields of a stored event in today's form. Raises `UnknownEvent` for a version that never was."""
    current = current_version(event_type, steps)
    if not 1 <= version <= current:
        raise UnknownEvent(event_type, version)
    for passed in range(version, current):
        fields = steps[event_type, passed](fields)
    return fields
