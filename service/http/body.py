"""JSON bodies, read strictly: a string is not a number, nothing unknown is passed over, and nothing can be read two ways."""

import json
import re
from collections import deque
from collections.abc import Iterable, Sequence
from functools import cache, reduce
from typing import Any, cast, get_args

import msgspec
from litestar import Request
from litestar.datastructures import State
from litestar.types import Receive, ReceiveMessage, Scope

from service.accounts.players import Player
from service.http.allowed import allowed, fields
from service.http.problems import Fault, Trouble
from service.http.work import Work
from service.store import is_storable

BODY_MAX_BYTES = 16_384
INTEGER_MAX = 2**53 - 1
"""Beyond this, JSON numbers are not the same number for every reader (RFC 7493)."""

TOLD_MAX = 300
"""So much is told at most of what is wrong, which may hold what was sent."""

WRONG_MAX = 100
"""More of a value that is none of those there are is not told back."""

_LARGE = re.compile(rb"\d{16}")
"""What may be a whole number beyond `INTEGER_MAX`."""

_AT = " - at `$"
_STEP = re.compile(r"\.(?P<name>\w+)|\[(?P<index>\d+)\]")
_BOUND = re.compile(r"Expected `int` (?:>= (?P<least>-?\d+)|<= (?P<most>-?\d+))")
_FIELD = re.compile(r"(?:missing required|contains (?P<unknown>unknown)) field `(?P<name>[^`]*)`")


class StrictRequest(Request[Player | None, Any, State]):
    """The request class of the whole app: it reads a body as the type its route declares, or says exactly what is wrong."""

    async def json(self) -> Any:
        """The body as the route's declared type; 415, 400 or 422 where it is not that."""
        field, body = self.route_handler.parsed_data_field, await self.body()
        assert field is not None, "only a route that declares a body reads one"
        if not body and field.has_default:
            return field.default
        if self.content_type[0] != "application/json":
            raise Trouble("unsupported_media_type", "Send the body as application/json.")
        return decode(body, without_none(field.annotation))

    @property
    def work(self) -> Work:
        """This request among those of its caller that are at work."""
        return cast("Work", self.scope["work"])  # type: ignore[typeddict-item]


async def received(receive: Receive) -> tuple[bytes | None, Receive]:
    """The body of a call (None where it ends too early or is too long), and the way to receive all of that once more."""
    body, messages, more = b"", deque[ReceiveMessage](), True
    while more and len(body) <= BODY_MAX_BYTES:
        message = await receive()
        messages.append(message)
        body += message.get("body", b"")  # type: ignore[operator]
        more = bool(message.get("more_body", False))

    async def again() -> ReceiveMessage:
        return messages.popleft() if messages else await receive()

    whole = not more and messages[-1]["type"] == "http.request" and len(body) <= BODY_MAX_BYTES
    return body if whole else None, again


def too_long(scope: Scope) -> bool:
    """Whether a body says that it is, which needs no reading."""
    return any(name == b"content-length" and value.isdigit() and int(value) > BODY_MAX_BYTES for name, value in scope["headers"])


def decode(body: bytes, expected: Any) -> Any:
    """`body` as an `expected`. Raises `Trouble` with a JSON pointer to what is wrong."""
    try:
        value = _decoder(expected).decode(body)
        if _encode(value) != body or _LARGE.search(body):  # What is written as we write it can be read in one way only.
            _SCRUTINY.decode(body.decode())
        if not is_storable(body):
            raise _Ambiguous("A text holds the character U+0000")
    except msgspec.ValidationError as error:
        raise Trouble("invalid_body", errors=[_fault(str(error), expected, body)]) from error
    except (msgspec.DecodeError, _Ambiguous) as error:
        raise Trouble("malformed_json", f"{error}.") from error
    except RecursionError as error:
        raise Trouble("malformed_json", "The body is nested too deeply.") from error
    return value


def without_none(annotation: Any) -> Any:
    """The type without None as one of its values; being absent says the same."""
    members = [each for each in get_args(annotation) if each is not type(None)]
    return reduce(lambda union, each: union | each, members) if type(None) in get_args(annotation) else annotation


def _fault(message: str, expected: Any, body: bytes) -> Fault:
    """What msgspec says of a body, with the place as a JSON pointer, and with the values or fields that there are where it has others."""
    whole, at, path = message.rpartition(_AT)  # The name of a field may hold the same words, so this may be no place that there is.
    whole, path = (whole, path) if at else (message, "")
    what, steps = whole, [step["name"] or step["index"] for step in _STEP.finditer(path)]
    what = what[:TOLD_MAX].replace(r"\\Z'", "$'")  # A pattern as the document has it.
    if field := _FIELD.search(whole):
        if field["unknown"]:
            what += _instead(*fields(expected, body, steps))
        steps.append(field["name"])
    elif values := allowed(expected, body, steps):
        what = f"{what[:WRONG_MAX]}. It must be one of {_named(values)}"
    pointer = "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in steps)
    bound = _BOUND.fullmatch(whole)
    least, most = (int(bound[side]) if bound and bound[side] else None for side in ("least", "most"))
    return Fault(source="body", pointer=pointer, detail=f"{what}.", least=least, most=most)


def _instead(known: Sequence[str], missing: Sequence[str]) -> str:
    """What is told of the fields that there are, where a body has another."""
    told = f". The fields are {_named(known)}" if known else ""
    return f"{told}; missing: {_named(missing)}" if missing else told


def _named(values: Iterable[Any]) -> str:
    return ", ".join(f"`{value}`" for value in values)


class _Ambiguous(ValueError):
    """JSON that two readers may understand differently, or that text in the database cannot hold."""


@cache
def _decoder(expected: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(expected, strict=True)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _Ambiguous("An object names a member twice")
    return members


def _exact(digits: str) -> int:
    number = int(digits)
    if abs(number) > INTEGER_MAX:
        raise _Ambiguous("A whole number is beyond 2^53 - 1")
    return number


_encode = msgspec.json.Encoder().encode

_SCRUTINY = json.JSONDecoder(object_pairs_hook=_unique, parse_int=_exact)
"""Reads what msgspec has found well-formed once more, for what msgspec does not ask."""
