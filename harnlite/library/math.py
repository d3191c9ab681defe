"""Builtins for numbers: rounding, powers, trigonometry, logarithms and statistics."""

from __future__ import annotations

import math

from harnlite.library.native import native
from harnlite.values.errors import runtime_error, type_error
from harnlite.values.operators import truthy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_MIN_INT, _MAX_INT = -(2**63), 2**63 - 1
_MAX_EXPONENT = 2**32 - 1
_INT_BITS = 64
_HALF = 0.5
_NAN, _INF = math.nan, math.inf


def _number(value: object) -> float | None:
    return float(value) if value.__class__ is int or value.__class__ is float else None


@native("abs")
def absolute(number: object = None) -> int | float | None:
    """Return the absolute value of a number."""
    if number.__class__ is int:
        return -float(number) if number == _MIN_INT else abs(number)
    return math.fabs(number) if number.__class__ is float else None


@native("min")
def minimum(left: object = None, right: object = None) -> int | float | None:
    """Return the smaller of two numbers."""
    if left.__class__ is int is right.__class__:
        return min(left, right)
    a, b = _number(left), _number(right)
    if a is None or b is None:
        return None
    if math.isnan(a) or math.isnan(b):
        return b if math.isnan(a) else a
    return min(a, b)


@native("max")
def maximum(left: object = None, right: object = None) -> int | float | None:
    """Return the larger of two numbers."""
    if left.__class__ is int is right.__class__:
        return max(left, right)
    a, b = _number(left), _number(right)
    if a is None or b is None:
        return None
    if math.isnan(a) or math.isnan(b):
        return b if math.isnan(a) else a
    return max(a, b)


def _whole(value: object, rounded: Callable[[float], int]) -> int | None:
    if value.__class__ is int:
        return value
    if value.__class__ is not float:
        return None
    if not math.isfinite(value):
        raise runtime_error("cannot convert non-finite float to int")
    result = rounded(value)
    if not _MIN_INT <= result <= _MAX_INT:
        raise runtime_error("float is outside the representable int range")
    return result


def _half_away(value: float) -> int:
    whole = math.trunc(value)
    if abs(value - whole) < _HALF:
        return whole
    return whole + (1 if value > 0 else -1)


@native("floor")
def floor(number: object = None) -> int | None:
    """Round a number down to an int."""
    return _whole(number, math.floor)


@native("ceil")
def ceil(number: object = None) -> int | None:
    """Round a number up to an int."""
    return _whole(number, math.ceil)


@native("round")
def round_half_away(number: object = None) -> int | None:
    """Round a number to the nearest int, with halves away from zero."""
    return _whole(number, _half_away)


@native("pow")
def power(base: object = None, exponent: object = None) -> int | float | None:
    """Raise a number to a power."""
    if base.__class__ is int is exponent.__class__ and 0 <= exponent <= _MAX_EXPONENT:
        result = _int_power(base, exponent)
        if result is not None:
            return result
    a, b = _number(base), _number(exponent)
    return None if a is None or b is None else _float_power(a, b)


def _int_power(base: int, exponent: int) -> int | None:
    """Return the power, or None if it does not fit in 64 bits."""
    if base in (0, 1, -1):
        return base if exponent % 2 else base * base if exponent else 1
    if exponent >= _INT_BITS:
        return None
    result: int = base**exponent
    return result if _MIN_INT <= result <= _MAX_INT else None


def _float_power(base: float, exponent: float) -> float:
    negative = math.copysign(1.0, base) < 0 and exponent % 2 == 1
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return -_INF if negative else _INF
    except ValueError:
        if base != 0:
            return _NAN
        return -_INF if negative else _INF


def _apply(value: object, function: Callable[[float], float]) -> float | None:
    number = _number(value)
    if number is None:
        return None
    try:
        return function(number)
    except ValueError:
        return _NAN
    except OverflowError:
        return _INF


def _apply_log(value: object, function: Callable[[float], float]) -> float | None:
    return -_INF if _number(value) == 0 else _apply(value, function)


@native("sqrt")
def sqrt(number: object = None) -> float | None:
    """Return the square root; NaN for a negative number."""
    return _apply(number, math.sqrt)


@native("sin")
def sin(angle: object = None) -> float | None:
    """Return the sine of an angle in radians."""
    return _apply(angle, math.sin)


@native("cos")
def cos(angle: object = None) -> float | None:
    """Return the cosine of an angle in radians."""
    return _apply(angle, math.cos)


