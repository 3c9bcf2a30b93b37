"""Pages of lists: the opaque cursor that says where the next page begins, and of which list it is."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import Annotated, Any, TypeAlias, TypeVar

import msgspec
from litestar.params import QueryParameter

from service.http.problems import Fault, Trouble

Place = TypeVar("Place")

PAGE_MAX = 100

CursorParameter: TypeAlias = Annotated[
    str | None,
    QueryParameter(description="`next_cursor` of the page before, asked for with the same filters; none for the first page."),
]
LimitParameter: TypeAlias = Annotated[
    int, QueryParameter(ge=1, description=f"How many at most; never more than {PAGE_MAX}, whatever is asked for.")
]


def next_cursor(listed: Any, place: Any) -> str:
    """The cursor of the page that follows `place` in the list that `listed` describes: its name, its filters."""
    return urlsafe_b64encode(msgspec.json.encode((_mark(listed), place))).rstrip(b"=").decode()


def place_of(cursor: str | None, listed: Any, first: Place) -> Place:
    """Where the page begins that this cursor asks for; `first` without one. Raises `Trouble` for the cursor of another list."""
    if cursor is None:
        return first
    try:
        content = urlsafe_b64decode(cursor.encode() + b"=" * (-len(cursor) % 4))
        mark, place = msgspec.json.decode(content, type=tuple[str, msgspec.Raw])
        found: Place = msgspec.json.decode(place, type=type(first))
        if mark == _mark(listed) and _is_storable(found):
            return found
    except (ValueError, msgspec.DecodeError, RecursionError):  # It never was a cursor.
        pass
    raise Trouble("invalid_parameter", errors=[Fault("query", "/cursor", "It is no cursor of this list with these filters.")])


def _is_storable(place: Any) -> bool:
    """Whether a query can hold this, as it can whatever we have handed out; but anybody can write what looks like a cursor."""
    match place:
        case int():
            return -(2**31) <= place < 2**31
        case str():
            return "\0" not in place
        case datetime():
            return place.utcoffset() == timedelta(0)
        case tuple():
            return all(map(_is_storable, place))
        case _:
            return True


def _mark(listed: Any) -> str:
    return blake2b(msgspec.json.encode(listed, order="deterministic"), digest_size=6).hexdigest()
