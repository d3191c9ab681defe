"""The JSON Schemas of structured answers as they are sent to a vendor."""

from __future__ import annotations

from harnlite.formats.schemas.forms import SchemaError, canonical, json_schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Schema = dict[str, Any]

ANSWER = "answer"
"""The name under which a schema is sent, because the API demands one."""

_OWN_TYPES = frozenset({"dict", "list", "int", "float", "bool", "nil", "set"})
_OWN_KEYS = frozenset(
    {"additional_properties", "min", "max", "min_length", "max_length", "min_items", "max_items", "union", "all_of"}
    | {"nullable"}
)
_NAMED = ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas")
_LISTED = ("anyOf", "oneOf", "allOf", "prefixItems")
_SINGLE = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames")
_NOT_STRICT = frozenset(
    {"oneOf", "allOf", "not", "if", "then", "else", "patternProperties", "dependentSchemas", "dependentRequired"}
    | {"prefixItems", "contains", "propertyNames", "unevaluatedProperties", "uniqueItems", "definitions", "default"}
    | {"minLength", "maxLength", "minProperties", "maxProperties"}
)
"""The keywords that the strict mode does not have."""

_FORMATS = ("date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid")


def standard_schema(schema: Schema) -> Schema:
    """Return a schema as JSON Schema; one in the short form of scripts, as in `{type: "int", min: 1}`, is converted."""
    if not any(_is_own(part) for part in _parts(schema)):
        return schema
    try:
        return json_schema(canonical(schema), openapi=False)
    except SchemaError:
        return schema


def _is_own(schema: Schema) -> bool:
    name = schema.get("type")
    return (isinstance(name, str) and name in _OWN_TYPES) or not _OWN_KEYS.isdisjoint(schema)


def is_object(schema: Schema) -> bool:
    """Return whether a schema describes an object, which is all that the API accepts."""
    return schema.get("type") == "object" or ("type" not in schema and isinstance(schema.get("properties"), dict))


def strict_schema(schema: Schema) -> Schema | None:
    """Return a schema for the strict mode, or None if it has none without a change of its meaning.

    `additionalProperties: false` is added where nothing is specified. A schema with an optional key has no strict form.
    """
    if "anyOf" in schema or not is_object(schema) or not all(_can_be_strict(part) for part in _parts(schema)):
        return None
    return _closed(schema)


def _can_be_strict(schema: Schema) -> bool:
    if not _NOT_STRICT.isdisjoint(schema) or schema.get("format", _FORMATS[0]) not in _FORMATS:
        return False
    if not _describes_object(schema):
        return True
    properties, required = schema.get("properties"), schema.get("required")
    names = set(properties) if isinstance(properties, dict) else set()
    listed = {name for name in required if isinstance(name, str)} if isinstance(required, list) else set()
    # An object without declared properties may have any; closed, it would have to be empty.
    return bool(names) and names == listed and schema.get("additionalProperties") in (None, False)


def _describes_object(schema: Schema) -> bool:
    kind = schema.get("type")
    return kind == "object" or (isinstance(kind, list) and "object" in kind) or "properties" in schema


def _closed(schema: Schema) -> Schema:
    closed: Schema = {}
    for key, value in schema.items():
        if key in _NAMED and isinstance(value, dict):
            closed[key] = {name: _closed(part) if isinstance(part, dict) else part for name, part in value.items()}
        elif key in _LISTED and isinstance(value, list):
            closed[key] = [_closed(part) if isinstance(part, dict) else part for part in value]
        elif key in _SINGLE and isinstance(value, dict):
            closed[key] = _closed(value)
        else:
            closed[key] = value
    if _describes_object(schema):
        closed["additionalProperties"] = False
    return closed


def _parts(schema: Schema) -> Iterator[Schema]:
    """Yield a schema and all schemas inside it."""
    yield schema
    for key, value in schema.items():
        inner: list[Any] = []
        if key in _NAMED and isinstance(value, dict):
            inner = list(value.values())
        elif key in _LISTED and isinstance(value, list):
            inner = value
        elif key in _SINGLE:
            inner = [value]
        for part in inner:
            if isinstance(part, dict):
                yield from _parts(part)
