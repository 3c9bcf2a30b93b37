"""What a route takes from its path, its query and its headers, as its signature says; and queries, read strictly."""

from collections.abc import Collection, Iterable, Iterator
from functools import cache
from typing import Any

from litestar import Request
from litestar.enums import ParamType
from litestar.handlers import BaseRouteHandler
from litestar.params import ParameterKwarg
from litestar.typing import FieldDefinition

from service.http.problems import Fault, Trouble

FAULTS_MAX = 10
"""More unknown parameters than these are not told of."""


def fields(handler: BaseRouteHandler) -> list[FieldDefinition]:
    """The fields of the handler's signature, each followed by those that its dependency takes."""
    return list(_with_dependencies(handler, handler.parsed_fn_signature.parameters.values()))


def parameters(handler: BaseRouteHandler) -> list[tuple[str, ParameterKwarg, FieldDefinition]]:
    """The path, query and header parameters by name, also those that dependencies take."""
    dependencies = handler.resolve_dependencies()
    return [
        (kwarg.name or field.name, kwarg, field)
        for field in fields(handler)
        if field.name not in dependencies and isinstance(kwarg := field.kwarg_definition, ParameterKwarg)
    ]


async def only_known(request: Request[Any, Any, Any]) -> None:
    """Raises `Trouble` for a query parameter that the operation does not have: it may be one that it has, misspelt. And for a number in the
    path that is not written as numbers are, such as `1_0` or one with digits of another script, which the framework reads too.

    Runs before every route. What is served beside the API takes anything.
    """
    written = request.scope["path"].split("/")
    if odd := [name for name, value in request.path_params.items() if isinstance(value, int) and str(value) not in written]:
        raise Trouble("invalid_parameter", errors=[Fault("path", f"/{name}", "Write it as a plain number.") for name in odd])
    if request.scope["query_string"] and request.route_handler.resolve_include_in_schema():
        known = _in_query(request.route_handler)
        if unknown := [name for name in dict.fromkeys(request.query_params) if name not in known]:
            raise Trouble("invalid_parameter", errors=[unknown_parameter(name, known) for name in unknown[:FAULTS_MAX]])


def unknown_parameter(name: str, known: Collection[str]) -> Fault:
    """What is said of a query parameter that is none of those that are known."""
    there = f"There are {', '.join(f'`{each}`' for each in known)}" if known else "This operation takes no query parameters"
    return Fault("query", "/" + name.replace("~", "~0").replace("/", "~1"), f"There is no such parameter. {there}.")


@cache
def _in_query(handler: BaseRouteHandler) -> tuple[str, ...]:
    return tuple(name for name, kwarg, _ in parameters(handler) if kwarg.param_type is ParamType.QUERY)


def _with_dependencies(handler: BaseRouteHandler, these: Iterable[FieldDefinition]) -> Iterator[FieldDefinition]:
    dependencies: dict[str, Any] = handler.resolve_dependencies()
    for field in these:
        yield field
        if field.name in dependencies:
            yield from _with_dependencies(handler, dependencies[field.name].parsed_fn_signature.parameters.values())
