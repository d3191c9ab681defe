"""The clock of a run."""

from __future__ import annotations

import time


class Clock:
    """The clock of the host; tests inject their own."""

    __slots__ = ()

    def now(self) -> float:
        """Return the current time in seconds since 1970."""
        return time.time()

    def monotonic(self) -> float:
        """Return a time in seconds that never decreases."""
        return time.monotonic()


def iso_time(seconds: float) -> str:
    """Return a time as text in the form of RFC 3339, in UTC with milliseconds."""
    return iso_time_of_ms(int(seconds * 1000 // 1))


def iso_time_of_ms(ms: int) -> str:
    """Return a time in milliseconds since 1970 in the same form."""
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(ms // 1000))}.{ms % 1000:03d}Z"


waiting_time = time.monotonic
"""The time that waits use. It is always the real time: with a stopped test clock, waits would never end."""
