"""Which values there are at a place of a body where it has another: those of an enum, or the tags of a union."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import msgspec
from msgspec import inspect


def allowed(expected: Any, body: bytes, steps: Sequence[str]) -> list[Any]:
    """The values that a body which is to be an `expected` may have there; none where they cannot be counted."""
    try:
        return list(_at(_inspected(expected), msgspec.json.decode(body), steps))
    except (msgspec.DecodeError, RecursionError):  # Beyond the place at which it is wrong the body is no JSON.
        return []


@cache
def _inspected(expected: Any) -> inspect.Type:
    return inspect.type_info(expected)


def _at(kind: inspect.Type, value: Any, steps: Sequence[str]) -> Iterator[Any]:
    match kind:
        case inspect.Metadata(type=plain):
            yield from _at(plain, value, steps)
        case inspect.UnionType(types=members):
            for member in members:
                yield from _at(member, value, steps)
        case inspect.LiteralType(values=values) if not steps:
            yield from values
        case inspect.StructType(tag_field=str(name), tag=str(tag)) if list(steps) == [name]:
            yield tag
        case inspect.StructType() if steps and isinstance(value, dict) and _is_this(kind, value):
            for field in kind.fields:
                if field.encode_name == steps[0]:
                    yield from _at(field.type, value.get(steps[0]), steps[1:])
        case inspect.VarTupleType(item_type=item) if steps and isinstance(value, list):
            yield from _at(item, value[int(steps[0])], steps[1:])


def _is_this(kind: inspect.StructType, value: dict[str, Any]) -> bool:
    """Whether an object is of this struct, and not of another one in its union."""
    return kind.tag_field is None or value.get(kind.tag_field) == kind.tag
