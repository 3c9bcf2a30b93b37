"""Types as JSON Schema: msgspec's own schemas, under names that never move, in the few shapes that every generator reads.

A response always holds all its properties, so there they are all required. A request may leave out what has a default. A type
that serves both and has defaults therefore gets a second component for requests, named `...Input`.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias, get_args

import msgspec

from service.http.openapi.naming import named_classes, public_name, room

JsonSchema: TypeAlias = dict[str, Any]

REF = "#/components/schemas/"

NO_WORDS = "What `"
"""How the words begin that are made for an enum that has none."""

SCALARS: Mapping[str, str] = {"integer": "a whole number", "string": "text"}
"""The scalars of which there are unions, in words."""


class Schemas:
    """The schemas of `requests` and `responses`, which are types.

    `unions` are the unions among them and what is said of each, by their public names, and `enums` those enums that have one.
    """

    def __init__(
        self,
        requests: Iterable[Any],
        responses: Iterable[Any],
        unions: Mapping[str, tuple[Any, str]],
        enums: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        self._requests, asked = _schemas(requests, unions, enums)
        self._responses, answered = _schemas(responses, unions, enums)
        said = _said(asked, answered)
        asked, answered = _with_words(asked, said), _with_words(answered, said)
        asked = {name: _without_defaults(schema) for name, schema in asked.items()}
        answered = {name: _all_required(schema) for name, schema in answered.items()}
        self._inputs = _that_differ(asked, answered)
        # What is sent alone may get new members at any time; what is sent to be sent back stays as strict as it is asked for.
        answered = {name: _open(schema) if name in self._inputs or name not in asked else schema for name, schema in answered.items()}
        asked = {self._input(name): _renamed(schema, self._input) for name, schema in asked.items()}
        self.components = {name: {**schema, "title": name} for name, schema in sorted({**asked, **answered}.items())}

    def request(self, kind: Any) -> JsonSchema:
        """The schema of one of the requests; a reference if it is a component."""
        return dict(_renamed(self._requests[kind], self._input))

    def response(self, kind: Any) -> JsonSchema:
        """The schema of one of the responses; a reference if it is a component."""
        return self._responses[kind]

    def _input(self, name: str) -> str:
        return f"{name}Input" if name in self._inputs else name


def standalone(kind: type[msgspec.Struct]) -> JsonSchema:
    """The schema of one struct all by itself, for those who draw a form from it."""
    [reference], components = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    schemas = {name: _tidy(schema, _Unions({})) for name, schema in components.items()}
    root = schemas.pop(reference["$ref"].rpartition("/")[2])
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **root, **({"$defs": schemas} if schemas else {})}


class _Unions:
    """The unions that have a name, and the components of those that were met."""

    def __init__(self, unions: Mapping[str, tuple[Any, str]]) -> None:
        self._names = {frozenset(map(_member, get_args(union))): name for name, (union, _) in unions.items()}
        self._words = {name: words for name, (_, words) in unions.items()}
        self.met: dict[str, JsonSchema] = {}

    def of_structs(self, union: JsonSchema) -> JsonSchema:
        """What stands where the union stood."""
        # Readers who go by the discriminator would else take null for a member too.
        component = {"type": "object", "oneOf": union["anyOf"], "discriminator": union["discriminator"]}
        named = self._named(union["discriminator"]["mapping"].values(), component)
        return {**named, **{key: value for key, value in union.items() if key not in ("anyOf", "discriminator")}}

    def of_scalars(self, kinds: list[str]) -> JsonSchema:
        """The same for a number or a word, of which generators make more where the union and its members have names."""
        named = self._named(kinds, {"oneOf": []})
        name = named["$ref"].removeprefix(REF)
        for kind in kinds:
            self.met[member := name + kind.capitalize()] = {"description": f"{name} as {SCALARS[kind]}.", "type": kind}
            self.met[name]["oneOf"].append({"$ref": REF + member})
        return named

    def _named(self, members: Iterable[str], component: JsonSchema) -> JsonSchema:
        name = self._names.get(frozenset(members))
        assert name, f"this union needs a name: {sorted(members)}"
        self.met[name] = {"description": self._words[name], **component}
        return {"$ref": REF + name}


def _member(kind: Any) -> str:
    return {int: "integer", str: "string"}.get(kind) or REF + public_name(kind)


def _schemas(
    kinds: Iterable[Any], unions: Mapping[str, tuple[Any, str]], enums: Mapping[str, Any]
) -> tuple[dict[Any, JsonSchema], dict[str, JsonSchema]]:
    """The schemas of these types by type, and the components they refer to by public name."""
    kinds = list(dict.fromkeys(kinds))
    classes = named_classes(kinds)
    schemas, components = msgspec.json.schema_components([*kinds, *classes], ref_template=REF + "{name}")
    # msgspec makes its names longer where two classes share one, so what it calls a class is read off its reference.
    names = {schema["$ref"].removeprefix(REF): public_name(cls) for cls, schema in zip(classes, schemas[len(kinds) :], strict=True)}
    assert len(set(names.values())) == len(names), f"two types share a public name: {sorted(names.values())}"
    named = _Unions(unions)

    def public(schema: JsonSchema) -> JsonSchema:
        return dict(_tidy(_renamed(schema, names.__getitem__), named))

    own = {kind: public(schema) for kind, schema in zip(kinds, schemas, strict=False)}
    shared = {names[name]: public(schema) for name, schema in components.items()}
    rooms = {public_name(cls): begun for cls in classes if (begun := room(cls))}
    of_enums = _Enums(enums, rooms)
    own = {kind: of_enums.of(schema, "", "") if "enum" in schema else schema for kind, schema in own.items()}
    return own, {name: of_enums.named(name, schema) for name, schema in shared.items()} | named.met | of_enums.met


class _Enums:
    """The named enums of components, so that the same values are one type wherever they stand.

    `enums` are those that have a name of their own. Any other is called by its title, if it has one, or else by its property:
    within a room, where one name means one thing, for all of the room, and elsewhere for its component alone.
    """

    def __init__(self, enums: Mapping[str, Any], rooms: Mapping[str, str]) -> None:
        self._names = {frozenset(get_args(kind.__origin__)): name for name, kind in enums.items()}
        self._words = {name: kind.__metadata__[0].description for name, kind in enums.items()}
        self._rooms = rooms
        self.met: dict[str, JsonSchema] = {}

    def named(self, name: str, schema: JsonSchema) -> JsonSchema:
        """The component of this name, with references in the place of its enums."""
        properties = {key: self.of(node, self._rooms.get(name, name), key) for key, node in schema.get("properties", {}).items()}
        return {**schema, "properties": properties} if properties else schema

    def of(self, node: JsonSchema, owner: str, key: str) -> JsonSchema:
        """A property of the owner, or what is in it, with references in the place of enums."""
        if isinstance(values := node.get("enum"), list):
            key = node.get("title", key)
            name = self._names.get(frozenset(values), owner + "".join(word.capitalize() for word in key.split("_")))
            assert name, f"this enum needs a name: {values}"
            enum = {
                "description": self._words.get(name, f"{NO_WORDS}{key}` can be."),
                "type": node["type"],
                "enum": values,
                **_spelt(values),
            }
            assert self.met.setdefault(name, enum)["enum"] == values, f"two enums share the name {name}"
            return {"$ref": REF + name, **{at: value for at, value in node.items() if at not in ("type", "enum", "title")}}
        if "items" in node:
            return {**node, "items": self.of(node["items"], owner, key.removesuffix("s"))}
        if "oneOf" in node:
            return {**node, "oneOf": [self.of(each, owner, key) for each in node["oneOf"]]}
        return node


def _with_words(schemas: Mapping[str, JsonSchema], said: Mapping[str, Counter[str]]) -> dict[str, JsonSchema]:
    """The schemas, where an enum that has no words of its own is told as it is told most often where it stands."""
    told = {name: most[0][0] for name, each in said.items() if len(most := each.most_common(2)) == 1 or most[0][1] > most[1][1]}
    return {
        name: {**schema, "description": told[name]} if name in told and schema["description"].startswith(NO_WORDS) else schema
        for name, schema in schemas.items()
    }


def _said(*all_schemas: Mapping[str, JsonSchema]) -> dict[str, Counter[str]]:
    """What is said of each component where it stands, and at how many places."""
    places: dict[tuple[str, str], JsonSchema] = {}
    for schemas in all_schemas:
        places |= {(name, key): node for name, schema in schemas.items() for key, node in schema.get("properties", {}).items()}
    said: dict[str, Counter[str]] = {}
    for node in places.values():
        while "items" in node:
            node = node["items"]
        if "$ref" in node and "description" in node:
            said.setdefault(node["$ref"].removeprefix(REF), Counter())[node["description"]] += 1
    return said


def _spelt(values: list[Any]) -> JsonSchema:
    """How generators are to call these values, where some of them begin with a sign, of which a few languages make no name."""
    if not any(str(value).startswith(("+", "-")) for value in values):
        return {}
    return {"x-enum-varnames": [str(value).replace("+", "PLUS_").replace("-", "MINUS_") for value in values]}


def _tidy(node: Any, unions: _Unions) -> Any:
    """msgspec's schema in the shapes we publish: named unions, constants and enums with their type, null as a type."""
    if isinstance(node, list):
        return [_tidy(each, unions) for each in node]
    if not isinstance(node, dict):
        return node
    if "discriminator" in node and isinstance(node.get("anyOf"), list):
        return unions.of_structs(node)
    node = {key: _tidy(value, unions) for key, value in node.items()}
    if isinstance(values := node.get("enum"), list):
        node = {"type": "string" if isinstance(values[0], str) else "integer", **node}
        if len(values) == 1:
            node["const"] = node.pop("enum")[0]
            node.setdefault("description", f"Always `{node['const']}`.")
    if isinstance(variants := node.get("anyOf"), list):
        del node["anyOf"]
        node = _one_of(variants, unions) | node  # What is said of the whole says more than what is said of a part.
        if "oneOf" in node and isinstance(node.get("default"), dict):
            # Some generators leave out the whole operation where null is allowed and the default is an object.
            del node["default"]
    if isinstance(pattern := node.get("pattern"), str):  # What Python writes as \Z, the end and nothing but the end, is $ everywhere else.
        node["pattern"] = pattern.replace(r"\Z", "$")
    if node.get("type") == "array" and "prefixItems" not in node:
        node.setdefault("items", {})
    if node.get("type") == "object" and "properties" not in node:
        # Said outright, since some generators take silence for an object that holds nothing.
        node.setdefault("additionalProperties", True)
    return node


