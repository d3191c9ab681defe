"""Complete implementations of the operators; compiled code calls them where its inline guards do not apply."""

from __future__ import annotations

from harnlite.values.data_types import Duration, Pair, Range, type_name
from harnlite.values.display import display
from harnlite.values.equality import compare, equal, position_in
from harnlite.values.errors import ScriptError, runtime_error, type_error
from harnlite.values.sets import HarnSet
from harnlite.values.size_limits import check_items, check_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    Table: TypeAlias = dict[tuple[type, type], Callable[[Any, Any], object]]

__all__ = [
    "add",
    "contains",
    "divide",
    "equal",
    "greater",
    "greater_equal",
    "less",
    "less_equal",
    "modulo",
    "multiply",
    "negate",
    "power",
    "subtract",
    "truthy",
    "wrap",
]

_HALF = 1 << 63
_MASK = (1 << 64) - 1
_MAX_EXPONENT = 2**32 - 1

truthy = bool


def wrap(number: int) -> int:
    """Wrap an int to 64 bits."""
    return number if -_HALF <= number < _HALF else ((number + _HALF) & _MASK) - _HALF


def _on_floats(operation: Callable[[float, float], object]) -> Table:
    """Return the table entries for two numbers, at least one of which is a float."""

    def mixed(left: float, right: float) -> object:
        return operation(float(left), float(right))

    return {(float, float): operation, (int, float): mixed, (float, int): mixed}


# Addition


def _join_strings(left: str, right: str) -> str:
    check_size(len(left) + len(right))
    return left + right


def _join_lists(left: list[object], right: list[object]) -> list[object]:
    check_items(len(left) + len(right))
    return left + right


_REGISTRY = "tool_registry"


def _join_dicts(left: dict[str, Any], right: dict[str, Any]) -> dict[str, Any]:
    if "_type" in left and _is_registry(left) and _is_registry(right):
        return {**left, **right, "tools": _join_tools(left["tools"], right["tools"])}
    return {**left, **right}


def _is_registry(value: dict[str, Any]) -> bool:
    return value.get("_type") == _REGISTRY and value.get("tools").__class__ is list


def _join_tools(left: list[Any], right: list[Any]) -> list[Any]:
    """Return the tools of two registries; throw if both have a tool of the same name."""
    names = {tool["name"] for tool in left if tool.__class__ is dict and tool.get("name").__class__ is str}
    for tool in right:
        name = tool.get("name") if tool.__class__ is dict else None
        if name.__class__ is str and name in names:
            wrong = f"Cannot add two tool registries that both have a tool `{name}`"
            raise runtime_error(f"{wrong}; remove one of them with tool_remove")
    return left + right


_ADD: Table = {
    **_on_floats(lambda left, right: left + right),
    (int, int): lambda left, right: wrap(left + right),
    (str, str): _join_strings,
    (list, list): _join_lists,
    (dict, dict): _join_dicts,
    (Duration, Duration): lambda left, right: Duration(wrap(left.ms + right.ms)),
}


def add(left: object, right: object) -> object:
    """Return left + right."""
    if left.__class__ is right.__class__ is float:
        return left + right
    operation = _ADD.get((left.__class__, right.__class__))
    if operation is None:
        raise type_error(f"Cannot add {type_name(left)} and {type_name(right)}")
    return operation(left, right)


_SUBTRACT: Table = {
    **_on_floats(lambda left, right: left - right),
    (int, int): lambda left, right: wrap(left - right),
    (Duration, Duration): lambda left, right: Duration(wrap(left.ms - right.ms)),
}


def subtract(left: object, right: object) -> object:
    """Return left - right."""
    if left.__class__ is right.__class__ is float:
        return left - right
    operation = _SUBTRACT.get((left.__class__, right.__class__))
    if operation is None:
        raise type_error(f"Cannot subtract {type_name(right)} from {type_name(left)}")
    return operation(left, right)


def _repeat(text: str, count: int) -> str:
    check_size(len(text) * count)
    return text * count


_MULTIPLY: Table = {
    **_on_floats(lambda left, right: left * right),
    (int, int): lambda left, right: wrap(left * right),
    (str, int): _repeat,
    (int, str): lambda left, right: _repeat(right, left),
    (Duration, int): lambda left, right: Duration(wrap(left.ms * right)),
    (int, Duration): lambda left, right: Duration(wrap(left * right.ms)),
}


def multiply(left: object, right: object) -> object:
    """Return left * right."""
    if left.__class__ is right.__class__ is float:
        return left * right
    operation = _MULTIPLY.get((left.__class__, right.__class__))
    if operation is None:
        raise type_error(f"Cannot multiply {type_name(left)} and {type_name(right)}")
    return operation(left, right)


# Division


