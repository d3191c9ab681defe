"""Timers: actions that run at a given time."""

from __future__ import annotations

from _heapq import heapify, heappop, heappush

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_TOLERATED_DEAD = 64


class Timer:
    """An action that runs at a given time unless the timer is cancelled."""

    __slots__ = ("action", "is_urgent", "order", "when")

    def __init__(self, when: float, order: int, action: Callable[[], object]) -> None:
        self.is_urgent = False
        self.when = when
        self.order = order
        self.action: Callable[[], object] | None = action

    @property
    def is_over(self) -> bool:
        """Return whether the timer has fired or was cancelled."""
        return self.action is None


class Timers:
    """The timers of one run; their times are times of the monotonic clock."""

    __slots__ = ("_dead", "_order", "heap")

    def __init__(self) -> None:
        self.heap: list[tuple[float, int, Timer]] = []
        self._order = 0
        self._dead = 0

    def add(self, when: float, action: Callable[[], object]) -> Timer:
        """Add a timer that runs an action once at a given time."""
        self._order += 1
        timer = Timer(when, self._order, action)
        heappush(self.heap, (when, self._order, timer))
        return timer

    def call_off(self, timer: Timer) -> None:
        """Cancel a timer."""
        if timer.action is None:
            return
        timer.action = None
        self._dead += 1
        if self._dead > _TOLERATED_DEAD and self._dead * 2 > len(self.heap):
            alive = [entry for entry in self.heap if entry[2].action is not None]
            heapify(alive)
            self.heap = alive
            self._dead = 0

    def next_time(self) -> float | None:
        """Return the time at which the next timer fires, or None."""
        heap = self.heap
        while heap:
            if heap[0][2].action is not None:
                return heap[0][0]
            heappop(heap)
            self._dead -= 1
        return None

    def next_urgent(self) -> float | None:
        """Return the time at which the next timer fires for which the running code must stop, or None."""
        times = [when for when, _, timer in self.heap if timer.is_urgent and timer.action is not None]
        return min(times, default=None)

    def is_due(self, now: float) -> bool:
        """Return whether a timer is due; any thread may call this method."""
        try:
            return self.heap[0][0] <= now
        except IndexError:
            return False

    def fire(self, now: float) -> None:
        """Run the actions of all timers that are due."""
        heap = self.heap
        while heap and heap[0][0] <= now:
            timer = heappop(heap)[2]
            action, timer.action = timer.action, None
            if action is None:
                self._dead -= 1
            else:
                action()
                heap = self.heap
