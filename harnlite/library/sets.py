"""Builtins for sets; items are compared by their structure."""

from __future__ import annotations

from harnlite.library.native import MISSING, native
from harnlite.values import sets
from harnlite.values.errors import thrown
from harnlite.values.sets import HarnSet, by_structure, set_of
from harnlite.values.size_limits import check_size


@native("set")
def make_set(*values: object) -> HarnSet:
    """Return a set of the values; lists and sets contribute their items."""
    found: list[object] = []
    for value in values:
        if isinstance(value, HarnSet):
            found += value.harn_iterate()
        elif value.__class__ is list:
            found += value
        else:
            found.append(value)
        check_size(len(found))
    return set_of(found)


def _set(name: str, value: object) -> HarnSet:
    if not isinstance(value, HarnSet):
        raise thrown(f"{name}: first argument must be a set")
    return value


def _both(name: str, left: object, right: object) -> tuple[HarnSet, HarnSet]:
    if not isinstance(left, HarnSet) or not isinstance(right, HarnSet):
        raise thrown(f"{name}: arguments must be sets")
    return left, right


@native("set_add")
def set_add(target: object = None, value: object = MISSING) -> HarnSet:
    """Return the set with an item added."""
    items = _set("set_add", target)
    if value is MISSING or items.holds_structure(value):
        return items
    return items.extended(value)


@native("set_remove")
def set_remove(target: object = None, value: object = MISSING) -> HarnSet:
    """Return the set without an item."""
    items = _set("set_remove", target)
    if value is MISSING:
        return items
    return sets.difference(items, HarnSet([value]), by_structure)


@native("set_contains")
def set_contains(target: object = None, value: object = None) -> bool:
    """Return whether the set contains an item."""
    return isinstance(target, HarnSet) and target.holds_structure(value)


@native("set_union")
def set_union(left: object = None, right: object = None) -> HarnSet:
    """Return the union of two sets."""
    return sets.union(*_both("set_union", left, right), by_structure)


@native("set_intersect")
def set_intersect(left: object = None, right: object = None) -> HarnSet:
    """Return the intersection of two sets."""
    return sets.intersection(*_both("set_intersect", left, right), by_structure)


@native("set_difference")
def set_difference(left: object = None, right: object = None) -> HarnSet:
    """Return the items of the first set that are not in the second."""
    return sets.difference(*_both("set_difference", left, right), by_structure)


@native("set_symmetric_difference")
def set_symmetric_difference(left: object = None, right: object = None) -> HarnSet:
    """Return the items that are in exactly one of two sets."""
    return sets.symmetric_difference(*_both("set_symmetric_difference", left, right), by_structure)


@native("set_is_subset")
def set_is_subset(left: object = None, right: object = None) -> bool:
    """Return whether all items of the first set are in the second."""
    return isinstance(left, HarnSet) and isinstance(right, HarnSet) and sets.is_subset(left, right, by_structure)


@native("set_is_superset")
def set_is_superset(left: object = None, right: object = None) -> bool:
    """Return whether all items of the second set are in the first."""
    return isinstance(left, HarnSet) and isinstance(right, HarnSet) and sets.is_subset(right, left, by_structure)


@native("set_is_disjoint")
def set_is_disjoint(left: object = None, right: object = None) -> bool:
    """Return whether two sets have no item in common."""
    if not isinstance(left, HarnSet) or not isinstance(right, HarnSet):
        return True
    return sets.is_disjoint(left, right, by_structure)
