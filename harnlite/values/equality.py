"""Equality, identity and order of values, and the hashable keys that represent values in an index."""

from __future__ import annotations

from types import FunctionType

from harnlite.values.data_types import Duration, EnumValue, Native, Pair, Range, Struct, StructType, type_name
from harnlite.values.display import display
from harnlite.values.interrupts import BUILTINS, poll_here
from harnlite.values.iteration import iterate
from harnlite.values.size_limits import join_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable
    from typing import Any

_NEVER_EQUAL = frozenset({"channel", "generator", "stream"})
_PLAIN = frozenset({str, int, bool, float, type(None), bytes})
_EXACT = 2**53


def equal(left: object, right: object) -> bool:
    """Return whether two values are equal (`==`)."""
    kind = left.__class__
    if kind is right.__class__:
        if kind in _PLAIN:
            return left == right
        same = _SAME.get(kind)
        return same(left, right) if same is not None else _handles_equal(left, right)
    if (kind is int and right.__class__ is float) or (kind is float and right.__class__ is int):
        return float(left) == float(right)  # type: ignore[arg-type]  # `kind` is read once: this is a hot path
    return False


def _lists_equal(left: list[object], right: list[object]) -> bool:
    if len(left) != len(right):
        return False
    if BUILTINS["_hintr"]:
        poll_here()
    for a, b in zip(left, right, strict=True):
        if a.__class__ is b.__class__ and a.__class__ in _PLAIN:
            if a != b:
                return False
        elif not equal(a, b):
            return False
    return True


def _dicts_equal(left: dict[str, object], right: dict[str, object]) -> bool:
    if left.keys() != right.keys():
        return False
    if BUILTINS["_hintr"]:
        poll_here()
    for key, a in left.items():
        b = right[key]
        if a.__class__ is b.__class__ and a.__class__ in _PLAIN:
            if a != b:
                return False
        elif not equal(a, b):
            return False
    return True


def _structs_equal(left: Struct, right: Struct) -> bool:
    return left.type.name == right.type.name and _dicts_equal(left.fields, right.fields)


def _enums_equal(left: EnumValue, right: EnumValue) -> bool:
    return (
        left.variant == right.variant
        and left.enum == right.enum
        and _lists_equal(list(left.fields), list(right.fields))
    )


def _pairs_equal(left: Pair, right: Pair) -> bool:
    if BUILTINS["_hintr"]:
        poll_here()
    return equal(left.first, right.first) and equal(left.second, right.second)


def _handles_equal(left: Any, right: Any) -> bool:  # noqa: ANN401 - any value class
    same: Callable[[object], bool] | None = getattr(left, "harn_equals", None)
    if same is not None:
        return same(right)
    return left is right and left.harn_type not in _NEVER_EQUAL


_SAME: dict[type, Callable[[Any, Any], bool]] = {
    list: _lists_equal,
    dict: _dicts_equal,
    Struct: _structs_equal,
    EnumValue: _enums_equal,
    Pair: _pairs_equal,
    Range: lambda left, right: (left.low, left.high, left.exclusive) == (right.low, right.high, right.exclusive),
    Duration: lambda left, right: left.ms == right.ms,
    Native: lambda left, right: left.name == right.name,
    FunctionType: lambda _left, _right: False,
    StructType: lambda _left, _right: False,
}


def position_in(items: list[object], value: object) -> int:
    """Return the index of the first item that equals a value, or -1."""
    kind = value.__class__
    if kind is str or value is None or (kind is int and 1 < value < _EXACT):  # type: ignore[operator]  # `kind` is read once: this is a hot path
        try:
            return items.index(value)
        except ValueError:
            return -1
    for index, item in enumerate(items):
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


def _compare_pairs(left: Pair, right: Pair) -> int:
    return compare(left.first, right.first) or compare(left.second, right.second)


_ORDERS: dict[type, Callable[[Any, Any], int]] = {
    str: lambda left, right: (left > right) - (left < right),
    Pair: _compare_pairs,
    Duration: lambda left, right: (left.ms > right.ms) - (left.ms < right.ms),
}


# The structural key: builtins use it to find duplicates. Strings, ints, bytes and nil are their own keys.


def structural_key(value: object) -> Hashable:
    """Return a hashable key; two values with the same structure have the same key. 1 and 1.0 have different keys."""
    make = _STRUCTURAL.get(value.__class__)
    if make is not None:
        return make(value)
    name = type_name(value)
    if name == "set":
        return ("S", frozenset([structural_key(item) for item in iterate(value)]))
    return ("o", name, display(value))


