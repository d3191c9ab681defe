"""The values of number literals."""

from __future__ import annotations

from harnlite.syntax.tokens import DURATION_UNITS

_LARGEST = 2**63 - 1
_SAFE_DIGITS = 18
_EXACT_DIGITS = 64  # 10**64 is a multiple of 2**64, so wrapping removes higher digits
_PREFIXES = frozenset(("0x", "0b"))


def integer_value(text: str) -> int | float:
    """Return the value of an int literal, as a float if it does not fit in 64 bits."""
    digits = text.replace("_", "")
    if len(digits) <= _SAFE_DIGITS and digits.isdecimal():
        return int(digits)
    if digits[:2] in _PREFIXES:
        value = int(digits, 0)
        return value if value <= _LARGEST else _as_float(value)
    significant = digits.lstrip("0")
    if len(significant) <= len(str(_LARGEST)):
        value = int(significant or "0")
        if value <= _LARGEST:
            return value
    return float(digits)


def _as_float(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf")


def float_value(text: str) -> float:
    """Return the value of a float literal."""
    return float(text.replace("_", ""))


def duration_value(text: str) -> int:
    """Return the milliseconds of a duration literal, wrapped to 64 bits like all arithmetic."""
    unit = text.lstrip("0123456789_")
    digits = text[: -len(unit)].replace("_", "")
    amount = int(digits[-_EXACT_DIGITS:]) * DURATION_UNITS[unit]
    return (amount + _LARGEST + 1) % (2 * (_LARGEST + 1)) - _LARGEST - 1
