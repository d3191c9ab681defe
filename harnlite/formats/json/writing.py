"""The conversion of values to JSON text."""

from __future__ import annotations

from harnlite.formats.json.plain_writing import plain_json
from harnlite.values.data_types import Range, Struct
from harnlite.values.display import display, float_text
from harnlite.values.interrupts import BUILTINS, poll_here
from harnlite.values.iteration import POLL_FROM, polled
from harnlite.values.sets import HarnSet
from harnlite.values.size_limits import POLLED, check_size
from harnlite.values.text_operations import by_blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    Texts: TypeAlias = dict[int, tuple[object, str]]
    """The long texts so far, so that a container with many references is written once."""

_KEPT_FROM = 2_048
_ESCAPES = {code: f"\\u{code:04x}" for code in (*range(0x20), *range(0x7F, 0xA0))}
_ESCAPES |= {ord('"'): '\\"', ord("\\"): "\\\\", ord("\n"): "\\n", ord("\r"): "\\r", ord("\t"): "\\t"}


def json_string(text: str) -> str:
    """Return a string as a JSON string literal."""
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return f'"{by_blocks(_escaped, text)}"'


def _escaped(text: str) -> str:
    return text.translate(_ESCAPES)


def json_float(value: float) -> str:
    """Return the shortest digits of a float, without `.0`."""
    return float_text(value).removesuffix(".0")


def json_text(value: object) -> str:
    """Return a value as compact JSON; a value without a JSON form becomes null."""
    if value.__class__ is str:
        return json_string(value)
    write = _WRITERS.get(value.__class__)
    if write is not None:
        return write(value)
    nested = _NESTED.get(value.__class__)
    if nested is None:
        return "null"
    if value.__class__ is dict or value.__class__ is list:
        text = plain_json(value)
        if text is not None:
            check_size(len(text))
            return text
    return nested(value, {})


def _part(value: object, texts: Texts) -> str:
    if value.__class__ is str:
        return json_string(value)
    write = _WRITERS.get(value.__class__)
    if write is not None:
        return write(value)
    nested = _NESTED.get(value.__class__)
    return "null" if nested is None else nested(value, texts)


_NOT_FINITE = ("NaN", ":inf", "[inf", ",inf", "-inf")


def data_text(value: object) -> str:
    """Return a value as JSON that every JSON reader accepts: a number that is not finite becomes null."""
    if value.__class__ is dict or value.__class__ is list:
        plain = plain_json(value)
        if plain is not None:  # then all numbers in it are finite
            if len(plain) > POLLED:
                check_size(len(plain))
            return plain
        text = _NESTED[value.__class__](value, {})
    else:
        text = json_text(value)
    if ("inf" in text or "NaN" in text) and (text == "inf" or any(mark in text for mark in _NOT_FINITE)):
        return json_text(_finite(value, {}))
    return text


def _finite(value: Any, known: dict[int, tuple[object, object]]) -> object:  # noqa: ANN401 - any value
    kind = value.__class__
    if kind is float:
        return value if value - value == 0 else None
    if kind not in _NESTED:
        return value
    if id(value) in known:
        return known[id(value)][1]
    made: object
    if kind is list or kind is HarnSet:
        made = [_finite(item, known) for item in (value if kind is list else value.items)]
    else:
        entries = value if kind is dict else value.fields
        made = {key: _finite(item, known) for key, item in entries.items()}
    known[id(value)] = value, made
    return made


def _array(items: list[object], texts: Texts) -> str:
    if BUILTINS["_hintr"]:
        poll_here()
    if texts and id(items) in texts:
        return texts[id(items)][1]
    parts = [_part(item, texts) for item in (polled(items) if len(items) > POLL_FROM else items)]
    check_size(sum(map(len, parts)))
    text = f"[{','.join(parts)}]"
    if len(text) > _KEPT_FROM:
        texts[id(items)] = items, text
    return text


def _object(entries: dict[str, object], texts: Texts) -> str:
    if BUILTINS["_hintr"]:
        poll_here()
    if texts and id(entries) in texts:
        return texts[id(entries)][1]
    keys = sorted(entries)
    parts = [
        f"{json_string(key)}:{_part(entries[key], texts)}" for key in (polled(keys) if len(keys) > POLL_FROM else keys)
    ]
    check_size(sum(map(len, parts)))
    text = f"{{{','.join(parts)}}}"
    if len(text) > _KEPT_FROM:
        texts[id(entries)] = entries, text
    return text


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


def pretty_json(value: object) -> str:
    """Return a value as JSON with one entry per line, indented by two blanks."""
    return _pretty(value, "", {})


def _pretty(value: object, indent: str, texts: dict[tuple[int, int], tuple[object, str]]) -> str:
    """Return the text of a value; `indent` is that of its first line."""
    if value.__class__ is Struct:
        value = value.fields
    elif value.__class__ is HarnSet:
        value = value.items
    inner, place = indent + "  ", (id(value), len(indent))
    if place in texts:
        return texts[place][1]
    if value.__class__ is list:
        text = _block("[]", [_pretty(item, inner, texts) for item in value], inner)
    elif value.__class__ is dict:
        lines = [f"{json_string(key)}: {_pretty(value[key], inner, texts)}" for key in sorted(value)]
        text = _block("{}", lines, inner)
    else:
        return json_text(value)
    if len(text) > _KEPT_FROM:
        texts[place] = value, text
    return text


def _block(brackets: str, lines: list[str], inner: str) -> str:
    if BUILTINS["_hintr"]:
        poll_here()
    check_size(sum(map(len, lines)) + len(inner) * len(lines))
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
    bytes: _base64,
    Range: lambda value: json_string(display(value)),
}
_NESTED: dict[type, Callable[[Any, Texts], str]] = {
    list: _array,
    dict: _object,
    HarnSet: lambda value, texts: _array(value.items, texts),
    Struct: lambda value, texts: _object(value.fields, texts),
}
