"""Reads fields of an object that an agent wrote; a missing field or a wrong type gives the default, never an error."""

from __future__ import annotations

from harnlite.agent_hooks.calls.json_text import well_formed

_LARGEST = 1 << 53


def text_of(data: dict[str, object], names: tuple[str, ...]) -> str:
    """Return the first of the fields that is a text with content, or an empty text."""
    for name in names:
        value = data.get(name)
        if isinstance(value, str) and value:
            return well_formed(value)
    return ""


def number_of(data: dict[str, object], names: tuple[str, ...]) -> float:
    """Return the first of the fields that is a positive number, or 0."""
    for name in names:
        value = data.get(name)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < _LARGEST:
            return value
    return 0


def object_of(value: object) -> dict[str, object]:
    """Return the value if it is an object, or an empty object."""
    return value if isinstance(value, dict) else {}


def list_of(value: object) -> list[object]:
    """Return the value if it is a list, or an empty list."""
    return value if isinstance(value, list) else []


def texts_of(value: object) -> list[str]:
    """Return the texts of a list."""
    return [well_formed(item) for item in list_of(value) if isinstance(item, str) and item]
