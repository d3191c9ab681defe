"""The size limit of values, which is checked before a value is built."""

from __future__ import annotations

from harnlite.values.errors import ScriptError
from harnlite.values.interrupts import BUILTINS, FLAG, poll_here
from harnlite.values.limits import UNCHECKED, advice, limits_here

ITEM_BYTES = 8
POLLED = 10_000
"""A size from which the code that builds the value polls: a closure without loops that builds such values does not."""


def check_size(count: int) -> None:
    """Raise an error if a string, bytes, list or set of this size would exceed the limit."""
    if count > UNCHECKED:
        limits = limits_here()
        if count > limits.max_items:
            raise too_large("max_items")
        if limits.gauge is not None:
            limits.gauge.expect(count)
    elif count > POLLED and BUILTINS[FLAG]:
        poll_here()


def check_bytes(count: int) -> None:
    """Raise an error if a value would need more memory than one value may; the caller estimates the bytes."""
    if count > UNCHECKED:
        limits = limits_here()
        if count > limits.max_value_bytes:
            raise too_large("max_value_bytes")
        if limits.gauge is not None:
            limits.gauge.expect(count)


def check_items(count: int, each: int = ITEM_BYTES) -> None:
    """Raise an error if a list would have too many items, or if items of so many bytes would need too much memory."""
    check_size(count)
    if count > UNCHECKED:
        check_bytes(count * each)


def too_large(name: str) -> ScriptError:
    """Return the error for a value that exceeds a limit; its text is fixed, so the note names the limit."""
    return ScriptError("Value too large", notes=(advice(name),))


def join_texts(parts: list[str], separator: str = ", ") -> str:
    """Join texts; raise an error if the result would be too large."""
    size = sum(map(len, parts)) + len(separator) * len(parts)
    if size > UNCHECKED:
        check_size(size)
    return separator.join(parts)
