"""The clock of the server."""

from __future__ import annotations

from harnlite.runtime.tasks.clock import Clock

_CLOCK = Clock()


def now_ms() -> int:
    """Return the time in milliseconds since 1970."""
    return int(_CLOCK.now() * 1000)


def monotonic() -> float:
    """Return seconds that only increase."""
    return _CLOCK.monotonic()
