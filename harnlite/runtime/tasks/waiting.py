"""Waiting: queues of waiting tasks, joining, and the conversion of script durations and timeouts."""

from __future__ import annotations

from harnlite.runtime.tasks.clock import waiting_time
from harnlite.values.data_types import Duration

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import OrderedDict

    from harnlite.runtime.tasks.execution import Execution
    from harnlite.runtime.tasks.task import Task
else:
    from _collections import OrderedDict


class WaitList:
    """The tasks that wait for the same event, in the order in which they started to wait."""

    __slots__ = ("_tasks",)

    def __init__(self) -> None:
        self._tasks: OrderedDict[Task, None] = OrderedDict()

    def __bool__(self) -> bool:
        return bool(self._tasks)

    def add(self, task: Task) -> None:
        """Add a task at the end."""
        self._tasks[task] = None

    def remove(self, task: Task) -> None:
        """Remove a task if it is in the list."""
        self._tasks.pop(task, None)

    def wait(self, run: Execution, until: float | None = None) -> None:
        """Make the current task wait in this list, at most until a time."""
        scheduler = run.scheduler
        me = scheduler.current
        self._tasks[me] = None
        try:
            scheduler.wait(until)
        finally:
            self._tasks.pop(me, None)

    def wake_one(self, run: Execution) -> None:
        """Wake the first task that still waits."""
        tasks = self._tasks
        while tasks:
            task, _ = tasks.popitem(last=False)
            if task.parked:
                run.scheduler.wake(task)
                return

    def wake_all(self, run: Execution) -> None:
        """Wake all waiting tasks."""
        while self._tasks:
            self.wake_one(run)


def join(run: Execution, task: Task, until: float | None = None) -> bool:
    """Wait until a task has ended, at most until a time; return whether it has ended."""
    scheduler = run.scheduler
    me = scheduler.current
    while not task.done:
        if until is not None and waiting_time() >= until:
            return False
        task.waiters.append(me)
        try:
            scheduler.wait(until)
        finally:
            task.waiters.remove(me)
    return True


def seconds_of(value: object) -> float | None:
    """Convert a duration or an int of milliseconds to seconds; return None for any other value."""
    if value.__class__ is int:
        return value / 1000
    if value.__class__ is Duration:
        return value.ms / 1000
    return None


def timeout_of(value: object) -> float | None:
    """Return the seconds of a timeout argument: an int, a duration, or a dict with either as a timeout option."""
    if value.__class__ is dict:
        value = value.get("timeout_ms", value.get("max_wait_ms"))
    return seconds_of(value)


def end_of(seconds: float | None) -> float | None:
    """Return the time at which a timeout that starts now ends."""
    return None if seconds is None else waiting_time() + seconds
