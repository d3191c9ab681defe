"""Small steps of compiled code on containers: what a pattern leaves over, own copies, and ranges to loop over."""

from __future__ import annotations

from harnlite.values.data_types import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def rest_of_dict(entries: dict[str, object], taken: tuple[str, ...]) -> dict[str, object]:
    """Return the entries that a dict pattern has not named."""
    return {key: value for key, value in entries.items() if key not in taken}


def item_or_nil(items: list[object], index: int) -> object:
    """Return an item that a list pattern names."""
    return items[index] if index < len(items) else None


def own(value: object) -> object:
    """Return a container that nobody else holds."""
    if value.__class__ is list or value.__class__ is dict:
        return value.copy()
    if value.__class__ is Struct:
        return Struct(value.type, value.fields.copy())
    return value


def ints(low: object, high: object, exclusive: bool) -> Iterable[int]:  # noqa: FBT001 - compiled code calls by position
    """Return the ints that a `for` over a range walks."""
    first = low if low.__class__ is int else 0
    last = high if high.__class__ is int else 0
    return range(first, last if exclusive else last + 1)
