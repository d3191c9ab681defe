"""Iteration over values: `for`, spreading and destructuring."""

from __future__ import annotations

from itertools import chain

from harnlite.values.data_types import Pair, Range, type_name
from harnlite.values.errors import ScriptError, type_error
from harnlite.values.interrupts import BUILTINS, MEASURED, poll_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

POLL_FROM = 16_384
POLL_EVERY = 4_096


def _after_poll(item: object) -> object:
    if BUILTINS["_hintr"]:
        poll_here()
    return item


def polled(items: Sequence[Any] | bytes, size: int | None = None) -> Iterator[Any]:
    """Iterate over a sequence; over a long one in blocks, with a check for interrupts before each.

    If the memory of a run is limited, each item is checked, because a callback may use much memory for one item.
    The size argument is for ranges that are too long for `len`.
    """
    count = len(items) if size is None else size
    if MEASURED:
        return map(_after_poll, items)
    if count <= POLL_FROM:
        return iter(items)

    def block(start: int) -> Sequence[Any] | bytes:
        if BUILTINS["_hintr"]:
            poll_here()
        return items[start : start + POLL_EVERY]

    return chain.from_iterable(map(block, range(0, count, POLL_EVERY)))


def _entries(entries: dict[str, object]) -> Iterator[object]:
    return iter([{"key": key, "value": entries[key]} for key in sorted(entries)])


def _pairs(entries: dict[str, object]) -> Iterator[object]:
    keys = sorted(entries)
    return map(Pair, keys, map(entries.__getitem__, keys))


_FOR: dict[type, Callable[[Any], Iterator[object]]] = {
    list: iter,
    dict: _entries,
    str: iter,
    Range: lambda value: iter(value.ints),
    type(None): lambda _: iter(()),
}

_ITER: dict[type, Callable[[Any], Iterator[object]]] = {
    list: polled,
    dict: _pairs,
    str: polled,
    Range: lambda value: polled(value.ints, value.size),
}


def iterate(value: object) -> Iterator[object]:
    """Return the iterator of a `for` loop; nil is empty, and a dict gives `{key, value}`."""
    walk = _FOR.get(value.__class__)
    if walk is not None:
        return walk(value)
    hook: Callable[[object], Iterator[object]] | None = getattr(value.__class__, "harn_iterate", None)
    if hook is None:
        raise type_error(f"cannot iterate over {type_name(value)}")
    return hook(value)


def iterable_or_none(value: object) -> Iterator[object] | None:
    """Return the iterator of `iter(value)`, or None if the value is not iterable; a dict gives pairs.

    A value that is itself a Python iterator keeps track of its other readers, so it is read directly.
    """
    walk = _ITER.get(value.__class__)
    if walk is not None:
        return walk(value)
    if hasattr(value.__class__, "__next__"):
        return value  # type: ignore[return-value]  # a value that has `__next__` is its own iterator
    hook = getattr(value.__class__, "harn_iterate", None)
    return None if hook is None else hook(value)


# Destructuring and spreading


def _refuse(value: object, form: str, expected: str) -> ScriptError:
    error = type_error(f"cannot destructure {type_name(value)} with {form} pattern — expected {expected}")
    if expected == "pair" and isinstance(value, dict) and value.keys() == {"key", "value"}:
        error.notes = ("write `for {key, value} in …` for the entries of a dict",)
    return error


def dict_for_pattern(value: object) -> dict[str, object]:
    """Return the dict that a dict pattern destructures."""
    if value.__class__ is not dict:
        raise _refuse(value, "{...}", "dict")
    return value


def list_for_pattern(value: object) -> list[object]:
    """Return the list that a list pattern destructures."""
    if value.__class__ is not list:
        raise _refuse(value, "[...]", "list")
    return value


def pair_for_pattern(value: object) -> tuple[object, object]:
    """Return the two values that `for (a, b)` binds."""
    if value.__class__ is Pair:
        return value.first, value.second
    if value.__class__ is list:
        first, second = (*value[:2], None, None)[:2]
        return first, second
    raise _refuse(value, "(...)", "pair")


spread_list = list_for_pattern
spread_dict = dict_for_pattern


def range_of(low: object, high: object, exclusive: bool) -> Range:  # noqa: FBT001 - as it is written
    """Return the range `low to high`; a bound that is not an int counts as 0."""
    return Range(low, high, exclusive)
