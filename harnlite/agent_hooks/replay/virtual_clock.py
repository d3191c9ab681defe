"""The clock of a replay, which shows the recorded time."""

from __future__ import annotations

from harnlite.runtime.tasks.clock import Clock

UNDATED_SECONDS = 3.0
"""The time between two calls without recorded times: more than that within which a call counts as a repetition."""


class VirtualClock(Clock):
    """A clock that stands still between the calls."""

    __slots__ = ("_seconds",)

    def __init__(self) -> None:
        self._seconds = 0.0

    def move_to(self, seconds: float | None) -> None:
        """Show a recorded time, or a later one than before if there is none; the clock is never set back."""
        self._seconds = self._seconds + UNDATED_SECONDS if seconds is None else max(self._seconds, seconds)

    def now(self) -> float:
        """Return the recorded time in seconds since 1970."""
        return self._seconds

    def monotonic(self) -> float:
        """Return the recorded time."""
        return self._seconds
