"""The time, as the protocol and the access log write it."""

from __future__ import annotations

import time

from harnlite.runtime.tasks.clock import Clock

_CLOCK = Clock()


def now_ms() -> int:
    """Return the time in milliseconds since 1970."""
    return int(_CLOCK.now() * 1000)


def monotonic() -> float:
    """Return seconds that only increase."""
    return _CLOCK.monotonic()


def timestamp(milliseconds: int) -> str:
    """Return a time as the protocol writes it."""
    seconds, rest = divmod(milliseconds, 1000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{rest:03}Z"
