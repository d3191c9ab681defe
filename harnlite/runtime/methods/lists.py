"""The methods of lists."""

from __future__ import annotations

from harnlite.runtime.methods.method_arguments import holds_for_all, holds_for_any, int_or, refuse
from harnlite.values.data_types import CALLABLES, MISSING
from harnlite.values.equality import position_in
from harnlite.values.iteration import polled
from harnlite.values.iterators import iter_of
from harnlite.values.keys import distinct
from harnlite.values.list_operations import chunks, grouped, joined, key_of, parted, spliced, windows
from harnlite.values.operators import add, wrap
from harnlite.values.ordering import (
    greatest,
    least,
    place_of_greatest,
    place_of_least,
    sorted_by,
    sorted_list,
)
from harnlite.values.size_limits import check_items

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    Items: TypeAlias = list[object]
    Callback: TypeAlias = Callable[..., object]

# Lists are iterated with `polled`, so that a deadline also stops a long loop whose callback never polls.
# Callbacks are called from Python loops: `map` and similar functions would exhaust the C stack in recursive programs.


def _count(items: Items, *_: object) -> int:
    return len(items)


def _empty(items: Items, *_: object) -> bool:
    return not items


def _first(items: Items, number: object = None, *_: object) -> object:
    if number.__class__ is int:
        return items[: max(number, 0)]
    return items[0] if items else None


def _last(items: Items, number: object = None, *_: object) -> object:
    if number.__class__ is int:
        return items[max(len(items) - max(number, 0), 0) :]
    return items[-1] if items else None


# With a callback


def _map(items: Items, change: Callback = MISSING, *_: object) -> object:
    if change.__class__ not in CALLABLES:
        return refuse("map", change)
    return [change(item) for item in polled(items)]


def _filter(items: Items, test: Callback = MISSING, *_: object) -> object:
    if test.__class__ not in CALLABLES:
        return refuse("filter", test)
    return [item for item in polled(items) if test(item)]


def _flat_map(items: Items, change: Callback = MISSING, *_: object) -> object:
    if change.__class__ not in CALLABLES:
        return refuse("flat_map", change)
    return spliced([change(item) for item in polled(items)])


def _find(items: Items, test: Callback = MISSING, *_: object) -> object:
    if test.__class__ not in CALLABLES:
        return refuse("find", test)
    for item in polled(items):
        if test(item):
            return item
    return None


def _find_index(items: Items, test: Callback = MISSING, *_: object) -> object:
    if test.__class__ not in CALLABLES:
        return refuse("find_index", test)
    for index, item in enumerate(polled(items)):
        if test(item):
            return index
    return -1


def _any(items: Items, test: Callback = MISSING, *_: object) -> bool:
    if test.__class__ not in CALLABLES:
        refuse("any", test)
        return False
    return holds_for_any(polled(items), test)


def _every_as(name: str) -> Callable[..., bool]:
    def method(items: Items, test: Callback = MISSING, *_: object) -> bool:
        if test.__class__ not in CALLABLES:
            refuse(name, test)
            return True
        return holds_for_all(polled(items), test)

    return method


def _none(items: Items, test: Callback = MISSING, *_: object) -> bool:
    if test.__class__ not in CALLABLES:
        refuse("none", test)
        return not items
    return not holds_for_any(polled(items), test)


def _reduce(items: Items, start: object = MISSING, merge: Callback = MISSING, *_: object) -> object:
    if merge.__class__ not in CALLABLES:
        return refuse("reduce", merge)
    result = start
    for item in polled(items):
        result = merge(result, item)
    return result


def _sort_by(items: Items, key: Callback = MISSING, *_: object) -> object:
    if key.__class__ not in CALLABLES:
        return refuse("sort_by", key)
    return sorted_by(items, [key(item) for item in polled(items)])


def _min_by(items: Items, key: Callback = MISSING, *_: object) -> object:
    if key.__class__ not in CALLABLES:
        return refuse("min_by", key)
    return items[place_of_least([key(item) for item in polled(items)])] if items else None


def _max_by(items: Items, key: Callback = MISSING, *_: object) -> object:
    if key.__class__ not in CALLABLES:
        return refuse("max_by", key)
    return items[place_of_greatest([key(item) for item in polled(items)])] if items else None


