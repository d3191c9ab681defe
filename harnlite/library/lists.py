"""Builtins that split, group and flatten lists."""

from __future__ import annotations

from harnlite.library.native import MISSING, native
from harnlite.values.data_types import is_callable, type_name
from harnlite.values.errors import runtime_error, type_error
from harnlite.values.iteration import polled
from harnlite.values.keys import structural_key
from harnlite.values.list_operations import chunks, grouped, parted, spliced, windows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable


def _list(name: str, items: object) -> list[object]:
    if items.__class__ is not list:
        if items is MISSING:
            raise runtime_error(f"{name}: first argument must be a list")
        raise type_error(f"{name}: first argument must be a list, got {type_name(items)}")
    return items


def _callback(name: str, callback: object) -> Callable[..., object]:
    if not is_callable(callback):
        if callback is MISSING:
            raise runtime_error(f"{name}: callback is required")
        raise type_error(f"{name}: callback must be callable, got {type_name(callback)}")
    return callback


def _count(value: object, default: int) -> int:
    return value if isinstance(value, int) and value.__class__ is int else default


@native("chunk")
def chunk(items: object = MISSING, size: object = None) -> list[object]:
    """Split a list into pieces of a given size."""
    return chunks(_list("chunk", items), _count(size, 1))


@native("window")
def window(items: object = MISSING, size: object = None, step: object = None) -> list[object]:
    """Return the sliding windows over a list; incomplete windows are omitted."""
    return windows(_list("window", items), _count(size, 2), _count(step, 1))


@native("group_by")
def group_by(items: object = MISSING, callback: object = MISSING) -> dict[str, object]:
    """Group the items of a list by the text of their key."""
    return grouped(_list("group_by", items), _callback("group_by", callback))


@native("partition")
def partition(items: object = MISSING, callback: object = MISSING) -> dict[str, object]:
    """Split a list into the items that pass a test and the items that do not."""
    match, no_match = parted(_list("partition", items), _callback("partition", callback))
    return {"match": match, "no_match": no_match}


@native("dedup_by")
def dedup_by(items: object = MISSING, callback: object = MISSING) -> list[object]:
    """Return the first item of each key."""
    source, key = _list("dedup_by", items), _callback("dedup_by", callback)
    found: dict[Hashable, object] = {}
    for item in polled(source):
        found.setdefault(structural_key(key(item)), item)
    return list(found.values())


@native("flat_map")
def flat_map(items: object = MISSING, callback: object = MISSING) -> list[object]:
    """Return the results of a function for all items; results that are lists are flattened."""
    source, change = _list("flat_map", items), _callback("flat_map", callback)
    return spliced([change(item) for item in polled(source)])
