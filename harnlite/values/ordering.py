"""Sorting and extremes under the order of the language."""

from __future__ import annotations

from harnlite.values.operators import less

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

# Values of one of these classes are ordered by Python as the language orders them.
_NATURAL: tuple[frozenset[type], ...] = (frozenset({int}), frozenset({str}), frozenset({float}))


class _Ordered:
    """A value that Python's sort compares by the order of the language."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value

    def __lt__(self, other: _Ordered) -> bool:
        return less(self.value, other.value)


def sorted_list(items: list[Any]) -> list[object]:
    """Return the items in ascending order; equal ones keep their places."""
    if set(map(type, items)) in _NATURAL:
        return sorted(items)
    return sorted(items, key=_Ordered)


def sorted_by(items: list[object], keys: list[Any]) -> list[object]:
    """Return the items in ascending order of their keys; equal ones keep their places."""
    if set(map(type, keys)) not in _NATURAL:
        keys = list(map(_Ordered, keys))
    return list(map(items.__getitem__, sorted(range(len(items)), key=keys.__getitem__)))


def place_of_least(values: Sequence[object]) -> int:
    """Return the index of the least value, the first of equals."""
    return _place(values, less)


def place_of_greatest(values: Sequence[object]) -> int:
    """Return the index of the greatest value, the first of equals."""
    return _place(values, lambda left, right: less(right, left))


def _place(values: Sequence[object], beats: Callable[[object, object], bool]) -> int:
    best = 0
    for index in range(1, len(values)):
        if beats(values[index], values[best]):
            best = index
    return best


def least(values: list[Any]) -> object:
    """Return the least value, the first of equals; nil of none."""
    if set(map(type, values)) in _NATURAL:
        return min(values)
    return values[place_of_least(values)] if values else None


def greatest(values: list[Any]) -> object:
    """Return the greatest value, the first of equals; nil of none."""
    if set(map(type, values)) in _NATURAL:
        return max(values)
    return values[place_of_greatest(values)] if values else None
