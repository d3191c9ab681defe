"""The methods of iters: lazy stages, and methods that consume the iter."""

from __future__ import annotations

from harnlite.values import iterators
from harnlite.values.data_types import CALLABLES, MISSING, Pair, type_name
from harnlite.values.errors import type_error
from harnlite.values.interrupts import BUILTINS, poll_here
from harnlite.values.iterators import HarnIter, iter_of
from harnlite.values.operators import add, less
from harnlite.values.sets import HarnSet, set_of_unequal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    Callback: TypeAlias = Callable[..., object]
    Stage: TypeAlias = Callable[[HarnIter, Callback], HarnIter]
    Method: TypeAlias = Callable[..., object]


def _check_callback(name: str, callback: object) -> None:
    if callback.__class__ not in CALLABLES:
        raise type_error(f"iter.{name}: expected callable")


def _stage(name: str, stage: Stage) -> Method:
    """Return the method for a lazy stage that takes a callback."""

    def method(source: HarnIter, callback: Callback = MISSING, *_: object) -> HarnIter:
        _check_callback(name, callback)
        return stage(source, callback)

    return method


def _counted(stage: Callable[[HarnIter, int], HarnIter], least: int, refusal: str) -> Method:
    """Return the method for a lazy stage that takes a number."""

    def method(source: HarnIter, number: Any = None, *_: object) -> HarnIter:  # noqa: ANN401 - any value
        if number.__class__ is not int or number < least:
            raise type_error(refusal)
        return stage(source, number)

    return method


def _joined(name: str, stage: Callable[[HarnIter, HarnIter], HarnIter]) -> Method:
    """Return the method for a lazy stage that takes another iterable."""

    def method(source: HarnIter, other: object = MISSING, *_: object) -> HarnIter:
        if other is MISSING:
            raise type_error(f"iter.{name}: expected iterable argument")
        return stage(source, iter_of(other))

    return method


def _enumerate(source: HarnIter, *_: object) -> HarnIter:
    return iterators.enumerated(source)


def _iter(source: HarnIter, *_: object) -> HarnIter:
    return source


# Methods that consume the iter


def _to_list(source: HarnIter, *_: object) -> list[object]:
    return source.items()


def _to_set(source: HarnIter, *_: object) -> HarnSet:
    return set_of_unequal(source.items())


def _to_dict(source: HarnIter, *_: object) -> dict[str, object]:
    found: dict[str, object] = {}
    for item in source.source:
        if item.__class__ is not Pair:
            raise type_error(f"iter.to_dict: expected pair, got {type_name(item)}")
        key = item.first
        if key.__class__ is not str:
            raise type_error(f"iter.to_dict: expected string key, got {type_name(key)}")
        found[key] = item.second
    return found


def _count(source: HarnIter, *_: object) -> int:
    total = 0
    for _item in source.source:
        total += 1
    return total


def _sum(source: HarnIter, *_: object) -> object:
    total: object = 0
    for item in source.source:
        if item.__class__ is not int and item.__class__ is not float:
            raise type_error(f"iter.sum: expected number, got {type_name(item)}")
        total = add(total, item)
    return total


def _min(source: HarnIter, *_: object) -> object:
    best = next(source.source, None)
    for item in source.source:
        if less(item, best):
            best = item
    return best


def _max(source: HarnIter, *_: object) -> object:
    best = next(source.source, None)
    for item in source.source:
        if less(best, item):
            best = item
    return best


def _reduce(source: HarnIter, start: object = MISSING, merge: Callback = MISSING, *_: object) -> object:
    if merge is MISSING:
        raise type_error("iter.reduce: expected (init, fn)")
    if merge.__class__ not in CALLABLES:
        raise type_error("iter.reduce: second arg must be callable")
    result = start
    for item in source.source:
        result = merge(result, item)
    return result


def _first(source: HarnIter, *_: object) -> object:
    return next(source.source, None)


def _last(source: HarnIter, *_: object) -> object:
    found = None
    for item in source.source:
        found = item
    return found


def _any(source: HarnIter, test: Callback = MISSING, *_: object) -> bool:
    _check_callback("any", test)
    return any(map(test, source.source))


def _all(source: HarnIter, test: Callback = MISSING, *_: object) -> bool:
    _check_callback("all", test)
    return all(map(test, source.source))


def _find(source: HarnIter, test: Callback = MISSING, *_: object) -> object:
    _check_callback("find", test)
    return next(filter(test, source.source), None)


def _for_each(source: HarnIter, act: Callback = MISSING, *_: object) -> None:
    _check_callback("for_each", act)
    for item in source.source:
        if BUILTINS["_hintr"]:
            poll_here()
        act(item)


ITER_METHODS: dict[str, Method] = {
    "all": _all,
    "any": _any,
    "chain": _joined("chain", iterators.chained),
    "chunks": _counted(iterators.chunked, 1, "iter.chunks: chunk size must be positive"),
    "count": _count,
    "enumerate": _enumerate,
    "filter": _stage("filter", iterators.filtered),
    "find": _find,
    "first": _first,
    "flat_map": _stage("flat_map", iterators.flat_mapped),
    "for_each": _for_each,
    "iter": _iter,
    "last": _last,
    "map": _stage("map", iterators.mapped),
    "max": _max,
    "min": _min,
    "reduce": _reduce,
    "skip": _counted(iterators.skip, 0, "iter.skip: expected non-negative int"),
    "skip_while": _stage("skip_while", iterators.skip_while),
    "sum": _sum,
    "take": _counted(iterators.take, 0, "iter.take: expected non-negative int"),
    "take_while": _stage("take_while", iterators.take_while),
    "to_dict": _to_dict,
    "to_list": _to_list,
    "to_set": _to_set,
    "windows": _counted(iterators.windowed, 1, "iter.windows: window size must be positive"),
    "zip": _joined("zip", iterators.zipped),
}
