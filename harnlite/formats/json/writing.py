"""The conversion of values to JSON text."""

from __future__ import annotations

from harnlite.values.data_types import Range, Struct
from harnlite.values.display import display, float_text
from harnlite.values.interrupts import BUILTINS, poll_here
from harnlite.values.sets import HarnSet
from harnlite.values.size_limits import check_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_ESCAPES = {code: f"\\u{code:04x}" for code in (*range(0x20), *range(0x7F, 0xA0))}
_ESCAPES |= {ord('"'): '\\"', ord("\\"): "\\\\", ord("\n"): "\\n", ord("\r"): "\\r", ord("\t"): "\\t"}


def json_string(text: str) -> str:
    """Return a string as a JSON string literal."""
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return f'"{text.translate(_ESCAPES)}"'


def json_float(value: float) -> str:
    """Return the shortest digits of a float, without `.0`."""
    return float_text(value).removesuffix(".0")


def json_text(value: object) -> str:
    """Return a value as compact JSON; a value without a JSON form becomes null."""
    if value.__class__ is str:
        return json_string(value)
    write = _WRITERS.get(value.__class__)
    return "null" if write is None else write(value)


_NOT_FINITE = ("NaN", ":inf", "[inf", ",inf", "-inf")


def data_text(value: object) -> str:
    """Return a value as JSON that every JSON reader accepts: a number that is not finite becomes null."""
    text = json_text(value)
    if text == "inf" or any(mark in text for mark in _NOT_FINITE):
        return json_text(_finite(value))
    return text


def _finite(value: Any) -> object:  # noqa: ANN401 - any value
    kind = value.__class__
    if kind is float:
        return value if value - value == 0 else None
    if kind is list or kind is HarnSet:
        return [_finite(item) for item in (value if kind is list else value.items)]
    if kind is dict or kind is Struct:
        entries = value if kind is dict else value.fields
        return {key: _finite(item) for key, item in entries.items()}
    return value


def _array(items: list[object]) -> str:
    if BUILTINS["_hintr"]:
        poll_here()
    parts = [json_text(item) for item in items]
    check_size(sum(map(len, parts)))
    return f"[{','.join(parts)}]"


def _object(entries: dict[str, object]) -> str:
    if BUILTINS["_hintr"]:
        poll_here()
    parts = [f"{json_string(key)}:{json_text(entries[key])}" for key in sorted(entries)]
    check_size(sum(map(len, parts)))
    return f"{{{','.join(parts)}}}"


def complete_json(value: object) -> str:
    """Return a value as compact JSON in which what has no JSON form is its display text."""
    return json_text(_representable(value))


def _representable(value: Any) -> object:  # noqa: ANN401 - any value
    kind = value.__class__
    if kind is list or kind is HarnSet:
        return [_representable(item) for item in (value if kind is list else value.items)]
    if kind is dict or kind is Struct:
        entries = value if kind is dict else value.fields
        return {key: _representable(item) for key, item in entries.items()}
    if kind is float:
        return value if value - value == 0 else display(value)
    return value if value is None or kind is str or kind in _WRITERS else display(value)


def pretty_json(value: object, indent: str = "") -> str:
    """Return a value as JSON with one entry per line, indented by two blanks; `indent` is that of the first line."""
    if value.__class__ is Struct:
        value = value.fields
    elif value.__class__ is HarnSet:
        value = value.items
    inner = indent + "  "
    if value.__class__ is list:
        return _block("[]", [pretty_json(item, inner) for item in value], inner)
    if value.__class__ is dict:
        lines = [f"{json_string(key)}: {pretty_json(value[key], inner)}" for key in sorted(value)]
        return _block("{}", lines, inner)
    return json_text(value)


def _block(brackets: str, lines: list[str], inner: str) -> str:
    if BUILTINS["_hintr"]:
        poll_here()
    check_size(sum(map(len, lines)))
    if not lines:
        return brackets
    entries = f",\n{inner}".join(lines)
    return f"{brackets[0]}\n{inner}{entries}\n{inner[2:]}{brackets[1]}"


def _base64(value: bytes) -> str:
    from binascii import b2a_base64

    return f'{{"$bytes_b64":"{b2a_base64(value, newline=False).decode("ascii")}"}}'


_WRITERS: dict[type, Callable[[Any], str]] = {
    bool: lambda value: "true" if value else "false",
    int: int.__repr__,
    float: json_float,
    list: _array,
    dict: _object,
    bytes: _base64,
    HarnSet: lambda value: _array(value.items),
    Struct: lambda value: _object(value.fields),
    Range: lambda value: json_string(display(value)),
}
