"""The document in OpenAPI 3.0, for generators that read nothing newer. It has no examples; those stand in the newer one.

What 3.0 cannot say is said as its generators understand it: a constant is an enum of one, null is `nullable`, and what is said
beside a reference goes around it.
"""

from collections.abc import Mapping

from service.http.openapi.schemas import REF, JsonSchema

VERSION = "3.0.3"
LICENSES = {"Apache-2.0": "https://www.apache.org/licenses/LICENSE-2.0"}
"""3.0 knows a licence by its address, not by its SPDX identifier."""

NULL: JsonSchema = {"type": "null"}


def in_openapi30(document: JsonSchema) -> JsonSchema:
    """The same API in OpenAPI 3.0. Raises AssertionError where the document says what is not known here how to say."""
    info, components = dict(document["info"]), document["components"]
    info["license"] = {"name": info["license"]["name"], "url": LICENSES[info["license"]["identifier"]]}
    schemas = components["schemas"]
    return {
        **document,
        "openapi": VERSION,
        "info": info,
        "paths": {path: {method: _operation(each, schemas) for method, each in item.items()} for path, item in document["paths"].items()},
        "components": {
            **{name: each for name, each in components.items() if name != "examples"},
            "headers": {name: _with_schema(header, schemas) for name, header in components["headers"].items()},
            "schemas": {name: _schema(schema, schemas) for name, schema in schemas.items()},
        },
    }


def _operation(operation: JsonSchema, schemas: Mapping[str, JsonSchema]) -> JsonSchema:
    changed = dict(operation)
    if "parameters" in operation:
        changed["parameters"] = [_with_schema(each, schemas) for each in operation["parameters"]]
    if "requestBody" in operation:
        changed["requestBody"] = _with_content(operation["requestBody"], schemas)
    changed["responses"] = {status: _with_content(each, schemas) for status, each in operation["responses"].items()}
    return changed


def _with_content(body: JsonSchema, schemas: Mapping[str, JsonSchema]) -> JsonSchema:
    if "content" not in body:
        return body
    return {**body, "content": {name: _with_schema(each, schemas) for name, each in body["content"].items()}}


def _with_schema(holder: JsonSchema, schemas: Mapping[str, JsonSchema]) -> JsonSchema:
    kept = {key: value for key, value in holder.items() if key not in ("example", "examples")}
    return {**kept, "schema": _schema(holder["schema"], schemas)}


def _schema(schema: JsonSchema, schemas: Mapping[str, JsonSchema]) -> JsonSchema:
    changed = {key: value for key, value in schema.items() if key not in ("$ref", "const", "examples")}
    if "$ref" in schema:
        return {**changed, "allOf": [{"$ref": schema["$ref"]}]} if changed else {"$ref": schema["$ref"]}
    if changed.get("required") == []:  # Which 3.0 does not allow.
        del changed["required"]
    if "const" in schema:
        changed["enum"] = [schema["const"]]
    if isinstance(types := schema.get("type"), list):
        [changed["type"]] = [each for each in types if each != "null"]
        changed["nullable"] = True
    if NULL in schema.get("oneOf", ()):
        [reference] = [each["$ref"] for each in changed.pop("oneOf") if each != NULL]
        changed |= {"type": schemas[reference.removeprefix(REF)]["type"], "nullable": True, "allOf": [{"$ref": reference}]}
    elif "oneOf" in schema:
        changed["oneOf"] = [_schema(each, schemas) for each in schema["oneOf"]]
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            changed[key] = _schema(schema[key], schemas)
    if "properties" in schema:
        changed["properties"] = {name: _schema(each, schemas) for name, each in schema["properties"].items()}
    return changed
