"""The end of a run: the interrupt, the time limit of the cleanup, and its forced end."""

from __future__ import annotations

from harnlite.runtime.tasks.clock import waiting_time
from harnlite.values.errors import Cancelled, Interrupted
from harnlite.values.interrupts import raise_flag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.scheduler import Scheduler
    from harnlite.runtime.tasks.task import Task
    from harnlite.runtime.tasks.timers import Timer
    from harnlite.values.interrupts import Run


class Ending:
    """How far the end of a run has come.

    An interrupt begins it. `is_finishing` is true when the main program has ended, and only remaining tasks and
    generators run their cleanup. Once the end is forced, every task raises wherever it waits or polls, as often as it
    does; only the main program may wait for the last tasks to end (`is_joining`).
    """

    __slots__ = ("_run", "_scheduler", "_timer", "is_begun", "is_finishing", "is_forced", "is_joining")

    def __init__(self, run: Run, scheduler: Scheduler) -> None:
        self._run = run
        self._scheduler = scheduler
        self._timer: Timer | None = None
        self.is_begun = self.is_finishing = self.is_forced = self.is_joining = False

    def request(self, grace: float | None) -> None:
        """Request the end of the run; any thread or signal handler may call this method."""
        scheduler = self._scheduler
        scheduler.outside.set_interrupt(grace)
        # Either this method sees that the run has started, or the start of the run sees the interrupt.
        if scheduler.is_running:
            self._run.reach()
        scheduler.outside.ring()

    def begin(self, grace: float | None) -> None:
        """Interrupt the main program; with a grace, limit its cleanup, and only that if the run is ending already."""
        scheduler = self._scheduler
        if grace is None:
            scheduler.deliver(scheduler.main, Interrupted())
            # A second interrupt of the user also interrupts the cleanup of tasks.
            self._cancel_tasks()
            if self.is_finishing:
                self.force()
        else:
            self.limit(grace)
            if not (self.is_begun or self.is_finishing):
                scheduler.deliver(scheduler.main, Interrupted())
        self.is_begun = True

    def limit(self, seconds: float) -> None:
        """Force the end after this many seconds, unless an earlier time is set."""
        when = waiting_time() + seconds
        timer = self._timer
        if self.is_forced or (timer is not None and timer.when <= when):
            return
        if timer is not None:
            self._scheduler.timers.call_off(timer)
        self._timer = self._scheduler.at(when, self.force)

    def force(self) -> None:
        """Stop all cleanup."""
        self.is_forced = True
        self._cancel_tasks()
        if not self.is_finishing:
            self._scheduler.deliver(self._scheduler.main, Interrupted())
        raise_flag(self._run)

    def refuse(self, me: Task) -> None:
        """Raise in a task of a run whose end is forced."""
        self._scheduler.entries.to_skip = 0
        raise_flag(self._run)
        if me is not self._scheduler.main:
            raise Cancelled
        if not self.is_joining:
            raise Interrupted

    def patience(self, seconds: float) -> float:
        """Return how many of these seconds are left for the cleanup."""
        return seconds if self._timer is None else max(0.0, min(seconds, self._timer.when - waiting_time()))

    def is_alone(self) -> bool:
        """Return whether no other timer than the one of this end is set."""
        timer = self._timer
        return timer is not None and not timer.is_over and len(self._scheduler.timers) == 1

    def reset(self) -> None:
        """Forget that the run was interrupted."""
        if self._timer is not None:
            self._scheduler.timers.call_off(self._timer)
            self._timer = None
        self.is_begun = self.is_finishing = self.is_forced = self.is_joining = False

    def _cancel_tasks(self) -> None:
        for task in list(self._scheduler.live):
            self._scheduler.cancel(task)
