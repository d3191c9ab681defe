"""Builtins that read and write JSON."""

from __future__ import annotations

from harnlite.formats.json.extraction import json_part
from harnlite.formats.json.reading import JsonError, read_json
from harnlite.formats.json.writing import json_text
from harnlite.library.native import MISSING, native
from harnlite.values.display import display
from harnlite.values.errors import thrown


@native("json_stringify")
def json_stringify(value: object = None) -> str:
    """Return a value as compact JSON with sorted keys."""
    return json_text(value)


@native("json_parse")
def json_parse(text: object = "") -> object:
    """Return the value of a JSON text."""
    try:
        return read_json(display(text))
    except JsonError as error:
        raise thrown(f"JSON parse error: {error}") from None


@native("json_extract")
def json_extract(text: object = MISSING, key: object = MISSING) -> object:
    """Return the value of the JSON part of a text, or one entry of that value."""
    if text is MISSING:
        raise thrown("json_extract requires at least 1 argument: text")
    try:
        value = read_json(json_part(display(text)))
    except JsonError as error:
        raise thrown(f"json_extract: failed to parse JSON: {error}") from None
    if key is MISSING:
        return value
    if value.__class__ is not dict:
        raise thrown("json_extract: parsed value is not a dict, cannot extract key")
    name = display(key)
    if name not in value:
        raise thrown(f"json_extract: key '{name}' not found")
    return value[name]
