"""Texts and JSON values in the columns of a SQLite file.

A text with half a surrogate pair, such as a file name that is not UTF-8, is stored as a BLOB: SQLite texts are UTF-8.
"""

from __future__ import annotations

import json
from typing import Any

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
