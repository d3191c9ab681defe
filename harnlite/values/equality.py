"""Equality, identity and order of values."""

from __future__ import annotations

from types import FunctionType

from harnlite.values.data_types import Duration, EnumValue, Native, Pair, Range, Struct, StructType, type_name
from harnlite.values.interrupts import BUILTINS, poll_here
from harnlite.values.iteration import POLL_FROM, polled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    Items: TypeAlias = list[object] | tuple[object, ...]
    Pairs: TypeAlias = set[tuple[int, int]]
    """The addresses of containers that are equal, so that containers with many references are compared once."""

_NEVER_EQUAL = frozenset({"channel", "generator", "stream"})
_PLAIN = frozenset({str, int, bool, float, type(None), bytes})
_EXACT = 2**53
_KEPT_FROM = 64


def equal(left: object, right: object) -> bool:
    """Return whether two values are equal (`==`)."""
    kind = left.__class__
    if kind is right.__class__:
        if kind in _PLAIN:
            return left == right
        return _SAME.get(kind, _handles_equal)(left, right, set()) != 0
    if (kind is int and right.__class__ is float) or (kind is float and right.__class__ is int):
        return float(left) == float(right)  # type: ignore[arg-type]  # `kind` is read once: this is a hot path
    return False


def _nested_equal(left: object, right: object, known: Pairs) -> int:
    """Return how many pairs of items were compared if two items of containers are equal, else 0."""
    kind = left.__class__
    if kind is right.__class__ and kind not in _PLAIN:
        return _SAME.get(kind, _handles_equal)(left, right, known)
    return equal(left, right)


def _lists_equal(left: Items, right: Items, known: Pairs) -> int:
    count = len(left)
    if count != len(right):
        return 0
    if BUILTINS["_hintr"]:
        poll_here()
    if known and (id(left), id(right)) in known:
        return 1
    count += 1
    for a, b in zip(polled(left), polled(right), strict=True) if count > POLL_FROM else zip(left, right, strict=True):
        if a.__class__ is b.__class__ and a.__class__ in _PLAIN:
            if a != b:
                return 0
        else:
            more = _nested_equal(a, b, known)
            if not more:
                return 0
            count += more
    if count > _KEPT_FROM:
        known.add((id(left), id(right)))
    return count


def _dicts_equal(left: dict[str, object], right: dict[str, object], known: Pairs) -> int:
    if left.keys() != right.keys():
        return 0
    if BUILTINS["_hintr"]:
        poll_here()
    if known and (id(left), id(right)) in known:
        return 1
    count = len(left) + 1
    for key, a in left.items():
        b = right[key]
        if a.__class__ is b.__class__ and a.__class__ in _PLAIN:
            if a != b:
                return 0
        else:
            more = _nested_equal(a, b, known)
            if not more:
                return 0
            count += more
    if count > _KEPT_FROM:
        known.add((id(left), id(right)))
    return count


def _structs_equal(left: Struct, right: Struct, known: Pairs) -> int:
    return _dicts_equal(left.fields, right.fields, known) if left.type.name == right.type.name else 0


def _enums_equal(left: EnumValue, right: EnumValue, known: Pairs) -> int:
    if left.variant != right.variant or left.enum != right.enum:
        return 0
    return _lists_equal(left.fields, right.fields, known)


def _pairs_equal(left: Pair, right: Pair, known: Pairs) -> int:
    if BUILTINS["_hintr"]:
        poll_here()
    if known and (id(left), id(right)) in known:
        return 1
    first = _nested_equal(left.first, right.first, known)
    second = first and _nested_equal(left.second, right.second, known)
    if not second:
        return 0
    if first + second > _KEPT_FROM:
        known.add((id(left), id(right)))
    return first + second + 1


def _handles_equal(left: Any, right: Any, _known: Pairs) -> bool:  # noqa: ANN401 - any value class
    same: Callable[[object], bool] | None = getattr(left, "harn_equals", None)
    if same is not None:
        return same(right)
    return left is right and left.harn_type not in _NEVER_EQUAL


_SAME: dict[type, Callable[[Any, Any, Pairs], int]] = {
    list: _lists_equal,
    dict: _dicts_equal,
    Struct: _structs_equal,
    EnumValue: _enums_equal,
    Pair: _pairs_equal,
    Range: lambda left, right, _: (left.low, left.high, left.exclusive) == (right.low, right.high, right.exclusive),
    Duration: lambda left, right, _: left.ms == right.ms,
    Native: lambda left, right, _: left.name == right.name,
    FunctionType: lambda _left, _right, _: False,
    StructType: lambda _left, _right, _: False,
}


def position_in(items: list[object], value: object) -> int:
    """Return the index of the first item that equals a value, or -1."""
    kind = value.__class__
    if kind is str or value is None or (kind is int and 1 < value < _EXACT):  # type: ignore[operator]  # `kind` is read once: this is a hot path
        try:
            return items.index(value)
        except ValueError:
            return -1
    for index, item in enumerate(polled(items)):
        if equal(item, value):
            return index
    return -1


_IDENTIFIED = frozenset({list, dict, FunctionType, StructType, Pair})


def is_same(left: object, right: object) -> bool:
    """Return whether two values are the same object; strings, bytes and scalars are compared by value."""
    kind = left.__class__
    if kind is not right.__class__:
        return False
    if kind in _IDENTIFIED or type_name(left) == "set":
        return left is right
    return left is right or equal(left, right)


def compare(left: object, right: object) -> int:
    """Return -1, 0 or 1 for the order of two values; values without an order compare as equal."""
    if (left.__class__ is int or left.__class__ is float) and (right.__class__ is int or right.__class__ is float):
        if left.__class__ is not right.__class__:
            left, right = float(left), float(right)
        return (left > right) - (left < right)
    if left.__class__ is not right.__class__:
        return 0
    order = _ORDERS.get(left.__class__)
    return order(left, right) if order is not None else 0


def _compare_pairs(left: Pair, right: Pair, known: Pairs | None = None) -> int:
    known = set() if known is None else known
    if BUILTINS["_hintr"]:
        poll_here()
    if (id(left), id(right)) in known:
        return 0
    for a, b in ((left.first, right.first), (left.second, right.second)):
        order = _compare_pairs(a, b, known) if a.__class__ is b.__class__ is Pair else compare(a, b)
        if order:
            return order
    known.add((id(left), id(right)))
    return 0


_ORDERS: dict[type, Callable[[Any, Any], int]] = {
    str: lambda left, right: (left > right) - (left < right),
    Pair: _compare_pairs,
    Duration: lambda left, right: (left.ms > right.ms) - (left.ms < right.ms),
}