def _list_key(items: list[object]) -> Hashable:
    if BUILTINS["_hintr"]:
        poll_here()
    return ("L", *[structural_key(item) for item in items])


def _dict_key(entries: dict[str, object]) -> Hashable:
    if BUILTINS["_hintr"]:
        poll_here()
    return ("D", *[(key, structural_key(entries[key])) for key in sorted(entries)])


def _itself(value: Hashable) -> Hashable:
    return value


_STRUCTURAL: dict[type, Callable[[Any], Hashable]] = {
    str: _itself,
    int: _itself,
    bytes: _itself,
    type(None): _itself,
    bool: lambda value: ("T",) if value else ("F",),
    float: lambda value: ("f", value.hex()),
    Duration: lambda value: ("d", value.ms),
    list: _list_key,
    dict: _dict_key,
}

_SELF_KEYED: tuple[frozenset[type], ...] = (frozenset({str}), frozenset({int}))


def distinct(items: list[object]) -> list[object]:
    """Return the items without those whose structural key occurred earlier."""
    if set(map(type, items)) in _SELF_KEYED:
        return list(dict.fromkeys(items))
    found: dict[Hashable, object] = {}
    for item in items:
        found.setdefault(structural_key(item), item)
    return list(found.values())


def key_text(value: object) -> str:
    """Return the structural key as the text that `hash_value` hashes."""
    make = _KEY_TEXTS.get(value.__class__)
    if make is not None:
        return make(value)
    name = type_name(value)
    if name == "set":
        inner = sorted([key_text(item) for item in iterate(value)])
        return f"S{join_texts([f'{key},' for key in inner], '')}}}"
    text = display(value)
    return f"o{_octets(name)}:{name}{_octets(text)}:{text}"


def _octets(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _float_text(value: float) -> str:
    import struct

    return f"f{struct.unpack('>Q', struct.pack('>d', value))[0]};"


def _list_text(items: list[object]) -> str:
    if BUILTINS["_hintr"]:
        poll_here()
    return f"L{join_texts([f'{key_text(item)},' for item in items], '')}]"


def _dict_text(entries: dict[str, object]) -> str:
    if BUILTINS["_hintr"]:
        poll_here()
    parts = [f"{_octets(key)}:{key}={key_text(entries[key])}," for key in sorted(entries)]
    return f"D{join_texts(parts, '')}}}"


_KEY_TEXTS: dict[type, Callable[[Any], str]] = {
    type(None): lambda _: "N",
    bool: lambda value: "T" if value else "F",
    int: lambda value: f"i{value};",
    float: _float_text,
    str: lambda value: f"s{_octets(value)}:{value}",
    bytes: lambda value: f"b{value.hex()};",
    Duration: lambda value: f"d{value.ms};",
    list: _list_text,
    dict: _dict_text,
}


# The equality key: two values have the same key if and only if they are equal. Not every value has one.


class _NoKey:
    __slots__ = ()


NO_KEY = _NoKey()


def equality_key(value: object) -> Hashable:
    """Return the hashable key of a value under `==`, or NO_KEY if the value has to be compared with `equal`."""
    make = _EQUALITY.get(value.__class__)
    return NO_KEY if make is None else make(value)


def _number_key(value: float) -> Hashable:
    return value if -_EXACT < value < _EXACT else NO_KEY


def _joined_key(tag: object, values: Iterable[object]) -> Hashable:
    if BUILTINS["_hintr"]:
        poll_here()
    keys = tuple([equality_key(value) for value in values])
    return NO_KEY if NO_KEY in keys else (tag, keys)


def _fields_key(tag: object, fields: dict[str, object]) -> Hashable:
    names = sorted(fields)
    return _joined_key((tag, *names), [fields[name] for name in names])


_EQUALITY: dict[type, Callable[[Any], Hashable]] = {
    str: _itself,
    bytes: _itself,
    type(None): _itself,
    int: _number_key,
    float: _number_key,
    bool: lambda value: ("T",) if value else ("F",),
    Duration: lambda value: ("d", value.ms),
    list: lambda value: _joined_key("L", value),
    dict: lambda value: _fields_key("D", value),
    Pair: lambda value: _joined_key("P", (value.first, value.second)),
    Struct: lambda value: _fields_key(("R", value.type.name), value.fields),
    EnumValue: lambda value: _joined_key(("E", value.enum, value.variant), value.fields),
}
