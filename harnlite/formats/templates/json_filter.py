"""The JSON that the filter `json` writes: floats keep their `.0`, and values without a JSON form are texts."""

from __future__ import annotations

from harnlite.formats.json.writing import json_string
from harnlite.values.display import display, float_text
from harnlite.values.interrupts import BUILTINS, poll_here
from harnlite.values.size_limits import check_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Known = dict[tuple[int, int], tuple[object, str]]

_KEPT_FROM = 2_048


def json_of(value: object, *, pretty: bool) -> str:
    """Return a value as compact JSON, or with one entry per line, indented by two blanks."""
    return _json(value, "\n" if pretty else "", {})


def _json(value: Any, line_break: str, known: Known) -> str:  # noqa: ANN401 - any value
    """Return the text of a value; `line_break` is what precedes its closing bracket, or "" for compact JSON."""
    kind = value.__class__
    if kind is str:
        return json_string(value)
    if kind is not list and kind is not dict:
        write = _SCALARS.get(kind)
        return json_string(display(value)) if write is None else write(value)
    if BUILTINS["_hintr"]:
        poll_here()
    where = id(value), len(line_break)
    if where in known:
        return known[where][1]
    inner = line_break and line_break + "  "
    if kind is list:
        text = _block("[]", [_json(item, inner, known) for item in value], inner, line_break)
    else:
        colon = ": " if line_break else ":"
        entries = [f"{json_string(key)}{colon}{_json(value[key], inner, known)}" for key in sorted(value)]
        text = _block("{}", entries, inner, line_break)
    if len(text) > _KEPT_FROM:
        known[where] = value, text
    return text


def _block(brackets: str, entries: list[str], inner: str, line_break: str) -> str:
    if not entries:
        return brackets
    check_size(sum(map(len, entries)) + (len(inner) + 1) * len(entries))
    return f"{brackets[0]}{inner}{f',{inner}'.join(entries)}{line_break}{brackets[1]}"


def _float(value: float) -> str:
    if value - value != 0:
        return "null"
    text = float_text(value)
    return text if "." in text else f"{text}.0"


_SCALARS: dict[type, Callable[[Any], str]] = {
    type(None): lambda _: "null",
    bool: lambda value: "true" if value else "false",
    int: int.__repr__,
    float: _float,
}
