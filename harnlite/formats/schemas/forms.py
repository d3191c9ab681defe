"""The canonical form of a schema dict, and its conversion to JSON Schema and OpenAPI."""

from __future__ import annotations

from harnlite.values.display import display
from harnlite.values.interrupts import BUILTINS, poll_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    Schema: TypeAlias = dict[str, Any]
    Known: TypeAlias = dict[int, Schema]
    """The results for the schemas so far, by address: a schema that occurs often is converted once."""


class SchemaError(Exception):
    """The error for a malformed schema."""


_TYPE_NAMES = {
    "object": "dict",
    "array": "list",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "nil",
}
_JSON_TYPES = {name: json for json, name in _TYPE_NAMES.items()}


def canonical(schema: object) -> Schema:
    """Return a schema in canonical form: each key has one spelling, and unknown keys are removed."""
    return _canonical(schema, {})


def _canonical(schema: object, known: Known) -> Schema:
    if schema.__class__ is not dict:
        raise SchemaError("schema must be a dict")
    if id(schema) in known:
        return known[id(schema)]
    if BUILTINS["_hintr"]:
        poll_here()
    form: Schema = {}
    for name, (spellings, read) in _KEYS.items():
        spelling = next((spelling for spelling in spellings if spelling in schema), None)
        if spelling is not None:
            value = read(schema[spelling], known)
            if value is not _DROPPED:
                form[name] = value
    names = schema.get("type")
    if names.__class__ is list and "union" not in form:
        form["union"] = [{"type": _type_name(name)} for name in names]
    is_unique = form.get("type") == "list" and schema.get("uniqueItems") is True
    if is_unique or schema.get("x-harn-type") == "set":
        form["type"] = "set"
    known[id(schema)] = form
    return form


class _Dropped:
    __slots__ = ()


_DROPPED = _Dropped()


def _type_name(name: object) -> str:
    text = display(name)
    return _TYPE_NAMES.get(text, text)


def _read_type(value: object, _known: Known) -> object:
    return _type_name(value) if value.__class__ is str else _DROPPED


def _read_named(value: object, known: Known) -> object:
    if value.__class__ is not dict:
        return _DROPPED
    return {name: _canonical(value[name], known) for name in sorted(value)}


def _read_list(value: object, known: Known) -> list[Schema]:
    if value.__class__ is not list:
        raise SchemaError("schema union/all_of must be a list")
    return [_canonical(branch, known) for branch in value]


def _read_components(value: object, known: Known) -> object:
    if value.__class__ is not dict or value.get("schemas").__class__ is not dict:
        return _DROPPED
    return {"schemas": _read_named(value["schemas"], known)}


def _itself(value: object, _known: Known) -> object:
    return value


def _keys() -> dict[str, tuple[tuple[str, ...], Callable[[object, Known], object]]]:
    readers: dict[str, Callable[[object, Known], object]] = {
        "type": _read_type,
        "properties": _read_named,
        "required": lambda value, _: [display(name) for name in value] if value.__class__ is list else [],
        "additional_properties": lambda value, known: value if value.__class__ is bool else _canonical(value, known),
        "items": _canonical,
        "enum": lambda value, _: value if value.__class__ is list else _DROPPED,
        "nullable": lambda value, _: True if value is True else _DROPPED,
        "union": _read_list,
        "all_of": _read_list,
        "definitions": _read_named,
        "components": _read_components,
    }
    spellings = {
        "additional_properties": ("additional_properties", "additionalProperties"),
        "min": ("min", "minimum"),
        "max": ("max", "maximum"),
        "min_length": ("min_length", "minLength"),
        "max_length": ("max_length", "maxLength"),
        "min_items": ("min_items", "minItems"),
        "max_items": ("max_items", "maxItems"),
        "union": ("union", "oneOf", "anyOf"),
        "all_of": ("all_of", "allOf"),
    }
    plain = (
        *("pattern", "const", "default", "$ref", "title", "description", "format", "deprecated"),
        *("readOnly", "writeOnly", "example", "examples", "x-harn-type"),
    )
    names = (*readers, *spellings, *plain)
    return {name: (spellings.get(name, (name,)), readers.get(name, _itself)) for name in names}


