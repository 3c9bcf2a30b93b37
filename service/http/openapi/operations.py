"""One route as one operation of the document: everything is read off its handler's signature, guards and options.

A handler's `opt` may hold `problems`, the codes of the problems it answers with beyond those that its signature implies;
`headers`, the names of headers that come with its success; and `streams`, which says that the answer is a stream of
server-sent events, of whose data the type is: generators that know streams take it so.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from inspect import cleandoc
from typing import Any, get_args, get_origin

from litestar import Litestar, Response
from litestar.enums import ParamType
from litestar.handlers import HTTPRouteHandler
from litestar.params import ParameterKwarg
from litestar.routes import HTTPRoute
from litestar.typing import FieldDefinition

from service.http import auth, codes, problems
from service.http.body import without_none
from service.http.openapi import failures
from service.http.openapi.links import links_after
from service.http.openapi.schemas import REF, JsonSchema, Schemas
from service.http.parameters import fields, parameters
from service.http.problems import Problem
from service.projector import MatchView

METHODS = ("get", "head", "post", "put", "patch", "delete", "options", "trace")
"""The order in which one path's operations stand."""

PATH_PARAMETERS: Mapping[str, str] = {
    "game": "The game's key, such as `pico`.",
    "match_id": "The match's id.",
    "seat": "The seat, 0 to n-1.",
    "player_id": "The player's id.",
    "token_id": "The token's id, as `list_tokens` tells it.",
}
"""What the parts of paths are, the same everywhere."""

SAMPLES: Mapping[str, Any] = {
    "game": "pico",
    "match_id": "mat_4eafc99c9a6c4554831b4975041c9099",
    "seat": 1,
    "player_id": "ply_98a6sw6shace3kwsjsgzjsxxnw",
    "token_id": "tok_77sw7smk251n3q5ytg3y7snp0m",
    "open_seats": True,
    "mine": True,
    "others": True,
    "cursor": "WyJkMWZjOGVhZjVhOTM3OTc3Iiw1MF0",
    "limit": 20,
    "wait": 25,
    "at_version": 8,
    "after": 12,
    "ticket": "lud_EnRgsik49TWj4KKfnRvLGuljKIUhEchZYqMZMQxpf103EAu8p",
    "Idempotency-Key": "0b3f2c9e-6d0e-4f57-9d6e-2f4f1f6c7a10",
    "If-Match": '"v12"',
    "If-None-Match": '"v12-0a1b2c3d4e5f6071"',
    "Last-Event-ID": "12",
}
"""What a parameter looks like, by its name. Those that are enums show their words."""

HEADERS: Mapping[str, str] = {
    "ETag": "Names this content; send it as `If-None-Match` or `If-Match`.",
    "Location": "Where the new thing is.",
    "RateLimit": "What you have left: of the limit `player` with a token, else of `address`. `r` requests now, more in `t` seconds.",
    "RateLimit-Policy": "Your limit: `q` requests in `w` seconds, as draft-ietf-httpapi-ratelimit-headers-11 writes it.",
    "Request-Id": "The id of this request, yours if you sent one.",
    "Retry-After": "Seconds to wait before asking again.",
    "WWW-Authenticate": "How to authenticate.",
}
"""Every header that is worth a client's look."""

WITH_STATUS = {401: "WWW-Authenticate", 429: "Retry-After", 503: "Retry-After"}

ALWAYS = ("malformed_request", "invalid_parameter", "internal_error")
WITH_A_CALLER = ("not_authenticated", "rate_limited", "too_many_at_once", "unavailable")
WITH_A_BODY = ("malformed_json", "body_too_large", "unsupported_media_type", "invalid_body")
WITH_HEADER = {"If-Match": ("precondition_failed",), "Idempotency-Key": ("key_reused",)}

_CONSTRAINTS = {"ge": "minimum", "le": "maximum", "min_length": "minLength", "max_length": "maxLength", "pattern": "pattern"}


