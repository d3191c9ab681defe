"""The text of a value, as `to_string`, interpolation and `println` show it."""

from __future__ import annotations

from types import FunctionType

from harnlite.values.interrupts import BUILTINS, poll_here
from harnlite.values.iteration import POLL_FROM, polled
from harnlite.values.size_limits import join_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    Texts: TypeAlias = dict[int, tuple[object, str]]
    """The long texts so far by address, so that a value with many references is rendered once.

    A text is at least as long as the number of values in it, so the short ones cost little to render again.
    """

_WHOLE_LIMIT = 1e15
_BYTES_SHOWN = 32
_VARARGS = 0x04
_KEPT_FROM = 2_048


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


def _list_text(value: list[object], texts: Texts) -> str:
    if BUILTINS["_hintr"]:
        poll_here()
    if texts and id(value) in texts:
        return texts[id(value)][1]
    if len(value) > POLL_FROM:
        parts = [_text(item, texts) for item in polled(value)]
    elif value and value[0].__class__ is int and set(map(type, value)) == {int}:
        return repr(value)
    else:
        parts = [item if item.__class__ is str else _text(item, texts) for item in value]
    text = f"[{join_texts(parts)}]"
    if len(text) > _KEPT_FROM:
        texts[id(value)] = (value, text)
    return text


def _dict_text(value: dict[str, object], texts: Texts) -> str:
    if BUILTINS["_hintr"]:
        poll_here()
    if texts and id(value) in texts:
        return texts[id(value)][1]
    keys = sorted(value)
    parts = [
        f"{key}: {item if (item := value[key]).__class__ is str else _text(item, texts)}"
        for key in (keys if len(keys) <= POLL_FROM else polled(keys))
    ]
    text = f"{{{join_texts(parts)}}}"
    if len(text) > _KEPT_FROM:
        texts[id(value)] = (value, text)
    return text


def _text(value: object, texts: Texts) -> str:
    if value.__class__ is str:
        return value
    make = _TEXTS.get(value.__class__)
    if make is not None:
        return make(value)
    return _NESTED.get(value.__class__, _own_text)(value, texts)


def _own_text(value: Any, texts: Texts) -> str:  # noqa: ANN401 - any value class
    if BUILTINS["_hintr"]:
        poll_here()
    if texts and id(value) in texts:
        return texts[id(value)][1]
    text: str = value.harn_text(lambda item: _text(item, texts))
    if len(text) > _KEPT_FROM:
        texts[id(value)] = (value, text)
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
    bytes: _bytes_text,
    FunctionType: _function_text,
}
_NESTED: dict[type, Callable[[Any, Texts], str]] = {list: _list_text, dict: _dict_text}


def display(value: object) -> str:
    """Return the text of a value."""
    if value.__class__ is str:
        return value
    make = _TEXTS.get(value.__class__)
    if make is not None:
        return make(value)
    return _NESTED.get(value.__class__, _own_text)(value, {})
