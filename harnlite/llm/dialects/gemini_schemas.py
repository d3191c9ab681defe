"""JSON Schemas in the subset that the Gemini API accepts."""

from __future__ import annotations

from harnlite.values.display import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Schema = dict[str, Any]

_KEPT = frozenset(
    {"type", "format", "title", "description", "nullable", "enum", "maxItems", "minItems", "properties", "required"}
    | {"minProperties", "maxProperties", "minLength", "maxLength", "pattern", "example", "anyOf", "default", "items"}
    | {"propertyOrdering", "minimum", "maximum"}
)
_FORMATS = frozenset({"date-time", "enum", "float", "double", "int32", "int64"})
_ANY: Schema = {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}]}
_BESIDE_ALTERNATIVES = ("anyOf", "title", "description", "nullable")
_MOST_NESTED = 32


def plain_schema(schema: Schema) -> Schema:
    """Return a schema with its references inlined, without the keywords that Gemini refuses."""
    found = _converted(schema, schema, ())
    return found if found != _ANY else {"type": "object"}


def _converted(schema: object, root: Schema, seen: tuple[str, ...]) -> Schema:
    """Return a part of a schema; `seen` are the references that lead to it."""
    if not isinstance(schema, dict):
        return dict(_ANY)
    reference = schema.get("$ref")
    if isinstance(reference, str):
        target = None if reference in seen or len(seen) > _MOST_NESTED else _resolved(reference, root)
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        if target is None:
            return {"type": "object", **({"description": rest["description"]} if "description" in rest else {})}
        return _converted({**target, **rest}, root, (*seen, reference))
    schema = _joined(schema, root)
    alternatives = schema.get("anyOf", schema.get("oneOf"))
    found = {key: value for key, value in schema.items() if key in _KEPT and key != "anyOf"}
    if isinstance(alternatives, list):
        _add_alternatives(found, [_converted(item, root, seen) for item in alternatives if not _is_null(item)])
        if any(_is_null(item) for item in alternatives):
            found["nullable"] = True
    _set_type(found)
    _set_enum(found, schema)
    if isinstance(found.get("properties"), dict):
        found["properties"] = {key: _converted(value, root, seen) for key, value in found["properties"].items()}
        if isinstance(found.get("required"), list):
            found["required"] = [name for name in found["required"] if name in found["properties"]]
        found.setdefault("type", "object")
    if found.get("type") == "array" or "items" in found:
        found["items"] = _converted(found.get("items"), root, seen)
    if found.get("format") not in _FORMATS:
        found.pop("format", None)
    if not found.get("required"):
        found.pop("required", None)
    if "type" in found:
        return found
    return {"anyOf": _ANY["anyOf"], **{key: value for key, value in found.items() if key in _BESIDE_ALTERNATIVES}}


def _resolved(reference: str, root: Schema) -> Schema | None:
    """Return what a reference within the schema refers to."""
    place: object = root
    for name in reference.removeprefix("#").split("/")[1:]:
        place = place.get(name.replace("~1", "/").replace("~0", "~")) if isinstance(place, dict) else None
    return place if isinstance(place, dict) and reference.startswith("#") else None


def _joined(schema: Schema, root: Schema) -> Schema:
    """Return a schema with the parts of its `allOf` as its own."""
    parts = schema.get("allOf")
    if not isinstance(parts, list):
        return schema
    found = {key: value for key, value in schema.items() if key != "allOf"}
    for part in parts:
        inner = part if isinstance(part, dict) else {}
        reference = inner.get("$ref")
        if isinstance(reference, str):
            inner = _resolved(reference, root) or {}
        for key, value in inner.items():
            old = found.get(key)
            if isinstance(old, dict) and isinstance(value, dict):
                found[key] = {**value, **old}
            elif isinstance(old, list) and isinstance(value, list):
                found[key] = [*old, *(item for item in value if item not in old)]
            else:
                found.setdefault(key, value)
    return found


def _is_null(schema: object) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "null"


def _add_alternatives(found: Schema, alternatives: list[Schema]) -> None:
    if len(alternatives) == 1:
        found.update({key: value for key, value in alternatives[0].items() if key not in found})
    elif alternatives:
        found["anyOf"] = alternatives
        found.pop("type", None)


def _set_type(found: Schema) -> None:
    """Replace a list of types: null becomes `nullable`, several others become alternatives."""
    kinds = found.get("type")
    if isinstance(kinds, list):
        del found["type"]
        others = [kind for kind in kinds if kind != "null"]
        if len(others) < len(kinds):
            found["nullable"] = True
        if len(others) == 1:
            found["type"] = others[0]
        elif others:
            found["anyOf"] = [{"type": kind} if kind != "array" else {"type": kind, "items": _ANY} for kind in others]


def _set_enum(found: Schema, schema: Schema) -> None:
    """Set the allowed values, which are texts; other values are listed in the description."""
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    found.pop("enum", None)
    if not isinstance(values, list):
        return
    if None in values:
        found["nullable"] = True
        values = [value for value in values if value is not None]
    if values and all(isinstance(value, str) for value in values):
        found["enum"] = values
        found["type"] = "string"
    elif values:
        listed = f"One of: {', '.join(display(value) for value in values)}."
        found["description"] = f"{found['description']} {listed}" if found.get("description") else listed
        found.setdefault("type", "boolean" if isinstance(values[0], bool) else "number")
