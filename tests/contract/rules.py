"""What the document must be beyond valid: the shapes that generators of clients read without a fault, as a list of faults."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from service.http.openapi.schemas import REF

JSON, PROBLEM = "application/json", "application/problem+json"
TAKEN = {
    *("Result", "Error", "Data", "Date", "URL", "Task", "Set", "Array", "Character", "Sendable"),  # Swift
    *("Action", "Func", "Attribute", "Exception", "Environment", "Index", "Range", "Tuple", "Version", "Uri", "Buffer"),  # C#
    *("Object", "Record", "Number", "Process", "Thread", "Module", "Override", "Enum"),  # Java, Dart, TypeScript
    *("Pair", "Unit", "Any", "Nothing", "Annotation", "Map", "List", "Future", "Stream", "Function", "Symbol", "Type"),  # Kotlin, Dart
    *("Request", "Response", "Partial", "Promise", "Component"),  # Fetch, TypeScript, React and Angular
}
"""What is called so everywhere in a language or a framework, by generated code too: a component of this name would stand in its place."""

METHODS = ("get", "put", "post", "delete", "patch", "head", "options", "trace")


def faults(document: dict[str, Any]) -> list[str]:
    """Everything in the document that breaks a rule."""
    schemas = document["components"]["schemas"]
    found = [*_whole(document), *_references(document, schemas)]
    for path, method, operation in operations(document):
        found += [f"{method} {path}: {fault}" for fault in _operation(document, operation)]
    for name, schema in schemas.items():
        found += [f"{name}: {fault}" for fault in _component(name, schema, schemas)]
    asked = _reached([operation.get("requestBody", {}) for _, _, operation in operations(document)], schemas)
    for name in _reached(_responses(document), schemas):
        if name not in asked and schemas[name].get("additionalProperties") is False:
            found.append(f"{name}: is sent alone, so it may get new members")
        properties = schemas[name].get("properties", {})
        if missing := set(properties) - set(schemas[name].get("required", ())):
            found.append(f"{name}: is sent, so {sorted(missing)} must be required")
    return found


def operations(document: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, item in document["paths"].items():
        yield from ((path, method, item[method]) for method in METHODS if method in item)


def _whole(document: dict[str, Any]) -> Iterator[str]:
    if document["openapi"] != "3.1.0":
        yield "is not OpenAPI 3.1.0"
    if any(server["url"] != "/" for server in document["servers"]):
        yield "names a server; a client brings its own"
    names = [operation["operationId"] for _, _, operation in operations(document)]
    if len(set(names)) != len(names):
        yield "an operationId is used twice"
    for path in document["paths"]:
        if not re.fullmatch(r"(/[a-z0-9]+(-[a-z0-9]+)*|/\{[a-z_]+\})+", path):
            yield f"{path} is not kebab-case"


def _references(document: dict[str, Any], schemas: dict[str, Any]) -> Iterator[str]:
    found = {each["$ref"] for each in _nodes(document) if isinstance(each.get("$ref"), str)}
    unknown = {each for each in found if each.startswith(REF) and each.removeprefix(REF) not in schemas}
    if unknown:
        yield f"refers to what is not there: {sorted(unknown)}"
    told = {each["$ref"] for _, _, operation in operations(document) for each in _examples(operation) if "$ref" in each}
    if told != {f"#/components/examples/{code}" for code in document["components"]["examples"]}:
        yield "refers to examples that are not there, or has some that nothing refers to"
    used = _reached([{"$ref": each} for each in found if each.startswith(REF)], schemas)
    if idle := set(schemas) - set(used):
        yield f"nothing refers to {sorted(idle)}"


def _examples(operation: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for response in operation["responses"].values():
        for content in response.get("content", {}).values():
            yield from content.get("examples", {}).values()


def _operation(document: dict[str, Any], operation: dict[str, Any]) -> Iterator[str]:
    if not re.fullmatch(r"[a-z]+(_[a-z]+)*", operation["operationId"]):
        yield "its operationId is not snake_case"
    if not operation.get("summary") or not operation.get("description"):
        yield "needs a summary and a description"
    if len(operation["tags"]) != 1 or operation["tags"][0] not in {tag["name"] for tag in document["tags"]}:
        yield "needs one tag that is described"
    for parameter in operation.get("parameters", ()):
        if not parameter.get("description"):
            yield f"the parameter {parameter['name']} needs a description"
        if isinstance(parameter["schema"].get("type"), list):
            yield f"the parameter {parameter['name']} cannot be null; it is absent"
    for content in [
        operation.get("requestBody", {}).get("content", {}),
        *(each.get("content", {}) for each in operation["responses"].values()),
    ]:
        for media_type, each in content.items():
            if set(each["schema"]) != {"$ref"}:
                yield f"a body of {media_type} is no named component"
            if media_type == JSON and "example" not in each:
                yield "a body has no example"
    for status, response in operation["responses"].items():
        yield from (f"{status}: {fault}" for fault in _response(document, status, response))


def _response(document: dict[str, Any], status: str, response: dict[str, Any]) -> Iterator[str]:
    if not response.get("description"):
        yield "needs a description"
    if "Request-Id" not in response.get("headers", {}):
        yield "does not declare Request-Id"
    if status >= "400":
        yield from _failure(document, status, response)
    if status in ("429", "503") and "Retry-After" not in response["headers"]:
        yield "does not declare Retry-After"
    if status == "401" and "WWW-Authenticate" not in response["headers"]:
        yield "does not declare WWW-Authenticate"


def _failure(document: dict[str, Any], status: str, response: dict[str, Any]) -> Iterator[str]:
    content = response.get("content", {}).get(PROBLEM, {})
    if content.get("schema") != {"$ref": REF + "Problem"} or len(response["content"]) != 1:
        yield "is no problem document"
    examples = {code: resolved(document, each)["value"] for code, each in content.get("examples", {}).items()}
    if list(examples) != re.findall(r"`(\w+)`", response["description"]):
        yield f"has examples for {list(examples)} alone"
    for code, each in examples.items():
        if each["type"] != f"urn:ludicitude:problem:{code}" or each["status"] != int(status):
            yield f"the example of {code} is one of another problem"


def resolved(document: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    """The node, or what it refers to."""
    if "$ref" not in node:
        return node
    found: Any = document
    for step in node["$ref"].removeprefix("#/").split("/"):
        found = found[step]
    return dict(found)


def _component(name: str, schema: dict[str, Any], schemas: dict[str, Any]) -> Iterator[str]:
    if not re.fullmatch(r"([A-Z][a-z0-9]*)+", name):
        yield "is not PascalCase"
    if name in TAKEN:
        yield "has a name that means something else already in generated code"
    if "oneOf" in schema:
        yield from _union(schema, schemas)
        schema = {key: value for key, value in schema.items() if key != "oneOf"}
    if not schema.get("description"):
        yield "needs a description"
    same = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
    if schema.get("properties", {}).get(same, {"type": "string"}).get("type", "object") in ("object", "array"):
        yield f"has a property of its own name, which generators of Python take for the thing itself: {same}"
    yield from (f"{key} needs a description" for key, each in schema.get("properties", {}).items() if not each.get("description"))
    for node in _nodes(schema):
        yield from _node(node)
        if node is not schema and "properties" in node and isinstance(node.get("type"), str):
            yield f"holds an object without a name: {sorted(node['properties'])}"


def _union(schema: dict[str, Any], schemas: dict[str, Any]) -> Iterator[str]:
    if "discriminator" not in schema:
        scalars = [schemas[each["$ref"].removeprefix(REF)] for each in schema["oneOf"] if "$ref" in each]
        if len({each["type"] for each in scalars if each["type"] in ("integer", "string")}) != len(schema["oneOf"]):
            yield "is a union that nothing tells apart"
        return
    members = [each.get("$ref") for each in schema["oneOf"]]
    tag, mapping = schema["discriminator"]["propertyName"], schema["discriminator"]["mapping"]
    if sorted(mapping.values()) != sorted(members):
        yield "its mapping and its members differ"
    for value, member in mapping.items():
        struct = schemas[member.removeprefix(REF)]
        told = {key: struct["properties"].get(tag, {}).get(key) for key in ("type", "const")}
        if told != {"type": "string", "const": value} or tag not in struct["required"]:
            yield f"{member} does not require {tag} to be {value}"


def _node(node: dict[str, Any]) -> Iterator[str]:
    if bad := {"allOf", "anyOf", "nullable", "prefixItems", "not"} & {key for key, value in node.items() if not isinstance(value, str)}:
        yield f"uses {sorted(bad)}"
    variants = node.get("oneOf", ())
    if variants and "discriminator" not in node and not (len(variants) == 2 and "$ref" in variants[0] and variants[1] == {"type": "null"}):
        yield f"has a union without a name: {variants}"
    if isinstance(values := node.get("enum"), list) and (None in values or not isinstance(node.get("type"), str)):
        yield f"has an enum that is not of one type: {values}"
    if node.get("type") == "array" and not node.get("items"):
        yield "has an array of anything"
    if isinstance(kinds := node.get("type"), list) and not (len(kinds) == 2 and kinds[1] == "null"):
        yield f"has a union without a name: {kinds}"
    if node.get("type") == "object" and not node.keys() & {"properties", "additionalProperties", "discriminator"}:
        yield "is an object that says nothing of what it holds, which generators of TypeScript take for one that holds nothing"
    for key in ("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"):
        if isinstance(node.get(key), float):
            yield f"{key} is written as a fraction"


def _responses(document: dict[str, Any]) -> list[Any]:
    return [operation["responses"] for _, _, operation in operations(document)]


def _reached(start: list[Any], schemas: dict[str, Any]) -> dict[str, None]:
    """The components that can be reached from here."""
    reached: dict[str, None] = {}
    todo = list(start)
    while todo:
        for node in _nodes(todo.pop()):
            name = str(node.get("$ref", "")).removeprefix(REF)
            if name in schemas and name not in reached:
                reached[name] = None
                todo.append(schemas[name])
    return reached


def _nodes(value: Any) -> Iterator[dict[str, Any]]:
    """Every object in it, but for examples, which are data."""
    if isinstance(value, dict):
        yield value
        for key, each in value.items():
            if key not in ("example", "examples", "default"):
                yield from _nodes(each)
    elif isinstance(value, list):
        for each in value:
            yield from _nodes(each)