@native("tan")
def tan(angle: object = None) -> float | None:
    """Return the tangent of an angle in radians."""
    return _apply(angle, math.tan)


@native("asin")
def asin(number: object = None) -> float | None:
    """Return the angle with this sine."""
    return _apply(number, math.asin)


@native("acos")
def acos(number: object = None) -> float | None:
    """Return the angle with this cosine."""
    return _apply(number, math.acos)


@native("atan")
def atan(number: object = None) -> float | None:
    """Return the angle with this tangent."""
    return _apply(number, math.atan)


@native("atan2")
def atan2(y: object = None, x: object = None) -> float | None:
    """Return the angle of the point (x, y)."""
    a, b = _number(y), _number(x)
    return None if a is None or b is None else math.atan2(a, b)


@native("ln")
def ln(number: object = None) -> float | None:
    """Return the natural logarithm."""
    return _apply_log(number, math.log)


@native("log2")
def log2(number: object = None) -> float | None:
    """Return the logarithm to base 2."""
    return _apply_log(number, math.log2)


@native("log10")
def log10(number: object = None) -> float | None:
    """Return the logarithm to base 10."""
    return _apply_log(number, math.log10)


@native("exp")
def exp(number: object = None) -> float | None:
    """Return e to the power of a number."""
    return _apply(number, math.exp)


@native("sign")
def sign(number: object = None) -> int | float | None:
    """Return -1, 0 or 1; NaN for NaN."""
    if number.__class__ is not int and number.__class__ is not float:
        return None
    if number != number:  # noqa: PLR0124 - only NaN differs from itself
        return _NAN
    return (number > 0) - (number < 0)


@native("is_nan")
def is_nan(number: object = None) -> bool:
    """Return whether a value is the float NaN."""
    return number.__class__ is float and math.isnan(number)


@native("is_infinite")
def is_infinite(number: object = None) -> bool:
    """Return whether a value is an infinite float."""
    return number.__class__ is float and math.isinf(number)


# Statistics


def _items(name: str, values: object) -> list[float]:
    if values.__class__ is not list:
        raise type_error(f"{name}: items must be a list")
    return [_numeric(name, value) for value in values]


def _nonempty_items(name: str, values: object) -> list[float]:
    items = _items(name, values)
    if not items:
        raise runtime_error(f"{name}: items must not be empty")
    return items


def _numeric(name: str, value: object) -> float:
    if value.__class__ is not int and value.__class__ is not float:
        raise type_error(f"{name} must be numeric")
    return float(value)


def _mean(items: list[float]) -> float:
    total = 0.0
    for item in items:
        total += item
    return total / len(items)


@native("mean")
def mean(items: object = None) -> float:
    """Return the average of a list of numbers; 0.0 for an empty list."""
    numbers = _items("mean", items)
    return _mean(numbers) if numbers else 0.0


@native("median")
def median(items: object = None) -> float:
    """Return the median of a list of numbers: the middle one, or the average of the two in the middle."""
    numbers = sorted(_nonempty_items("median", items))
    middle = len(numbers) // 2
    return numbers[middle] if len(numbers) % 2 else (numbers[middle - 1] + numbers[middle]) / 2.0


def _variance(name: str, items: object, sample: object) -> float:
    numbers = _nonempty_items(name, items)
    count = len(numbers)
    if truthy(sample):
        count -= 1
        if count < 1:
            raise runtime_error("sample variance requires at least 2 values")
    center, total = _mean(numbers), 0.0
    for number in numbers:
        total += (number - center) * (number - center)
    return total / count


@native("variance")
def variance(items: object = None, sample: object = False) -> float:  # noqa: FBT002 - positional in the language
    """Return the variance of a list of numbers."""
    return _variance("variance", items, sample)


@native("stddev")
def stddev(items: object = None, sample: object = False) -> float:  # noqa: FBT002
    """Return the standard deviation of a list of numbers."""
    return math.sqrt(_variance("stddev", items, sample))


@native("percentile")
def percentile(items: object = None, percent: object = None) -> float:
    """Return the number below which a given percentage of a list lies, by linear interpolation."""
    numbers = sorted(_nonempty_items("percentile", items))
    share = _numeric("percentile", percent)
    if not 0 <= share <= 100:  # noqa: PLR2004 - percent
        raise runtime_error("percentile must be between 0 and 100")
    rank = 1.0 + (len(numbers) - 1) * share / 100.0
    low = int(rank)
    if low >= len(numbers):
        return numbers[-1]
    return numbers[low - 1] + (numbers[low] - numbers[low - 1]) * (rank - low)
