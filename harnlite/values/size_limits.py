"""The size limit of values, which is checked before a value is built."""

from __future__ import annotations

from harnlite.values.errors import ScriptError

MAX_ITEMS = 100_000_000


def check_size(count: int) -> None:
    """Raise an error if a string, bytes, list or set of this size would exceed the limit."""
    if count > MAX_ITEMS:
        raise ScriptError("Value too large")


def join_texts(parts: list[str], separator: str = ", ") -> str:
    """Join texts; raise an error if the result would be too large."""
    check_size(sum(map(len, parts)) + len(separator) * len(parts))
    return separator.join(parts)
