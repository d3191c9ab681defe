"""Argument handling that methods share: missing and invalid callbacks, predicates, and int arguments."""

from __future__ import annotations

from harnlite.values.data_types import MISSING, type_name
from harnlite.values.errors import type_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def refuse(method: str, callback: object) -> object:
    """Return nil if the callback is missing; raise a type error if it is not callable."""
    if callback is not MISSING:
        raise type_error(f"{method}: callback must be callable, got {type_name(callback)}")
    return None


def holds_for_any(items: Iterable[object], test: Callable[..., object]) -> bool:
    """Return whether a test holds for at least one item."""
    for item in items:  # noqa: SIM110 - `any` would call the test from C
        if test(item):
            return True
    return False


def holds_for_all(items: Iterable[object], test: Callable[..., object]) -> bool:
    """Return whether a test holds for every item."""
    for item in items:  # noqa: SIM110 - `all` would call the test from C
        if not test(item):
            return False
    return True


def int_or(value: object, default: int) -> int:
    """Return the value if it is an int, else the default."""
    return value if value.__class__ is int else default
