"""What time it is."""

from __future__ import annotations

import time


class Clock:
    """The clock of the host; tests inject their own."""

    __slots__ = ()

    def now(self) -> float:
        """Return the seconds since 1970."""
        return time.time()

    def monotonic(self) -> float:
        """Return seconds that never go back."""
        return time.monotonic()


waiting_time = time.monotonic
"""The time by which waits end. It is always the real one: a clock that stands still would let them never end."""
