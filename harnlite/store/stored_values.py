"""Texts and JSON values in the columns of a SQLite file.

A text with half a surrogate pair, such as a file name that is not UTF-8, is stored as a BLOB: SQLite texts are UTF-8.
"""

from __future__ import annotations

import json
from typing import Any

NO_TIME = ""
"""The column `updated_at` of a session that no turn has changed."""
_OBJECTS = frozenset({"meta", "mcp_servers", "state"})
_ENCODER = json.JSONEncoder(separators=(",", ":"))
_DECODER = json.JSONDecoder()
_WITH_SURROGATES = "surrogatepass"

written_json = _ENCODER.encode
"""Return the JSON text of a value, in ASCII."""


def column_text(text: str) -> str | bytes:
    """Return the value of a column that keeps a text."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", _WITH_SURROGATES)
    return text


def text_in(column: str | bytes) -> str:
    """Return the text that a column keeps. Raise ValueError if it is damaged."""
    return column.decode("utf-8", _WITH_SURROGATES) if isinstance(column, bytes) else column


def json_in(column: str) -> Any:  # noqa: ANN401 - any JSON value
    """Return the JSON value that a column keeps. Raise ValueError if it is damaged."""
    return _DECODER.decode(column)


def optional_json(value: object) -> str | None:
    """Return the JSON text of a value, or None for None."""
    return None if value is None else written_json(value)


def session_column(name: str, value: Any) -> str | bytes | int | float | None:  # noqa: ANN401 - the value of a field
    """Return the value of a column for a field of a session."""
    if name in _OBJECTS:
        return written_json(value)
    if name == "updated_at" and value is None:
        return NO_TIME
    if isinstance(value, str):
        return column_text(value)
    number: int | float | None = value
    return number