def _one_of(variants: list[JsonSchema], unions: _Unions) -> JsonSchema:
    kinds = [each["type"] for each in variants if each.keys() == {"type"}]
    if len(kinds) == len(variants) and "null" not in kinds:
        return unions.of_scalars(kinds)
    if all(isinstance(each.get("type"), str) and not each.keys() & {"enum", "const"} for each in variants):
        return {**{key: value for each in variants for key, value in each.items()}, "type": [each["type"] for each in variants]}
    return variants[0] if len(variants) == 1 else {"oneOf": variants}


def _all_required(schema: JsonSchema) -> JsonSchema:
    if "properties" not in schema:
        return schema
    properties = {name: {key: value for key, value in each.items() if key != "default"} for name, each in schema["properties"].items()}
    return {**schema, "properties": properties, "required": list(properties)}


def _open(schema: JsonSchema) -> JsonSchema:
    return {key: value for key, value in schema.items() if key != "additionalProperties" or value is not False}


def _without_defaults(schema: JsonSchema) -> JsonSchema:
    """What has a default may be left out; some generators want it all the same where the schema names the default, so words do."""
    if "properties" not in schema:
        return schema
    return {**schema, "properties": {name: _default_in_words(each) for name, each in schema["properties"].items()}}


def _default_in_words(node: JsonSchema) -> JsonSchema:
    default = node.get("default")
    told = {key: value for key, value in node.items() if key != "default"}
    if default in (None, [], ()):  # What null and nothing mean, the descriptions say already.
        return told
    words = default if isinstance(default, str) else json.dumps(default)
    return {**told, "description": f"{node.get('description', '')} Default: `{words}`.".lstrip()}


def _that_differ(asked: Mapping[str, JsonSchema], answered: Mapping[str, JsonSchema]) -> frozenset[str]:
    """The components that are another thing in requests than in responses, by themselves or by what they refer to.

    Of a union all members are, lest one that is alike today takes another name with its first default.
    """
    both = asked.keys() & answered.keys()
    differ = {name for name in both if asked[name] != answered[name]}
    while more := {name for name in both - differ if _references(asked[name]) & differ} | {
        member for name in differ if "oneOf" in asked[name] for member in _references(asked[name]) & both - differ
    }:
        differ |= more
    return frozenset(differ)


def _references(node: Any) -> set[str]:
    if isinstance(node, str):
        return {node.removeprefix(REF)} if node.startswith(REF) else set()
    return set().union(*map(_references, node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()))


def _renamed(node: Any, rename: Callable[[str], str]) -> Any:
    """The schema with every reference in it renamed."""
    if isinstance(node, dict):
        return {key: _renamed(value, rename) for key, value in node.items()}
    if isinstance(node, list):
        return [_renamed(each, rename) for each in node]
    return REF + rename(node.removeprefix(REF)) if isinstance(node, str) and node.startswith(REF) else node
