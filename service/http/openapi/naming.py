"""What the API calls a type: names that never move, since generated clients are full of them."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import inspect

from domain.match.game import Component, Result

NAMED: Mapping[type, str] = {Component: "GameComponent", Result: "MatchResult"}
"""Those that would else have the name of something that is everywhere in a language or a framework, such as Swift's `Result`."""


def public_name(kind: Any) -> str:
    """The name of a type: `PicoView` for the `View` of the room pico, `MatchOpened` for the match's own event `Opened`."""
    cls = getattr(kind, "__origin__", kind)
    return NAMED.get(cls) or (room(cls) or ("Match" if cls.__module__ == "domain.match.events" else "")) + str(cls.__name__)


def room(cls: Any) -> str:
    """How the names of this type's room begin; empty for what is in no room."""
    found = re.match(r"domain\.games\.(\w+)\.", getattr(cls, "__origin__", cls).__module__)
    return "".join(word.capitalize() for word in found[1].split("_")) if found else ""


def named_classes(kinds: Iterable[Any]) -> list[Any]:
    """Every class in these types that has a name: those that msgspec makes components of."""
    found: dict[Any, None] = {}
    todo: list[Any] = list(inspect.multi_type_info(kinds))
    while todo:
        each = todo.pop()
        if isinstance(each, tuple):
            todo += each
        elif isinstance(each, inspect.Type | inspect.Field) and getattr(each, "cls", None) not in found:
            if isinstance(each, inspect.StructType | inspect.EnumType):
                found[each.cls] = None
            todo += (getattr(each, name) for name in each.__struct_fields__)
    return sorted(found, key=lambda cls: (public_name(cls), str(cls)))