def _divide_ints(left: int, right: int) -> int:
    if right == 0:
        raise ScriptError("Division by zero")
    if (left < 0) is (right < 0):
        return wrap(left // right)
    return -(-left // right)


def _is_negative(number: float) -> bool:
    return repr(number)[0] == "-"


def _divide_floats(left: float, right: float) -> float:
    try:
        return left / right
    except ZeroDivisionError:
        if left == 0 or left != left:  # noqa: PLR0124 - NaN
            return float("nan")
        return float("-inf") if _is_negative(left) is not _is_negative(right) else float("inf")


_DIVIDE: Table = {**_on_floats(_divide_floats), (int, int): _divide_ints}


def divide(left: object, right: object) -> object:
    """Return left / right; ints truncate toward zero."""
    operation = _DIVIDE.get((left.__class__, right.__class__))
    if operation is None:
        raise runtime_error(f"Cannot divide {type_name(left)} by {type_name(right)}")
    return operation(left, right)


def _modulo_ints(left: int, right: int) -> int:
    if right == 0:
        raise ScriptError("Division by zero")
    rest = abs(left) % abs(right)
    return -rest if left < 0 else rest


def _modulo_floats(left: float, right: float) -> float:
    if right == 0:
        raise ScriptError("Division by zero")
    rest = abs(left) % abs(right)
    return -rest if left < 0 or (left == 0 and _is_negative(left)) else rest


_MODULO: Table = {**_on_floats(_modulo_floats), (int, int): _modulo_ints}


def modulo(left: object, right: object) -> object:
    """Return left % right; the result has the sign of the left operand."""
    operation = _MODULO.get((left.__class__, right.__class__))
    if operation is None:
        raise runtime_error(f"Cannot modulo {type_name(left)} by {type_name(right)}")
    return operation(left, right)


# Power


def float_power(base: float, exponent: float) -> float:
    """Return the power as IEEE 754 defines it: infinity or NaN where Python raises."""
    if float("-inf") < base < 0 and exponent % 1 > 0:
        return float("nan")
    try:
        power: float = base**exponent
    except (OverflowError, ZeroDivisionError):
        return float("-inf") if _is_negative(base) and exponent % 2 == 1 else float("inf")
    return power


def _power_ints(base: int, exponent: int) -> float:
    if 0 <= exponent <= _MAX_EXPONENT:
        return wrap(pow(base, exponent, _MASK + 1))
    return float_power(float(base), float(exponent))


_POWER: Table = {**_on_floats(float_power), (int, int): _power_ints}


def power(left: object, right: object) -> object:
    """Return left ** right; ints wrap."""
    operation = _POWER.get((left.__class__, right.__class__))
    if operation is None:
        raise type_error(f"Cannot exponentiate {type_name(left)} by {type_name(right)}")
    return operation(left, right)


_NEGATE: dict[type, Callable[[Any], object]] = {
    int: lambda value: wrap(-value),
    float: lambda value: -value,
    Duration: lambda value: Duration(wrap(-value.ms)),
}


def negate(value: object) -> object:
    """Return -value."""
    operation = _NEGATE.get(value.__class__)
    if operation is None:
        raise runtime_error(f"Cannot negate value of type {type_name(value)}")
    return operation(value)


# Order


_LESS: Table = {
    **_on_floats(lambda left, right: left < right),
    (int, int): lambda left, right: left < right,
    (str, str): lambda left, right: left < right,
    (Duration, Duration): lambda left, right: left.ms < right.ms,
    (Pair, Pair): lambda left, right: compare(left, right) < 0,
}

_LESS_EQUAL: Table = {
    **_on_floats(lambda left, right: left <= right),
    (int, int): lambda left, right: left <= right,
    (str, str): lambda left, right: left <= right,
    (Duration, Duration): lambda left, right: left.ms <= right.ms,
    (Pair, Pair): lambda left, right: compare(left, right) <= 0,
}


def less(left: object, right: object) -> bool:
    """Return left < right; false for values without an order."""
    operation = _LESS.get((left.__class__, right.__class__))
    return operation is not None and operation(left, right) is True


def less_equal(left: object, right: object) -> bool:
    """Return left <= right; values without an order compare as equal."""
    operation = _LESS_EQUAL.get((left.__class__, right.__class__))
    return operation is None or operation(left, right) is True


def greater(left: object, right: object) -> bool:
    """Return left > right."""
    return less(right, left)


def greater_equal(left: object, right: object) -> bool:
    """Return left >= right."""
    return less_equal(right, left)


# Membership


def _in_range(container: Range, value: object) -> bool:
    return value.__class__ is int and value in container.ints


_HOLDS: dict[type, Callable[[Any, object], bool]] = {
    list: lambda container, value: position_in(container, value) >= 0,
    dict: lambda container, value: display(value) in container,
    str: lambda container, value: display(value) in container,
    HarnSet: lambda container, value: container.holds(value),
    Range: _in_range,
}


def contains(value: object, container: object) -> bool:
    """Return `value in container`; the arguments are in the order of the operands."""
    holds = _HOLDS.get(container.__class__)
    return holds is not None and holds(container, value)
