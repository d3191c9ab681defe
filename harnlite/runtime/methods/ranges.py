"""The methods of ranges; every other method name is called on a new iter over the range."""

from __future__ import annotations

from harnlite.values.display import display
from harnlite.values.operators import wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.values.data_types import Range


def _count(ints: Range, *_: object) -> int:
    return wrap(ints.size)


def _empty(ints: Range, *_: object) -> bool:
    return ints.size == 0


def _contains(ints: Range, value: object = None, *_: object) -> bool:
    return value.__class__ is int and value in ints.ints


def _first(ints: Range, *_: object) -> int | None:
    return ints.low if ints.size else None


def _last(ints: Range, *_: object) -> int | None:
    return ints.low + ints.size - 1 if ints.size else None


def _to_string(ints: Range, *_: object) -> str:
    return display(ints)


RANGE_METHODS: dict[str, Callable[..., object]] = {
    "contains": _contains,
    "count": _count,
    "empty": _empty,
    "first": _first,
    "last": _last,
    "len": _count,
    "to_string": _to_string,
}
