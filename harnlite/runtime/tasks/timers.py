"""Timers: actions that run at a given time."""

from __future__ import annotations

from _heapq import heapify, heappop, heappush

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Callable
else:
    from _collections import deque

NEVER = float("inf")
_TOLERATED_DEAD = 64


class Timer:
    """An action that runs at a given time unless the timer is cancelled."""

    __slots__ = ("action", "args", "order", "when")

    def __init__(self, when: float, order: int, action: Callable[..., object], args: tuple[object, ...]) -> None:
        self.when = when
        self.order = order
        self.action: Callable[..., object] | None = action
        self.args = args

    @property
    def is_over(self) -> bool:
        """Return whether the timer has fired or was cancelled."""
        return self.action is None


class Timers:
    """The timers of one run; their times are times of the monotonic clock.

    Most tasks wait for the same time, so most timers are due after all earlier ones. These stand in a line, and only
    the others in a heap. No timer is due before `soonest`.
    """

    __slots__ = ("_dead", "_order", "_urgent", "heap", "line", "soonest")

    def __init__(self) -> None:
        self.heap: list[tuple[float, int, Timer]] = []
        self.line: deque[Timer] = deque()
        self.soonest = NEVER
        self._order = 0
        self._dead = 0
        self._urgent: dict[Timer, None] = {}

    def __len__(self) -> int:
        """Return the number of timers that have neither fired nor been cancelled."""
        return len(self.heap) + len(self.line) - self._dead

    def add(self, when: float, action: Callable[..., object], *args: object) -> Timer:
        """Add a timer that runs an action once at a given time."""
        self._order = order = self._order + 1
        timer = Timer(when, order, action, args)
        line = self.line
        if line and line[-1].when <= when:
            line.append(timer)
            return timer
        if line:
            heappush(self.heap, (when, order, timer))
        else:
            line.append(timer)
        self.soonest = min(self.soonest, when)
        return timer

    def add_urgent(self, when: float, action: Callable[..., object]) -> Timer:
        """Add a timer for which the running code must stop."""
        self._order = order = self._order + 1
        timer = Timer(when, order, action, ())
        self._urgent[timer] = None
        # Not in the line: it is usually far away, and those that are due before it could not join the line.
        heappush(self.heap, (when, order, timer))
        self.soonest = min(self.soonest, when)
        return timer

    def call_off(self, timer: Timer) -> bool:
        """Cancel a timer; return whether it had neither fired nor been cancelled."""
        if timer.action is None:
            return False
        timer.action = None
        timer.args = ()  # it may stay in the line for long, and must not keep its task alive
        if self._urgent:
            self._urgent.pop(timer, None)
        self._dead += 1
        if self._dead > _TOLERATED_DEAD and self._dead * 2 > len(self.heap) + len(self.line):
            alive = [entry for entry in self.heap if entry[2].action is not None]
            heapify(alive)
            self.heap = alive
            self.line = deque([one for one in self.line if one.action is not None])
            self._dead = 0
            self._look()
        return True

    def next_time(self) -> float | None:
        """Return the time at which the next timer fires, or None."""
        heap, line = self.heap, self.line
        while heap and heap[0][2].action is None:
            heappop(heap)
            self._dead -= 1
        while line and line[0].action is None:
            line.popleft()
            self._dead -= 1
        self._look()
        return None if self.soonest == NEVER else self.soonest

    def _look(self) -> None:
        """Set `soonest` to the time of the first timer, cancelled ones included."""
        heap, line = self.heap, self.line
        soonest = line[0].when if line else NEVER
        self.soonest = heap[0][0] if heap and heap[0][0] < soonest else soonest

    def next_urgent(self) -> float | None:
        """Return the time at which the next timer fires for which the running code must stop, or None."""
        return min([timer.when for timer in self._urgent], default=None)

    def is_due(self, now: float) -> bool:
        """Return whether a timer is due; any thread may call this method."""
        return self.soonest <= now

    def fire(self, now: float) -> None:
        """Run the actions of all timers that are due, in the order of their times and of their creation."""
        while self.soonest <= now:
            heap, line = self.heap, self.line
            if line and not (heap and heap[0] < (line[0].when, line[0].order)):
                timer = line.popleft()
            else:
                timer = heappop(heap)[2]
            self._look()
            action, timer.action = timer.action, None
            if action is None:
                self._dead -= 1
            else:
                if self._urgent:
                    self._urgent.pop(timer, None)
                action(*timer.args)
