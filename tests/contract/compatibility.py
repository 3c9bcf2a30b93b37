"""What a change of the document breaks for clients that were made from an earlier one, as a list of what a reviewer must know.

A client sends what the old document let it send, and understands what the old document told of. So requests may only grow wider,
and answers only say more in ways that the old schemas admit. New members of answers are fine: clients pass over what they do not
know. New values of an enum, new variants of a union, new null are not: clients were told that there are no others. A new game is
the one exception, which the document announces: all its variants are told apart by its key.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from service.http.openapi.schemas import REF

METHODS = ("get", "put", "post", "delete", "patch")
LOWER = ("minimum", "minLength", "minItems", "exclusiveMinimum")
UPPER = ("maximum", "maxLength", "maxItems", "exclusiveMaximum")

Schema = Mapping[str, Any]

VALUE = "the value"
"""What is told apart from null, for want of a tag."""


def breaks(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Each change from `old` to `new` that breaks a client of `old`, as a sentence that names the place."""
    found = dict[str, None]()
    for path, item in old["paths"].items():
        for method in METHODS:
            if method not in item:
                continue
            before, after = item[method], new["paths"].get(path, {}).get(method)
            if after is None:
                found[f"{method.upper()} {path} is gone"] = None
            else:
                found.update(dict.fromkeys(_Operation(old, new, before["operationId"]).breaks(before, after)))
    return list(found)


class _Operation:
    """Compares one operation of two documents."""

    def __init__(self, old: Mapping[str, Any], new: Mapping[str, Any], name: str) -> None:
        self._old, self._new, self._name = old["components"]["schemas"], new["components"]["schemas"], name
        self._seen: set[tuple[str, str, bool]] = set()
        self._games = self._old["MatchOptions"]["discriminator"]["mapping"].keys()

    def breaks(self, old: Schema, new: Schema) -> Iterator[str]:
        if old["operationId"] != new["operationId"]:
            yield f"{self._name} is called {new['operationId']} now"
        if {} in old["security"] + [{}] * (not old["security"]) and not ({} in new["security"] or not new["security"]):
            yield f"{self._name} wants a token now"
        yield from self._parameters(old.get("parameters", []), new.get("parameters", []))
        yield from self._body(old.get("requestBody"), new.get("requestBody"))
        for status, response in old["responses"].items():
            if status < "400" or status in new["responses"]:
                yield from self._response(status, response, new["responses"].get(status))
        if fresh := [status for status in new["responses"] if status < "400" and status not in old["responses"]]:
            yield f"{self._name} may answer {', '.join(fresh)} now"

    def _parameters(self, old: list[Any], new: list[Any]) -> Iterator[str]:
        known = {(each["in"], each["name"]): each for each in old}
        offered = {(each["in"], each["name"]): each for each in new}
        for key, each in known.items():
            place = f"{self._name}: the {key[0]} parameter {key[1]}"
            if key not in offered:
                yield f"{place} is gone"
                continue
            if offered[key]["required"] and not each["required"]:
                yield f"{place} is required now"
            if each["schema"].get("default") != offered[key]["schema"].get("default"):
                yield f"{place} has another default"
            yield from self._schema(each["schema"], offered[key]["schema"], place, sent=True)
        for key, each in offered.items():
            if key not in known and each["required"]:
                yield f"{self._name}: the {key[0]} parameter {key[1]} is new and required"

    def _body(self, old: Any, new: Any) -> Iterator[str]:
        if old is None:
            if new is not None and new["required"]:
                yield f"{self._name} wants a body now"
            return
        if new is None:
            yield f"{self._name} takes no body any more"
            return
        if new["required"] and not old["required"]:
            yield f"{self._name}: its body is required now"
        yield from self._contents(old["content"], new["content"], "the body", sent=True)

    def _response(self, status: str, old: Schema, new: Any) -> Iterator[str]:
        if new is None:
            yield f"{self._name} does not answer {status} any more"
            return
        for header in old.get("headers", {}):
            if header not in new.get("headers", {}):
                yield f"{self._name}: {status} comes without {header}"
        yield from self._contents(old.get("content", {}), new.get("content", {}), status, sent=False)

    def _contents(self, old: Schema, new: Schema, place: str, *, sent: bool) -> Iterator[str]:
        for media_type, content in old.items():
            if media_type not in new:
                yield f"{self._name}: {place} is not {media_type} any more"
            else:
                yield from self._schema(content["schema"], new[media_type]["schema"], f"{self._name}: {place}", sent=sent)

    def _schema(self, old: Schema, new: Schema, place: str, *, sent: bool) -> Iterator[str]:
        """`sent`: by the client. What it may send must not shrink, what it is sent must not grow."""
        if "$ref" in old and "$ref" in new:
            pair = (old["$ref"], new["$ref"], sent)
            if pair in self._seen:
                return
            self._seen.add(pair)
            place = old["$ref"].removeprefix(REF)
        old, new = self._resolved(old, self._old), self._resolved(new, self._new)
        yield from _values(old, new, place, sent)
        yield from _limits(old, new, place, sent)
        yield from self._variants(old, new, place, sent=sent)
        yield from self._properties(old, new, place, sent=sent)
        for key in ("items", "additionalProperties"):
            if isinstance(old.get(key), Mapping) and isinstance(new.get(key), Mapping):
                yield from self._schema(old[key], new[key], f"{place}[]", sent=sent)

    def _resolved(self, schema: Schema, schemas: Schema) -> Schema:
        return schemas[schema["$ref"].removeprefix(REF)] if "$ref" in schema else schema

    def _variants(self, old: Schema, new: Schema, place: str, *, sent: bool) -> Iterator[str]:
        before, after = _told_apart(old, self._old), _told_apart(new, self._new)
        if before is None and after is None:
            return
        before, after = before or {VALUE: old}, after or {VALUE: new}
        lost, won = before.keys() - after.keys(), after.keys() - before.keys()
        yield from (f"{place} cannot be {each} any more" for each in sorted(lost) if sent)
        yield from (f"{place} can be {each} now" for each in sorted(won) if not sent and not self._is_of_a_new_game(each))
        for key in sorted(before.keys() & after.keys()):
            yield from self._schema(before[key], after[key], f"{place} ({key})", sent=sent)

    def _is_of_a_new_game(self, tag: str) -> bool:
        game, _, _ = tag.partition(".")
        return game in self._new["MatchOptions"]["discriminator"]["mapping"] and game not in self._games

    def _properties(self, old: Schema, new: Schema, place: str, *, sent: bool) -> Iterator[str]:
        before, after = old.get("properties", {}), new.get("properties", {})
        for name, each in before.items():
            if name not in after:
                yield f"{place}.{name} is gone"
            else:
                yield from self._schema(each, after[name], f"{place}.{name}", sent=sent)
        needed, promised = set(new.get("required", ())), set(old.get("required", ()))
        if sent and new.get("additionalProperties") is False and old.get("additionalProperties") is not False:
            yield f"{place} takes nothing else any more"
        if sent:
            yield from (f"{place}.{name} is required now" for name in sorted(needed - promised))
        else:
            yield from (f"{place}.{name} may be missing now" for name in sorted((promised & after.keys()) - needed))