_KEYS = _keys()


# Conversion to JSON Schema and OpenAPI

_BOUNDS = {"min": "minimum", "max": "maximum"}
_RENAMED = {
    "min_length": "minLength",
    "max_length": "maxLength",
    "min_items": "minItems",
    "max_items": "maxItems",
}
_NESTED_LISTS = {"union": "oneOf", "all_of": "allOf"}
_NAMED = ("properties", "definitions")
_OPAQUE = frozenset({"closure", "builtin"})


def json_schema(form: Schema, *, openapi: bool) -> Schema:
    """Convert a canonical form to JSON Schema or to the dialect of OpenAPI."""
    return _json_schema(form, {}, openapi=openapi)


def _json_schema(form: Schema, known: Known, *, openapi: bool) -> Schema:
    if id(form) in known:
        return known[id(form)]
    out: Schema = {}
    for key in sorted(form):
        value = form[key]
        if key in _NESTED_LISTS:
            out[_NESTED_LISTS[key]] = [_json_schema(branch, known, openapi=openapi) for branch in value]
        elif key in _NAMED:
            out[key] = {name: _json_schema(value[name], known, openapi=openapi) for name in value}
        elif key == "components":
            schemas = {name: _json_schema(s, known, openapi=openapi) for name, s in value["schemas"].items()}
            out[key] = {"schemas": schemas}
        elif key == "items":
            out[key] = _json_schema(value, known, openapi=openapi)
        elif key == "additional_properties":
            out["additionalProperties"] = (
                value if value.__class__ is bool else _json_schema(value, known, openapi=openapi)
            )
        elif key in _BOUNDS:
            out[_BOUNDS[key]] = float(value) if value.__class__ is int else value
        elif key not in ("type", "nullable"):
            out[_RENAMED.get(key, key)] = value
    _write_type(form, out)
    if "nullable" in form:
        _write_nullable(out, openapi=openapi)
    known[id(form)] = out
    return out


def _write_type(form: Schema, out: Schema) -> None:
    name = form.get("type")
    if name is None:
        return
    if name == "set":
        out["type"] = "array"
        out["uniqueItems"] = True
    elif name in _OPAQUE:
        out["type"] = "string"
        out["x-harn-type"] = name
    else:
        out["type"] = _JSON_TYPES.get(name, name)


def _write_nullable(out: Schema, *, openapi: bool) -> None:
    if openapi:
        out["nullable"] = True
    elif "type" in out:
        out["type"] = [out["type"], "null"]
    elif "oneOf" in out:
        out["oneOf"] = [*out["oneOf"], {"type": "null"}]


# Changes

_BRANCHES = ("union", "all_of")
_INNER = ("items", "additional_properties")


def without_required(form: Schema) -> Schema:
    """Return a canonical form without required keys at any depth."""
    return _without_required(form, {})


def _without_required(form: Schema, known: Known) -> Schema:
    if id(form) in known:
        return known[id(form)]
    out = {key: value for key, value in form.items() if key != "required"}
    if "properties" in out:
        out["properties"] = {name: _without_required(schema, known) for name, schema in out["properties"].items()}
    for key in _BRANCHES:
        if key in out:
            out[key] = [_without_required(branch, known) for branch in out[key]]
    for key in _INNER:
        if out.get(key).__class__ is dict:
            out[key] = _without_required(out[key], known)
    known[id(form)] = out
    return out


def with_properties(form: Schema, wanted: Callable[[str], bool]) -> Schema:
    """Return a canonical form with only the wanted properties."""
    out = dict(form)
    if "properties" in out:
        out["properties"] = {name: schema for name, schema in out["properties"].items() if wanted(name)}
    if "required" in out:
        out["required"] = [name for name in out["required"] if wanted(name)]
    return out
