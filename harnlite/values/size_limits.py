"""How large a value may become, checked before it is built."""

from __future__ import annotations

from harnlite.values.errors import ScriptError

MAX_ITEMS = 100_000_000


def check_size(count: int) -> None:
    """Refuse a string, bytes, list or set of more items than the limit."""
    if count > MAX_ITEMS:
        raise ScriptError("Value too large")


def join_texts(parts: list[str], separator: str = ", ") -> str:
    """Join texts unless they get too large together."""
    check_size(sum(map(len, parts)) + len(separator) * len(parts))
    return separator.join(parts)
