"""The methods of sets; they compare items with `==`."""

from __future__ import annotations

from harnlite.runtime.methods.method_arguments import holds_for_all, holds_for_any, refuse
from harnlite.values import sets
from harnlite.values.data_types import CALLABLES, MISSING
from harnlite.values.iterators import iter_of
from harnlite.values.sets import HarnSet, by_equality, set_of_unequal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    Callback: TypeAlias = Callable[..., object]


def _count(items: HarnSet, *_: object) -> int:
    return len(items)


def _empty(items: HarnSet, *_: object) -> bool:
    return not items


def _contains(items: HarnSet, value: object = None, *_: object) -> bool:
    return items.holds(value)


def _add(items: HarnSet, value: object = MISSING, *_: object) -> HarnSet:
    if value is MISSING or items.holds(value):
        return items
    return items.extended(value)


def _remove(items: HarnSet, value: object = MISSING, *_: object) -> HarnSet:
    if value is MISSING:
        return items
    return sets.difference(items, HarnSet([value]), by_equality)


def _union(items: HarnSet, other: object = None, *_: object) -> HarnSet:
    return sets.union(items, other, by_equality) if isinstance(other, HarnSet) else items


def _intersection(items: HarnSet, other: object = None, *_: object) -> HarnSet:
    return sets.intersection(items, other, by_equality) if isinstance(other, HarnSet) else HarnSet([])


def _difference(items: HarnSet, other: object = None, *_: object) -> HarnSet:
    return sets.difference(items, other, by_equality) if isinstance(other, HarnSet) else items


def _symmetric_difference(items: HarnSet, other: object = None, *_: object) -> HarnSet:
    return sets.symmetric_difference(items, other, by_equality) if isinstance(other, HarnSet) else items


def _is_subset(items: HarnSet, other: object = None, *_: object) -> bool:
    return isinstance(other, HarnSet) and sets.is_subset(items, other, by_equality)


def _is_superset(items: HarnSet, other: object = None, *_: object) -> bool:
    return isinstance(other, HarnSet) and sets.is_subset(other, items, by_equality)


def _is_disjoint(items: HarnSet, other: object = None, *_: object) -> bool:
    return not isinstance(other, HarnSet) or sets.is_disjoint(items, other, by_equality)


def _to_list(items: HarnSet, *_: object) -> list[object]:
    return items.items


def _map(items: HarnSet, change: Callback = MISSING, *_: object) -> object:
    if change.__class__ not in CALLABLES:
        return refuse("map", change)
    return set_of_unequal([change(item) for item in items.items])


def _filter(items: HarnSet, test: Callback = MISSING, *_: object) -> object:
    if test.__class__ not in CALLABLES:
        return refuse("filter", test)
    return HarnSet([item for item in items.items if test(item)])


def _any(items: HarnSet, test: Callback = MISSING, *_: object) -> bool:
    if test.__class__ not in CALLABLES:
        refuse("any", test)
        return False
    return holds_for_any(items.items, test)


def _every_as(name: str) -> Callable[..., bool]:
    def method(items: HarnSet, test: Callback = MISSING, *_: object) -> bool:
        if test.__class__ not in CALLABLES:
            refuse(name, test)
            return True
        return holds_for_all(items.items, test)

    return method


def _iter(items: HarnSet, *_: object) -> object:
    return iter_of(items)


SET_METHODS: dict[str, Callable[..., object]] = {
    "add": _add,
    "all": _every_as("all"),
    "any": _any,
    "contains": _contains,
    "count": _count,
    "delete": _remove,
    "difference": _difference,
    "empty": _empty,
    "every": _every_as("every"),
    "filter": _filter,
    "intersect": _intersection,
    "intersection": _intersection,
    "is_disjoint": _is_disjoint,
    "is_subset": _is_subset,
    "is_superset": _is_superset,
    "iter": _iter,
    "len": _count,
    "map": _map,
    "remove": _remove,
    "symmetric_difference": _symmetric_difference,
    "to_list": _to_list,
    "union": _union,
}
