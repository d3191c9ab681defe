"""The times in recorded sessions."""

from __future__ import annotations

from datetime import UTC, datetime

_MILLISECONDS = 1e11
"""A number of seconds would be so great in some thousand years only."""


def seconds_of(value: object) -> float | None:
    """Return the seconds since 1970 of a text in the form of ISO 8601 or of a number, or None if it is no time."""
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        seconds = value / 1000 if value > _MILLISECONDS else value
        return float(seconds) if 0 < seconds < _MILLISECONDS else None
    if not isinstance(value, str):
        return None
    try:
        found = datetime.fromisoformat(value)
        return (found if found.tzinfo is not None else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
