"""What each problem looks like: an example for every code, made by the functions that answer with it.

Those that point to a part of the request are made for each operation, of what it takes; all others are the same everywhere.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import inspect

from domain.match.game import Refused
from domain.match.table import Unfit
from service.accounts.names import display_name
from service.http import auth, problems
from service.http.body import decode
from service.http.openapi.schemas import JsonSchema
from service.http.parameters import unknown_parameter
from service.http.problems import Trouble
from service.matches import Stale
from service.talk.sayable import said_text

REF = "#/components/examples/"
REQUEST_ID = "req_51qycc0jx538vygtesjk3w37mc"


def _raised(call: Callable[..., Any], *arguments: Any) -> Exception:
    try:
        call(*arguments)
    except Exception as error:
        return error
    raise AssertionError(f"{call} takes {arguments}")


EXAMPLES: Mapping[str, Exception] = {
    "malformed_request": Trouble("malformed_request", "The request ended before its body did."),
    "malformed_json": _raised(decode, b'{"display_name": "Ada"', dict),
    "unsupported_media_type": Trouble("unsupported_media_type", "Send the body as application/json."),
    "not_authenticated": Trouble("not_authenticated", auth.NOT_VALID),
    "rate_limited": Trouble("rate_limited", "The next request may come in 3 s.", headers={"Retry-After": "3"}),
    "too_many_at_once": Trouble("too_many_at_once", headers={"Retry-After": "2"}),
    "too_many_long_polls": Trouble("too_many_long_polls", headers={"Retry-After": "5"}),
    "too_many_streams": Trouble("too_many_streams", headers={"Retry-After": "60"}),
    "precondition_failed": Stale(12),
    "internal_error": problems.failed(),
    "invalid_display_name": _raised(display_name, " "),
    "invalid_text": _raised(said_text, " "),
    "refused": Refused("card_not_in_hand", "3.2"),
}
"""What is raised for an example; of all other codes there is nothing to say but their title."""

UNFIT: Mapping[str, Sequence[str]] = {
    "clock_needed": ("clock",),
    "command_of_another_game": ("command",),
    "no_pledges": ("pledge",),
    "no_such_face": ("pledge/face",),
    "no_such_level": ("level", "fill_with_bots", "bots"),
    "no_such_seat": ("seat", "to_seat"),
    "seats_not_allowed": ("seats",),
    "too_many_bots": ("bots",),
    "whisper_to_yourself": ("to_seat",),
    "whispers_not_allowed": ("to_seat",),
}
"""The codes of what does not fit the match, and which fields they may point to; the first that the operation has is meant."""

FITTING: Mapping[str, Sequence[int | str]] = {"no_such_level": ("easy", "normal"), "seats_not_allowed": (2,)}
"""What would have fitted, where that is told."""


OWN = frozenset({"invalid_parameter", "invalid_body", *UNFIT})
"""The codes that point to a part of the request."""


def example(code: str, path: Collection[str], query: Collection[str], body: Any) -> JsonSchema:
    """The example of this code for an operation that takes these parameters and a body of this type, or where it stands."""
    if code not in OWN:
        return {"$ref": REF + code}
    error: Exception
    if code == "invalid_parameter":
        error = Trouble(code, errors=[unknown_parameter("colour", query)])
    elif code == "invalid_body":
        error = _raised(decode, b'{"colour": "red"}', body)
    else:
        taken = [*path, *(() if body is None else _fields(body))]
        error = Unfit(code, next(each for each in UNFIT[code] if each.partition("/")[0] in taken), FITTING.get(code, ()))
    return _example(error, path)


def shared(found: Iterable[str]) -> JsonSchema:
    """The components for those of these codes whose example is the same everywhere."""
    return {code: _example(EXAMPLES.get(code) or Trouble(code)) for code in sorted(found) if code not in OWN}


def _example(error: Exception, path: Collection[str] = ()) -> JsonSchema:
    trouble = problems.trouble_of(error, path)
    return {"summary": trouble.kind.title, "value": msgspec.to_builtins(problems.problem(trouble, REQUEST_ID))}


def _fields(body: Any) -> list[str]:
    kind = inspect.type_info(body)
    return [field.encode_name for field in kind.fields] if isinstance(kind, inspect.StructType) else []
