"""Small container operations for compiled code: rests of patterns, private copies, and ranges to loop over."""

from __future__ import annotations

from harnlite.values.data_types import Struct
from harnlite.values.limits import FEW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable


def rest_of_dict(entries: dict[str, object], taken: tuple[str, ...]) -> dict[str, object]:
    """Return the entries whose keys a dict pattern does not name."""
    return {key: value for key, value in entries.items() if key not in taken}


def item_or_nil(items: list[object], index: int) -> object:
    """Return an item for a list pattern, or nil if the list is too short."""
    return items[index] if index < len(items) else None


def own(value: object) -> object:
    """Return a copy of a container, which has no other reference; other values are returned unchanged."""
    if value.__class__ is list or value.__class__ is dict:
        return value.copy()
    if value.__class__ is Struct:
        return Struct(value.type, value.fields.copy())
    return value


MOST_CONTAINERS = 10_000
"""How many containers a variable remembers as its own. Those that were replaced stay in memory as long."""


def with_container(known: Container[int], new: object) -> Container[int]:
    """Add a container that has no other reference to those that are known, by their ids, unless it is small."""
    if not isinstance(new, (list, dict)) or len(new) <= FEW:
        return known
    if not isinstance(known, dict) or len(known) >= MOST_CONTAINERS:
        return {id(new): new}
    known[id(new)] = new
    return known


def ints(low: object, high: object, exclusive: bool) -> Iterable[int]:  # noqa: FBT001 - compiled code calls by position
    """Return the ints that a `for` loop over a range visits."""
    first = low if low.__class__ is int else 0
    last = high if high.__class__ is int else 0
    return range(first, last if exclusive else last + 1)