def _partition(items: Items, test: Callback = MISSING, *_: object) -> object:
    if test.__class__ not in CALLABLES:
        return refuse("partition", test)
    return list(parted(items, test))


def _group_by(items: Items, key: Callback = MISSING, *_: object) -> object:
    if key.__class__ not in CALLABLES:
        return refuse("group_by", key)
    return grouped(items, key)


# Searching, ordering and slicing


def _contains(items: Items, value: object = None, *_: object) -> bool:
    return position_in(items, value) >= 0


def _index_of(items: Items, value: object = None, *_: object) -> int:
    return position_in(items, value)


def _sort(items: Items, *_: object) -> Items:
    return sorted_list(items)


def _reverse(items: Items, *_: object) -> Items:
    return items[::-1]


def _join(items: Items, separator: object = "", *_: object) -> str:
    return joined(items, key_of(separator))


def _enumerate(items: Items, *_: object) -> Items:
    return [{"index": index, "value": value} for index, value in enumerate(polled(items))]


def _zip(items: Items, other: object = None, *_: object) -> Items:
    if other.__class__ is not list:
        return []
    return list(map(list, zip(polled(items), polled(other), strict=False)))


def _slice(items: Items, start: object = None, end: object = None, *_: object) -> Items:
    return items[int_or(start, 0) : int_or(end, len(items))]


def _unique(items: Items, *_: object) -> Items:
    return distinct(items)


def _take(items: Items, number: object = None, *_: object) -> Items:
    return items[: max(int_or(number, 0), 0)]


def _skip(items: Items, number: object = None, *_: object) -> Items:
    return items[max(int_or(number, 0), 0) :]


def _flatten(items: Items, *_: object) -> Items:
    return spliced(items)


def _push(items: Items, value: object = MISSING, *_: object) -> Items:
    check_items(len(items) + 1)
    return items[:] if value is MISSING else [*items, value]


def _pop(items: Items, *_: object) -> Items:
    return items[:-1]


def _chunk(items: Items, size: object = None, *_: object) -> Items:
    return chunks(items, int_or(size, 1))


def _window(items: Items, size: object = None, step: object = None, *_: object) -> Items:
    return windows(items, int_or(size, 2), int_or(step, 1))


def _compact(items: Items, *_: object) -> Items:
    return [item for item in items if item is not None]


def _tally(items: Items, *_: object) -> dict[str, object]:
    counts: dict[str, Any] = {}
    for item in polled(items):
        key = key_of(item)
        counts[key] = counts.get(key, 0) + 1
    return counts


def _iter(items: Items, *_: object) -> object:
    return iter_of(items)


# Numbers


def _sum(items: list[Any], *_: object) -> object:
    classes = set(map(type, items))
    if classes == {int}:
        return wrap(sum(items))
    total: object = 0
    for item in polled(items):
        if item.__class__ is int or item.__class__ is float:
            total = add(total, item)
    return total


def _min(items: Items, *_: object) -> object:
    return least(items)


def _max(items: Items, *_: object) -> object:
    return greatest(items)


LIST_METHODS: dict[str, Callable[..., object]] = {
    "all": _every_as("all"),
    "any": _any,
    "chunk": _chunk,
    "compact": _compact,
    "contains": _contains,
    "count": _count,
    "each_cons": _window,
    "each_slice": _chunk,
    "empty": _empty,
    "enumerate": _enumerate,
    "every": _every_as("every"),
    "filter": _filter,
    "find": _find,
    "find_index": _find_index,
    "first": _first,
    "flat_map": _flat_map,
    "flatten": _flatten,
    "group_by": _group_by,
    "index_of": _index_of,
    "iter": _iter,
    "join": _join,
    "last": _last,
    "map": _map,
    "max": _max,
    "max_by": _max_by,
    "min": _min,
    "min_by": _min_by,
    "none": _none,
    "partition": _partition,
    "pop": _pop,
    "push": _push,
    "reduce": _reduce,
    "reverse": _reverse,
    "skip": _skip,
    "slice": _slice,
    "sliding_window": _window,
    "sort": _sort,
    "sort_by": _sort_by,
    "sum": _sum,
    "take": _take,
    "tally": _tally,
    "unique": _unique,
    "window": _window,
    "zip": _zip,
}
