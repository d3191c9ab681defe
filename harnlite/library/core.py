"""Builtins for values of every type: conversion, size, entries, results and identity."""

from __future__ import annotations

from harnlite.library.native import MISSING, native
from harnlite.values.data_types import EnumValue, Native, Range, err, ok, type_name
from harnlite.values.display import display
from harnlite.values.equality import is_same
from harnlite.values.errors import runtime_error, type_error
from harnlite.values.iteration import iterate, polled
from harnlite.values.keys import key_text
from harnlite.values.operators import wrap
from harnlite.values.sets import HarnSet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Callable
    from typing import Any

    from harnlite.runtime.tasks.execution import Execution
else:
    from _collections import deque

_MIN_INT, _MAX_INT = -(2**63), 2**63 - 1
_INT_DIGITS = 40
_FNV_OFFSET, _FNV_PRIME, _WORD = 0xCBF29CE484222325, 0x100000001B3, 2**64 - 1


@native("type_of")
def type_of(value: object = None) -> str:
    """Return the name of the type of a value."""
    return type_name(value)


@native("to_string")
def to_string(value: object = None) -> str:
    """Return the display text of a value."""
    return display(value)


@native("str")
def to_str(value: object = None) -> str:
    """Return the display text of a value."""
    return display(value)


def _int_of_float(value: float) -> int:
    if value != value:  # noqa: PLR0124 - NaN
        return 0
    if value >= _MAX_INT:
        return _MAX_INT
    return _MIN_INT if value <= _MIN_INT else int(value)


def _int_of_text(text: str) -> int | None:
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not (digits.isascii() and digits.isdigit()):
        return None
    digits = digits.lstrip("0") or "0"
    if len(digits) > _INT_DIGITS:
        return None
    number = -int(digits) if text[0] == "-" else int(digits)
    return number if _MIN_INT <= number <= _MAX_INT else None


_TO_INT: dict[type, Callable[[Any], int | None]] = {
    int: lambda value: value,
    float: _int_of_float,
    str: _int_of_text,
}


@native("to_int")
def to_int(value: object = None) -> int | None:
    """Return the value as an int, or nil if it cannot be converted."""
    convert = _TO_INT.get(value.__class__)
    return convert(value) if convert is not None else None


def _float_of_text(text: str) -> float | None:
    if not text.isascii() or "_" in text or text != text.strip() or "\0" in text:
        return None
    try:
        return float(text)
    except ValueError:
        return None


_TO_FLOAT: dict[type, Callable[[Any], float | None]] = {
    int: float,
    float: lambda value: value,
    str: _float_of_text,
}


@native("to_float")
def to_float(value: object = None) -> float | None:
    """Return the value as a float, or nil if it cannot be converted."""
    convert = _TO_FLOAT.get(value.__class__)
    return convert(value) if convert is not None else None


@native("to_list")
def to_list(value: object = None) -> list[object]:
    """Return the items of a set, a list unchanged, or a list that contains only the value."""
    if value.__class__ is HarnSet:
        return value.items
    return value if value.__class__ is list else [value]


_LENGTHS: dict[type, Callable[[Any], int]] = {
    str: len,
    bytes: len,
    list: len,
    dict: len,
    HarnSet: len,
    Range: lambda value: wrap(value.size),
}


@native("len")
def length(value: object = None) -> int:
    """Return the number of items or characters; 0 for a value that has no length."""
    measure = _LENGTHS.get(value.__class__)
    return measure(value) if measure is not None else 0


@native("keys")
def keys(value: object = None) -> list[object]:
    """Return the keys of a dict, sorted."""
    return [*sorted(value)] if value.__class__ is dict else []


@native("values")
def values(value: object = None) -> list[object]:
    """Return the values of a dict in the order of their keys."""
    return [value[key] for key in sorted(value)] if value.__class__ is dict else []


@native("entries")
def entries(value: object = None) -> list[object]:
    """Return the entries of a dict in the order of their keys."""
    return list(iterate(value)) if value.__class__ is dict else []


# Results


@native("Ok")
def make_ok(value: object = None) -> EnumValue:
    """Return a Result that holds a value."""
    return ok(value)


@native("Err")
def make_err(value: object = None) -> EnumValue:
    """Return a Result that holds an error."""
    return err(value)


def _is_result(value: object, variant: str) -> bool:
    return isinstance(value, EnumValue) and value.enum == "Result" and value.variant == variant


def _payload(value: Any) -> object:  # noqa: ANN401 - `_is_result` has checked that it is an EnumValue
    return value.fields[0] if value.fields else None


@native("is_ok")
def is_ok(result: object = None) -> bool:
    """Return whether this is a Result that holds a value."""
    return _is_result(result, "Ok")


@native("is_err")
def is_err(result: object = None) -> bool:
    """Return whether this is a Result that holds an error."""
    return _is_result(result, "Err")


@native("unwrap")
def unwrap(result: object = None) -> object:
    """Return the value of a Result; throw if it holds an error."""
    if _is_result(result, "Err"):
        raise runtime_error(f"unwrap called on Err: {display(_payload(result))}")
    return _payload(result) if _is_result(result, "Ok") else result


@native("unwrap_or")
def unwrap_or(result: object = None, default: object = None) -> object:
    """Return the value of a Result, or the default if it holds an error."""
    if _is_result(result, "Err"):
        return default
    return _payload(result) if _is_result(result, "Ok") else result


@native("unwrap_err")
def unwrap_err(result: object = None) -> object:
    """Return the error of a Result; throw if it holds a value."""
    if _is_result(result, "Err"):
        return _payload(result)
    raise runtime_error("unwrap_err called on non-Err")


@native("unreachable")
def unreachable(value: object = MISSING) -> None:
    """Throw because the script has reached code that it considers unreachable."""
    detail = "" if value is MISSING else f": {display(value)}"
    raise runtime_error(f"unreachable code was reached{detail}")


# Identity


@native("is_same")
def same(left: object = None, right: object = None) -> bool:
    """Return whether two values are the same object."""
    return is_same(left, right)


_ADDRESSED = frozenset({"list", "dict", "set", "closure", "string", "bytes"})
_KEPT = 256


def _make_kept() -> deque[object]:
    return deque((), _KEPT)


@native("addr_of")
def addr_of(run: Execution, value: object = None) -> str:
    """Return a key that identifies a value."""
    kind = type_name(value)
    if kind in _ADDRESSED:
        # The address of a freed value can be used again, so the most recent values are kept alive for a while.
        run.state("addressed", _make_kept).append(value)
        return f"{kind}@{id(value):#x}"
    return f"{kind}@{value.name if isinstance(value, Native) else display(value)}"


@native("hash_value")
def hash_value(value: object = None) -> int:
    """Return a hash of the structure of a value."""
    code, data = _FNV_OFFSET, key_text(value).encode("utf-8", "surrogatepass")
    for octet in polled(data):
        code = ((code ^ octet) * _FNV_PRIME) & _WORD
    return wrap(code)


@native("range")
def make_range(*bounds: object) -> Range:
    """Return the range from 0 or the first bound up to, but not including, the last bound."""
    if len(bounds) == 1:
        if bounds[0].__class__ is not int:
            raise type_error("range(n): expected integer argument")
        return Range(0, bounds[0], exclusive=True)
    if len(bounds) != 2:  # noqa: PLR2004 - low and high
        raise type_error(f"range expects 1 or 2 integer arguments, got {len(bounds)}")
    if bounds[0].__class__ is not int or bounds[1].__class__ is not int:
        raise type_error("range(a, b): expected integer arguments")
    return Range(bounds[0], bounds[1], exclusive=True)
