"""What there can be at a place of a body that is wrong there: the values of an enum, the tags of a union, the fields of an object."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import msgspec
from msgspec import inspect


def allowed(expected: Any, body: bytes, steps: Sequence[str]) -> list[Any]:
    """The values that a body which is to be an `expected` may have there; none where they cannot be counted."""
    values = [value for kind, _ in _there(expected, body, steps) if isinstance(kind, inspect.LiteralType) for value in kind.values]
    objects = _there(expected, body, steps[:-1]) if steps else ()
    return values + [kind.tag for kind, _ in objects if isinstance(kind, inspect.StructType) and kind.tag_field == steps[-1]]


def fields(expected: Any, body: bytes, steps: Sequence[str]) -> tuple[list[str], list[str]]:
    """The fields of the object that is to be there, and those of them that it must have and lacks; none where it is unknown which it is."""
    for kind, value in _there(expected, body, steps):
        if isinstance(kind, inspect.StructType) and isinstance(value, dict) and _is_this(kind, value):
            tag = [] if kind.tag_field is None else [kind.tag_field]
            missing = [field.encode_name for field in kind.fields if field.required and field.encode_name not in value]
            return [*tag, *(field.encode_name for field in kind.fields)], missing
    return [], []


def _there(expected: Any, body: bytes, steps: Sequence[str]) -> list[tuple[inspect.Type, Any]]:
    """What each member of the type that is to be at this place is, and the value that is there.

    Of a member that is named twice msgspec tells of the first, and what is read here is the last: then there may be no such place.
    """
    try:
        return list(_reached(_inspected(expected), msgspec.json.decode(body), steps))
    except (msgspec.DecodeError, RecursionError):  # Beyond the place at which it is wrong the body is no JSON.
        return []
    except ValueError:  # The name of a field that is unknown only looks like a place, in which a list has an item that is no number.
        return []


@cache
def _inspected(expected: Any) -> inspect.Type:
    return inspect.type_info(expected)


def _reached(kind: inspect.Type, value: Any, steps: Sequence[str]) -> Iterator[tuple[inspect.Type, Any]]:
    match kind:
        case inspect.Metadata(type=plain):
            yield from _reached(plain, value, steps)
        case inspect.UnionType(types=members):
            for member in members:
                yield from _reached(member, value, steps)
        case _ if not steps:
            yield kind, value
        case inspect.StructType() if isinstance(value, dict) and _is_this(kind, value):
            for field in kind.fields:
                if field.encode_name == steps[0]:
                    yield from _reached(field.type, value.get(steps[0]), steps[1:])
        case inspect.VarTupleType(item_type=item) if isinstance(value, list) and int(steps[0]) < len(value):
            yield from _reached(item, value[int(steps[0])], steps[1:])


def _is_this(kind: inspect.StructType, value: dict[str, Any]) -> bool:
    """Whether an object is of this struct, and not of another one in its union."""
    return kind.tag_field is None or value.get(kind.tag_field) == kind.tag