def _told_apart(schema: Schema, schemas: Schema) -> dict[str, Schema] | None:
    """The variants of a union by what tells them apart; None for what is no union."""
    if "oneOf" not in schema:
        return None
    if "discriminator" in schema:
        return {tag: {"$ref": reference} for tag, reference in schema["discriminator"]["mapping"].items()}
    scalars = ("integer", "string", "null")
    kinds = [schemas[each["$ref"].removeprefix(REF)] if "$ref" in each else each for each in schema["oneOf"]]
    return {kind["type"] if kind.get("type") in scalars else VALUE: each for kind, each in zip(kinds, schema["oneOf"], strict=True)}


def _values(old: Schema, new: Schema, place: str, sent: bool) -> Iterator[str]:
    """Types, enums and constants."""
    before, after = _types(old), _types(new)
    if "number" in (after if sent else before):
        before, after = before - {"integer"}, after - {"integer"}
    if lost := (before - after if sent else after - before):
        yield f"{place} {'cannot be' if sent else 'can be'} {' or '.join(sorted(lost))} {'any more' if sent else 'now'}"
    known, offered = _listed(old), _listed(new)
    if sent and offered is not None and (known is None or known - offered):
        yield f"{place} cannot be {_words(known - offered if known else None)} any more"
    if not sent and known is not None and (offered is None or offered - known):
        yield f"{place} can be {_words(offered - known if offered else None)} now"
    for key in ("pattern", "format"):
        if old.get(key) != new.get(key) and (new.get(key) if sent else old.get(key)) is not None:
            yield f"{place} has another {key}"


def _types(schema: Schema) -> set[str]:
    types = schema.get("type", [])
    return {types} if isinstance(types, str) else set(types)


def _listed(schema: Schema) -> set[Any] | None:
    if "const" in schema:
        return {schema["const"]}
    return set(schema["enum"]) if "enum" in schema else None


def _words(values: set[Any] | None) -> str:
    return "other values" if values is None else ", ".join(sorted(map(str, values)))


def _limits(old: Schema, new: Schema, place: str, sent: bool) -> Iterator[str]:
    """Bounds: narrower ones break who sends, wider ones who is sent."""
    for keys, worst in ((LOWER, float("-inf")), (UPPER, float("inf"))):
        for key in keys:
            before, after = old.get(key, worst), new.get(key, worst)
            narrower = after > before if keys is LOWER else after < before
            if before != after and narrower == sent:
                yield f"{place} has another {key}: {new.get(key)} after {old.get(key)}"
