"""Errors as the world sees them: RFC 9457 problem documents, and the one place where exceptions become them."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
import structlog
from litestar import Request, Response
from litestar.exceptions import HTTPException, ValidationException
from litestar.types import Send
from msgspec import Meta
from msgspec.structs import replace

from domain.match.game import Refused
from domain.match.play import NotNow
from domain.match.table import NotAllowed, Unfit
from service.accounts.names import BadName
from service.accounts.players import TooManyTokens
from service.accounts.signups import TooManySignups
from service.accounts.tokens import Erased, Revoked
from service.held import UnknownMatch
from service.hosts import TooManyMatches
from service.http import codes
from service.http.codes import Kind
from service.matches import Busy, Stale
from service.store import KeyReused
from service.store.away import is_away
from service.store.upcasters import UnknownEvent
from service.talk.messages import TooFast
from service.talk.mutes import TooManyMutes
from service.talk.sayable import BadText

MEDIA_TYPE = "application/problem+json"
TYPE_PREFIX = "urn:ludicitude:problem:"
DETAIL_MAX, POINTER_MAX = 1_000, 300
RETRY_SECONDS = 2

log = structlog.get_logger(__name__)


Source: TypeAlias = Literal["body", "query", "path", "header"]


class Fault(msgspec.Struct, frozen=True):
    """One thing that is wrong with the request."""

    source: Annotated[Source, Meta(description="The part of the request that is meant.")]
    pointer: Annotated[
        str, Meta(description="Where in it: a JSON pointer into the body (empty for the whole), or `/` and a parameter's name.")
    ]
    detail: Annotated[str, Meta(description="What is wrong there, in English.")]
    least: Annotated[int | None, Meta(description="The least number that is taken there, where one is below it; else null.")] = None
    most: Annotated[int | None, Meta(description="The greatest number that is taken there, where one is above it; else null.")] = None


class Problem(msgspec.Struct, frozen=True):
    """What went wrong, as RFC 9457 problem details. With a status below 500 nothing has changed.

    After a 500 or a 503 it may have, late: send the same again with its `Idempotency-Key`, and you learn what became of it.

    Programs go by `code`; people are shown the sentence that `message_key` and `message_params` make in their language. It is
    among the labels of the game (`get_game`) where a rule refuses, and else among those of `get_labels`.
    """

    type: Annotated[str, Meta(description="A constant URI that names the kind of problem.")]
    title: Annotated[str, Meta(description="The kind of problem in a few English words, the same for every problem of this `code`.")]
    status: Annotated[int, Meta(ge=400, le=599, description="The HTTP status.")]
    detail: Annotated[str, Meta(description="This very problem in an English sentence.")]
    code: Annotated[str, Meta(description="A stable snake_case word for programs.")]
    clause: Annotated[str | None, Meta(description="The numbered clause of the game's rulebook that refuses, if a rule does.")]
    message_key: Annotated[str, Meta(description="The key of a sentence for people, for translation.")]
    message_params: Annotated[dict[str, str], Meta(description="What to put into that sentence, by the names it has there in braces.")]
    request_id: Annotated[str, Meta(description="Name this when you ask for help; it is in the `Request-Id` header too.")]
    errors: Annotated[tuple[Fault, ...], Meta(description="The parts of the request that are wrong, where it is one of them.")]


class Trouble(Exception):
    """Raise this in a route to answer with the problem `code`; its status and title stand in `codes.KINDS`."""

    def __init__(
        self,
        code: str,
        detail: str = "",
        *,
        kind: Kind | None = None,
        clause: str | None = None,
        errors: Sequence[Fault] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(code)
        self.code, self.kind, self.clause = code, kind or codes.KINDS[code], clause
        self.detail = detail or (f"{self.kind.title}: {errors[0].detail}" if errors else f"{self.kind.title}.")
        self.errors, self.headers = tuple(errors), dict(headers or {})


def answer(request: Request[Any, Any, Any], error: Exception) -> Response[Problem]:
    """The problem that an exception is to a client. Registered for every exception, so errors have one shape."""
    trouble = trouble_of(error, request.path_params)
    if trouble.kind.status == 500:
        log.error("request_failed", exc_info=error)
    return told(trouble, str(request.scope.get("request_id", "")))


def told(trouble: Trouble, request_id: str) -> Response[Problem]:
    """The answer that tells of it."""
    return Response(problem(trouble, request_id), status_code=trouble.kind.status, media_type=MEDIA_TYPE, headers=headers(trouble))


def problem(trouble: Trouble, request_id: str) -> Problem:
    """The document that tells of it."""
    refused, retry_after = trouble.kind is codes.REFUSED, headers(trouble).get("Retry-After")
    return Problem(
        type=TYPE_PREFIX + ("refused" if refused else trouble.code),
        title=trouble.kind.title,
        status=trouble.kind.status,
        detail=trouble.detail[:DETAIL_MAX],
        code=trouble.code,
        clause=trouble.clause,
        message_key=f"{'refusal' if refused else 'problem'}.{trouble.code}",
        message_params={} if retry_after is None else {"seconds": retry_after},
        request_id=request_id,
        errors=tuple(replace(each, pointer=each.pointer[:POINTER_MAX], detail=each.detail[:DETAIL_MAX]) for each in trouble.errors),
    )


def written(trouble: Trouble, request_id: str) -> tuple[list[tuple[bytes, bytes]], bytes]:
    """The headers and the body of an answer that no route makes."""
    body = msgspec.json.encode(problem(trouble, request_id))
    named = {"content-type": MEDIA_TYPE, "content-length": str(len(body)), **headers(trouble)}
    return [(name.lower().encode(), value.encode()) for name, value in named.items()], body


async def send_instead(trouble: Trouble, request_id: str, send: Send) -> None:
    """Tell of it in the place of every route."""
    fields, body = written(trouble, request_id)
    await send({"type": "http.response.start", "status": trouble.kind.status, "headers": fields})
    await send({"type": "http.response.body", "body": body, "more_body": False})


def headers(trouble: Trouble) -> dict[str, str]:
    """The headers that go with the document."""
    implied = {"Retry-After": str(RETRY_SECONDS)} if trouble.kind.status == 503 else {}
    if trouble.kind.status == 401:
        implied["WWW-Authenticate"] = 'Bearer realm="ludicitude"'
    return implied | trouble.headers


def trouble_of(error: Exception, path: Collection[str] = ()) -> Trouble:
    """What an exception is to a client whose request has these parameters in its path."""
    match error:
        case Trouble():
            return error
        case _ if type(error) in PLAIN:
            return Trouble(PLAIN[type(error)])
        case Refused(code=code, clause=clause):
            detail = f"The rules do not allow this: {code.replace('_', ' ')} (clause {clause})."
            return Trouble(code, detail, kind=codes.REFUSED, clause=clause)
        case NotNow(code=code) | NotAllowed(code=code):
            return Trouble(code)
        case Unfit(code=code, field=None):
            return Trouble(code)
        case Unfit(code=code, field=field, fitting=fitting):
            source: Source = "path" if field in path else "body"
            there = f" There are {', '.join(f'`{each}`' for each in fitting)}." if fitting else ""
            sentence = f"{codes.KINDS[code].title}.{there}"
            return Trouble(code, sentence, errors=[Fault(source, f"/{field}", sentence)])
        case Stale(version=None):
            return Trouble("precondition_failed", "This is not the version that you see.")
        case Stale(version=version):
            return Trouble("precondition_failed", f"The match stands at version {version}.")
        case BadName():
            return Trouble("invalid_display_name", errors=[Fault("body", "/display_name", str(error))])
        case BadText():
            return Trouble("invalid_text", errors=[Fault("body", "/text", str(error))])
        case Erased():
            return Trouble("not_authenticated", "The player has just been erased.")
        case Revoked():
            return Trouble("not_authenticated", "The token has just been revoked, or has expired.")
        case TooFast(seconds=seconds):
            return Trouble("rate_limited", f"The next message may come in {seconds} s.", headers={"Retry-After": str(seconds)})
        case TooManySignups(seconds=seconds):
            detail = f"No more accounts can be made from this address for {seconds} s."
            return Trouble("rate_limited", detail, headers={"Retry-After": str(seconds)})
        case UnknownEvent():
            log.warning("release_too_old", reason=str(error))
            return Trouble("unavailable", "This process is of an older release than the one that has moved this match on. Ask again.")
        case _ if is_away(error):
            log.warning("store_away", reason=repr(error))
            return Trouble("unavailable")
        case HTTPException():
            return _of_framework(error)
        case _:
            return failed()


def failed() -> Trouble:
    """What a fault of the service itself is to a client."""
    return Trouble("internal_error", "The service failed; the fault has been recorded.")


PLAIN: Mapping[type[Exception], str] = {
    UnknownMatch: "match_not_found",
    TooManyTokens: "too_many_tokens",
    TooManyMatches: "too_many_matches",
    TooManyMutes: "too_many_mutes",
    KeyReused: "key_reused",
    Busy: "match_busy",
}
"""Exceptions of which there is nothing to say but their code."""

_CLIENT_GONE = "client disconnected prematurely"
"""The framework calls this an error of the server; nobody is there to be told, and nothing is to be mended."""

_FRAMEWORK = {400: "malformed_request", 404: "not_found", 405: "method_not_allowed", 413: "body_too_large"}
"""What the framework says on its own account, by status."""


def _of_framework(error: HTTPException) -> Trouble:
    if isinstance(error, ValidationException):
        return _of_parameters(error)
    if error.detail == _CLIENT_GONE:
        return Trouble("malformed_request", "The request ended before its body did.")
    return Trouble(_FRAMEWORK[error.status_code], headers=error.headers) if error.status_code in _FRAMEWORK else failed()


def _of_parameters(error: ValidationException) -> Trouble:
    """The parameters that the framework found wrong. Of one that is missing altogether it only tells in its own words."""
    found = error.extra if isinstance(error.extra, list) else []
    if missing := _MISSING.match(error.detail):
        found = [{"source": missing["source"], "key": missing["name"], "message": "It is required."}]
    faults = [_fault(each) for each in found if each.get("source", "body") != "body"]
    return Trouble("invalid_parameter", errors=faults) if faults else Trouble("malformed_json", "This needs a body.")


def _fault(found: Mapping[str, Any]) -> Fault:
    source = getattr(found["source"], "value", found["source"])
    name = found["key"].replace("_", "-").title() if source == "header" else found["key"]
    return Fault(source, f"/{name}", f"{found['message'].rstrip('.')}.")


_MISSING = re.compile(r"Missing required (?P<source>\w+) parameter '(?P<name>[^']+)'")
