"""Every value that the published types of a game admit, or the ends of it where there are many."""

from collections.abc import Iterator
from itertools import product
from typing import Any

from msgspec import inspect

from domain.match.game import AnyGame

OPTION_SPAN = 2
COMMAND_SPAN = 40


def options(game: AnyGame) -> list[Any]:
    """Every combination of the game's options, of a range of numbers its two ends."""
    return list(_values(inspect.type_info(game.options), (), OPTION_SPAN))


def commands(game: AnyGame) -> list[Any]:
    """Every command that is well formed, whether the rules allow it or not."""
    ids = tuple(component.id for component in game.components)
    return list(_values(inspect.type_info(game.command), ids, COMMAND_SPAN))


def _values(kind: inspect.Type, ids: tuple[str, ...], span: int) -> Iterator[Any]:
    match kind:
        case inspect.Metadata(inner):
            yield from _values(inner, ids, span)
        case inspect.StructType(made, fields):
            names = [field.name for field in fields]
            for filled in product(*(tuple(_values(field.type, ids, span)) for field in fields)):
                yield made(**dict(zip(names, filled, strict=True)))
        case inspect.UnionType(types):
            for one in types:
                yield from _values(one, ids, span)
        case inspect.LiteralType(values):
            yield from values
        case inspect.BoolType():
            yield from (False, True)
        case inspect.NoneType():
            yield None
        case inspect.IntType(ge=int(low), le=int(high)):
            yield from range(low, high + 1) if high - low < span else (low, high)
        case inspect.StrType():
            yield from dict.fromkeys(ids)
        case _:
            raise TypeError(f"{kind}: a field of options or commands is a Literal, a bool, a bounded int, a component's id or null")
