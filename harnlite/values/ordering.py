"""Sorting, minimum and maximum in the order of the language."""

from __future__ import annotations

from harnlite.values.interrupts import BUILTINS, poll_here
from harnlite.values.iteration import polled
from harnlite.values.operators import less

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

# For lists of a single class among these, Python's order is the order of the language.
_NATURAL: frozenset[type] = frozenset({int, str, float})


class _Ordered:
    """A wrapper that makes Python's sort use the order of the language."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value

    def __lt__(self, other: _Ordered) -> bool:
        if BUILTINS["_hintr"]:
            poll_here()
        return less(self.value, other.value)


def _are_natural(values: list[Any]) -> bool:
    """Return whether Python's order of the values is that of the language."""
    return len({*map(type, values)}) == 1 and values[0].__class__ in _NATURAL


def sorted_list(items: list[Any]) -> list[object]:
    """Return the items in ascending order; the sort is stable."""
    if _are_natural(items):
        return sorted(items)
    return sorted(items, key=_Ordered)


def sorted_by(items: list[object], keys: list[Any]) -> list[object]:
    """Return the items in ascending order of their keys; the sort is stable."""
    if not _are_natural(keys):
        keys = list(map(_Ordered, keys))
    return list(map(items.__getitem__, sorted(range(len(items)), key=keys.__getitem__)))


def place_of_least(values: Sequence[object]) -> int:
    """Return the index of the first least value."""
    return _place(values, less)


def place_of_greatest(values: Sequence[object]) -> int:
    """Return the index of the first greatest value."""
    return _place(values, lambda left, right: less(right, left))


def _place(values: Sequence[object], beats: Callable[[object, object], bool]) -> int:
    best = 0
    for index in polled(range(1, len(values))):
        if beats(values[index], values[best]):
            best = index
    return best


def least(values: list[Any]) -> object:
    """Return the first least value, or nil if there are no values."""
    if _are_natural(values):
        return min(values)
    return values[place_of_least(values)] if values else None


def greatest(values: list[Any]) -> object:
    """Return the first greatest value, or nil if there are no values."""
    if _are_natural(values):
        return max(values)
    return values[place_of_greatest(values)] if values else None
