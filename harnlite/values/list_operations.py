"""Operations on lists that methods and builtins share."""

from __future__ import annotations

from harnlite.values.display import display
from harnlite.values.iteration import polled
from harnlite.values.size_limits import check_items, join_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def chunks(items: list[object], size: int) -> list[object]:
    """Return consecutive pieces of a given size (at least 1); the last one may be shorter."""
    step = max(size, 1)
    return [items[start : start + step] for start in polled(range(0, len(items), step))]


def windows(items: list[object], size: int, step: int) -> list[object]:
    """Return the full windows of a given size, each `step` items after the previous one (both at least 1)."""
    size, step = max(size, 1), max(step, 1)
    starts = range(0, len(items) - size + 1, step)
    check_items(len(starts) * size)
    return [items[start : start + size] for start in polled(starts)]


def key_of(value: object) -> str:
    """Return the dict key for a value: its text."""
    return value if value.__class__ is str else display(value)


def grouped(items: list[object], key: Callable[..., object]) -> dict[str, object]:
    """Return the items grouped by the text of their keys."""
    groups: dict[str, Any] = {}
    for item in polled(items):
        name = key_of(key(item))
        if name in groups:
            groups[name].append(item)
        else:
            groups[name] = [item]
    return groups


def parted(items: list[object], test: Callable[..., object]) -> tuple[list[object], list[object]]:
    """Return the items that pass a test, and the items that fail it."""
    passed: list[object] = []
    failed: list[object] = []
    for item in polled(items):
        (passed if test(item) else failed).append(item)
    return passed, failed


def spliced(parts: list[object]) -> list[object]:
    """Return the parts with every list among them replaced by its items."""
    check_items(sum([len(part) if part.__class__ is list else 1 for part in parts]))
    found: list[object] = []
    for part in parts:
        if part.__class__ is list:
            found += part
        else:
            found.append(part)
    return found


def joined(items: list[Any], separator: str) -> str:
    """Return the texts of the items with a separator between them."""
    try:
        return join_texts(items, separator)
    except TypeError:
        return join_texts([key_of(item) for item in polled(items)], separator)