@dataclass(frozen=True)
class Operation:
    """A route of the API: its path as the document writes it, its method and its handler."""

    path: str
    method: str
    handler: HTTPRouteHandler

    @property
    def name(self) -> str:
        """The operationId."""
        assert isinstance(self.handler.operation_id, str), f"{self.method} {self.path} needs an operation_id"
        return self.handler.operation_id

    @property
    def body(self) -> FieldDefinition | None:
        """What the handler takes as the body."""
        return self.handler.parsed_fn_signature.parameters.get("data")

    @property
    def answer(self) -> Any:
        """The type of what comes with a success, or None."""
        annotation = self.handler.parsed_fn_signature.return_type.annotation
        if get_origin(annotation) is Response:
            [annotation] = get_args(annotation)
        return None if annotation is type(None) else annotation

    @property
    def parameters(self) -> list[tuple[str, ParameterKwarg, FieldDefinition]]:
        """The path, query and header parameters by name, also those that dependencies take."""
        return parameters(self.handler)

    @property
    def _looks_at_the_caller(self) -> bool:
        return "caller" in {field.name for field in fields(self.handler)}

    @property
    def problems(self) -> set[str]:
        """The codes of all problems that this operation answers with; `refused` stands for the refusals of games."""
        names = [name for name, _, _ in self.parameters]
        found = [*ALWAYS, *self.handler.opt.get("problems", ()), *(WITH_A_BODY if self.body else ())]
        found += () if self.handler.opt.get("anonymous") else WITH_A_CALLER
        return {*found, *(code for name in names for code in WITH_HEADER.get(name, ()))}

    def document(self, schemas: Schemas, examples: Mapping[str, Any]) -> JsonSchema:
        """The operation object; `examples` may hold a `request` and a `response`."""
        assert self.handler.summary, f"{self.name} needs a summary"
        assert self.handler.fn.__doc__, f"{self.name} needs a docstring"
        operation: JsonSchema = {
            "operationId": self.name,
            "summary": self.handler.summary,
            "description": cleandoc(self.handler.fn.__doc__),
            "tags": sorted(self.handler.resolve_tags()),
            "security": self._security(),
        }
        if self.parameters:
            operation["parameters"] = [_parameter(schemas, *each) for each in self.parameters]
        if self.body is not None:
            content = {"schema": schemas.request(without_none(self.body.annotation)), **_example(examples, "request")}
            operation["requestBody"] = {"required": not self.body.has_default, "content": {"application/json": content}}
        operation["responses"] = {**self._success(schemas, examples), **self._failures(schemas)}
        return operation

    @property
    def _always(self) -> tuple[str, ...]:
        """The headers of every answer."""
        return ("Request-Id",) if self.handler.opt.get("anonymous") else ("RateLimit", "RateLimit-Policy", "Request-Id")

    def _security(self) -> list[dict[str, list[str]]]:
        """A token is looked at wherever one is sent; but a client that needs none should not be asked for one."""
        guards = self.handler.resolve_guards()
        if auth.operating in guards:
            return [{"operator": []}]
        if auth.signed_in in guards:
            return [{"token": []}]
        return [{}, {"token": []}] if self._looks_at_the_caller else []

    def _success(self, schemas: Schemas, examples: Mapping[str, Any]) -> JsonSchema:
        cached = any(name == "If-None-Match" for name, _, _ in self.parameters)
        shows_a_match = self.handler.parsed_fn_signature.return_type.annotation == Response[MatchView]
        tag = ["ETag"] if cached or shows_a_match else []
        headers = _headers(*self._always, *tag, *self.handler.opt.get("headers", ()))
        status = self.handler.status_code
        response: JsonSchema = {"description": "It is done, and there is nothing to tell.", "headers": headers}
        if self.answer is not None:
            schema = schemas.response(self.answer)
            response["description"] = schemas.components[schema["$ref"].removeprefix(REF)]["description"]
            content = {"schema": schema, **_example(examples, "response")}
            response["content"] = {"text/event-stream" if "streams" in self.handler.opt else "application/json": content}
        response |= links_after(self.name, shows_a_match)
        other = {"304": {"description": "You have this already.", "headers": headers}} if cached else {}
        if "read" in self.handler.opt:
            other = {"204": {"description": self.handler.opt["read"], "headers": headers}, **other}
        return {str(status): response, **other}

    def _failures(self, schemas: Schemas) -> JsonSchema:
        by_status: dict[int, list[str]] = {}
        for code in sorted(self.problems):
            by_status.setdefault(codes.KINDS[code].status, []).append(code)
        return {
            str(status): {
                "description": "\n".join(f"* `{code}`: {codes.KINDS[code].title}." for code in by_status[status]),
                "headers": _headers(*self._always, *([WITH_STATUS[status]] if status in WITH_STATUS else [])),
                "content": {
                    problems.MEDIA_TYPE: {
                        "schema": schemas.response(Problem),
                        "examples": {code: self._failure(code) for code in by_status[status]},
                    }
                },
            }
            for status in sorted(by_status)
        }

    def _failure(self, code: str) -> JsonSchema:
        """An example of the problem `code`."""
        path, query = (
            [name for name, kwarg, _ in self.parameters if kwarg.param_type is kind] for kind in (ParamType.PATH, ParamType.QUERY)
        )
        return failures.example(code, path, query, None if self.body is None else without_none(self.body.annotation))


def operations(app: Litestar) -> list[Operation]:
    """All operations of the app that are part of the API, by path and method."""
    found = [
        Operation(route.path_format, method.lower(), handler)
        for route in app.routes
        if isinstance(route, HTTPRoute)
        for method, (handler, _) in route.route_handler_map.items()
        if handler.resolve_include_in_schema()
    ]
    return sorted(found, key=lambda each: (each.path, METHODS.index(each.method)))


def _parameter(schemas: Schemas, name: str, kwarg: ParameterKwarg, field: FieldDefinition) -> JsonSchema:
    place = kwarg.param_type.value
    description = kwarg.description or PATH_PARAMETERS.get(name)
    assert description, f"the {place} parameter {name} needs a description"
    schema = dict(schemas.request(without_none(field.annotation)))
    schema |= {key: value for name, key in _CONSTRAINTS.items() if (value := getattr(kwarg, name)) is not None}
    schema |= kwarg.schema_extra or {}
    if field.has_default and field.default is not None:
        schema["default"] = field.default
    if "$ref" not in schema:
        # Samples stand in the schema, where Swagger UI does not take them for what is to be sent, as it would beside the schema.
        schema.setdefault("examples", [SAMPLES[name]])
    return {"name": name, "in": place, "description": description, "required": not field.has_default, "schema": schema}


def headers() -> JsonSchema:
    """The components that the headers of responses refer to."""
    kinds = {"Retry-After": "integer"}
    return {name: {"description": text, "schema": {"type": kinds.get(name, "string")}} for name, text in HEADERS.items()}


def _headers(*names: str) -> JsonSchema:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in sorted(names)}


def _example(examples: Mapping[str, Any], which: str) -> JsonSchema:
    return {"example": examples[which]} if which in examples else {}
