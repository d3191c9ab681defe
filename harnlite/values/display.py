"""The text of a value, as `to_string`, interpolation and `println` show it."""

from __future__ import annotations

from types import FunctionType

from harnlite.values.interrupts import BUILTINS, poll_here
from harnlite.values.size_limits import join_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_WHOLE_LIMIT = 1e15
_BYTES_SHOWN = 32
_VARARGS = 0x04


def _expanded(digits: str) -> str:
    """Expand the exponent of a number in Python's notation."""
    sign = "-" if digits[0] == "-" else ""
    mantissa, _, exponent = digits.lstrip("-").partition("e")
    whole, _, fraction = mantissa.partition(".")
    shift = int(exponent)
    if shift < 0:
        return f"{sign}0.{'0' * (-shift - 1)}{whole}{fraction}"
    return f"{sign}{whole}{fraction.ljust(shift, '0')}"


def float_text(value: float) -> str:
    """Return the shortest digits that read back as the same float, never with an exponent."""
    text = repr(value)
    if "e" in text:
        return _expanded(text)
    if text == "nan":
        return "NaN"
    if text.endswith(".0") and not -_WHOLE_LIMIT < value < _WHOLE_LIMIT:
        return text[:-2]
    return text


def _list_text(value: list[object]) -> str:
    if BUILTINS["_hintr"]:
        poll_here()
    if value and value[0].__class__ is int and set(map(type, value)) == {int}:
        return repr(value)
    parts = [item if item.__class__ is str else _TEXTS.get(item.__class__, _own_text)(item) for item in value]
    return f"[{join_texts(parts)}]"


def _dict_text(value: dict[str, object]) -> str:
    if BUILTINS["_hintr"]:
        poll_here()
    parts = [f"{key}: {_TEXTS.get(value[key].__class__, _own_text)(value[key])}" for key in sorted(value)]
    return f"{{{join_texts(parts)}}}"


def _own_text(value: Any) -> str:  # noqa: ANN401 - any value class
    if BUILTINS["_hintr"]:
        poll_here()
    text: str = value.harn_text(display)
    return text


def _bytes_text(value: bytes) -> str:
    more = f"...+{len(value) - _BYTES_SHOWN}" if len(value) > _BYTES_SHOWN else ""
    return f'b"{value[:_BYTES_SHOWN].hex()}{more}"'


def parameter_names(function: FunctionType) -> list[str]:
    """Return the names of a function's parameters as the script declares them."""
    code = function.__dict__.get("__wrapped__", function).__code__
    count = code.co_argcount
    names = list(code.co_varnames[:count])
    if code.co_flags & _VARARGS:
        rest = code.co_varnames[count + code.co_kwonlyargcount]
        if rest != "_":
            names.append(rest)
    return [name.partition("_")[2] for name in names]


def _function_text(value: FunctionType) -> str:
    return f"<fn({', '.join(parameter_names(value))})>"


_TEXTS: dict[type, Callable[[Any], str]] = {
    str: str,
    int: repr,
    type(None): lambda _: "nil",
    bool: lambda value: "true" if value else "false",
    float: float_text,
    list: _list_text,
    dict: _dict_text,
    bytes: _bytes_text,
    FunctionType: _function_text,
}


def display(value: object) -> str:
    """Return the text of a value."""
    if value.__class__ is str:
        return value
    return _TEXTS.get(value.__class__, _own_text)(value)
