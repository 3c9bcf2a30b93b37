"""Bodies that are wrong in some way: JSON that is damaged as text, and JSON that says something else than the document allows."""

import copy
import json
import random
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from tests.service.documented import document

JsonValue = Any
Path = tuple[str | int, ...]

STRANGE: tuple[JsonValue, ...] = (
    *(None, True, False, 0, -1, 1.5, 10**15, -(2**53), 2**63, 2**64, 10**400, 1e300, "", " ", "0", "null", [], {}, [[]], {"": None}),
    *("\u202e", "\u0000", "\ud800", "ﷺ" * 50, "x" * 2_000, "<script>alert(1)</script>", "'; DROP TABLE players; --", "../../etc/passwd"),
    *(
        "mat_" + "0" * 32,
        "__proto__",
        {"__class__": "x"},
        {"type": "pico.commit_card"},
        {"game": "pico"},
        ["pico.commit_card"],
        [1, [2, [3]]],
    ),
)


def bodies(example: JsonValue, schema: dict[str, Any], luck: random.Random) -> Iterator[bytes]:
    """Bodies like `example` that are wrong by this schema, for ever and ever."""
    whole = json.dumps(example).encode()
    while True:
        body = luck.choice(_WAYS)(example, whole, luck)
        if body is not None and not _allowed(body, schema):
            yield body


def _allowed(body: bytes, schema: dict[str, Any]) -> bool:
    """Whether this is JSON that can be read in one way only, and of the schema."""
    try:
        value = json.loads(body.decode(), object_pairs_hook=_unique, parse_constant=_none)
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return False
    return _validator(json.dumps(schema)).is_valid(value)


def _unique(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    if len(dict(pairs)) != len(pairs):
        raise ValueError("an object names a member twice")
    return dict(pairs)


def _none(_: str) -> float:
    raise ValueError("JSON has no such number")


@cache
def _validator(schema: str) -> Draft202012Validator:
    return Draft202012Validator({**json.loads(schema), "components": document()["components"]})


def _places(value: JsonValue, path: Path = ()) -> Iterator[Path]:
    yield path
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _places(inner, (*path, key))


def _changed(value: JsonValue, path: Path, change: Callable[[JsonValue], JsonValue]) -> JsonValue:
    if not path:
        return change(value)
    copied = copy.copy(value)
    copied[path[0]] = _changed(value[path[0]], path[1:], change)
    return copied


def _written(value: JsonValue) -> bytes:
    return json.dumps(value).encode()


def _another_value(example: JsonValue, whole: bytes, luck: random.Random) -> bytes | None:
    path = luck.choice(list(_places(example)))
    return _written(_changed(example, path, lambda _: luck.choice(STRANGE)))


def _one_more_member(example: JsonValue, whole: bytes, luck: random.Random) -> bytes | None:
    objects = [path for path in _places(example) if isinstance(_at(example, path), dict)]
    name = luck.choice(("extra", "", "__proto__", "type", "game", "TYPE", "player_id", "seat", "x" * 3_000, "a/b~c", "\u0000"))
    return _written(_changed(example, luck.choice(objects), lambda found: {**found, name: luck.choice(STRANGE)}))


def _a_member_less(example: JsonValue, whole: bytes, luck: random.Random) -> bytes | None:
    members = [path for path in _places(example) if path and isinstance(path[-1], str)]
    if not members:
        return None
    gone = luck.choice(members)
    return _written(_changed(example, gone[:-1], lambda found: {name: value for name, value in found.items() if name != gone[-1]}))


def _wrapped(example: JsonValue, whole: bytes, luck: random.Random) -> bytes | None:
    around: tuple[JsonValue, ...] = ([example], {"data": example}, [example, example], {"0": example}, json.dumps(example))
    return _written(luck.choice(around))


def _cut(example: JsonValue, whole: bytes, luck: random.Random) -> bytes | None:
    return whole[: luck.randrange(len(whole))]


def _damaged(example: JsonValue, whole: bytes, luck: random.Random) -> bytes | None:
    damaged = bytearray(whole)
    for _ in range(luck.randint(1, 4)):
        place = luck.randrange(len(damaged))
        damaged[place : place + luck.randint(0, 2)] = luck.randbytes(luck.randint(0, 3))
        if not damaged:
            break
    return bytes(damaged)


def _member_twice(example: JsonValue, whole: bytes, luck: random.Random) -> bytes | None:
    objects = [path for path in _places(example) if isinstance(_at(example, path), dict) and _at(example, path)]
    if not objects:
        return None
    path = luck.choice(objects)
    name, value = luck.choice(list(_at(example, path).items()))
    # Who reads twice may read one of them first and the other one then.
    first = luck.choice((value, luck.choice(STRANGE), [value, value, None], [*value, None] if isinstance(value, list) else None))
    twice = _written(_changed(example, path, lambda found: {_TWICE: first, **found}))
    return twice.replace(json.dumps(_TWICE).encode(), json.dumps(name).encode())


_TWICE = "a name for what is named twice"


def _surrounded(example: JsonValue, whole: bytes, luck: random.Random) -> bytes | None:
    before, after = luck.choice(
        ((b"\xef\xbb\xbf", b""), (b"", b"x"), (b"", b"{}"), (b"[", b""), (b"\x00", b""), (b"", b"\x00"), (b"//\n", b""))
    )
    return before + whole + after


def _deep(example: JsonValue, whole: bytes, luck: random.Random) -> bytes | None:
    depth = luck.choice((50, 500, 5_000))
    opening, closing = luck.choice(((b"[", b"]"), (b'{"a":', b"}"), (b'{"command":', b"}"), (b'{"options":', b"}")))
    return (opening * depth + whole + closing * depth)[:16_384]


def _in_another_alphabet(example: JsonValue, whole: bytes, luck: random.Random) -> bytes | None:
    return whole.decode().encode(luck.choice(("utf-16", "utf-32", "utf-16-le", "utf-7")) if luck.random() < 0.9 else "utf-16-be")


def _at(value: JsonValue, path: Path) -> JsonValue:
    for key in path:
        value = value[key]
    return value


_WAYS = (
    *(_another_value, _another_value, _another_value, _one_more_member, _one_more_member, _a_member_less, _wrapped),
    *(_cut, _damaged, _damaged, _member_twice, _surrounded, _deep, _in_another_alphabet),
)
