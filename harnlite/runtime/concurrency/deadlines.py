"""Deadline blocks, which limit how long their code may run."""

from __future__ import annotations

from harnlite.runtime.tasks.clock import waiting_time
from harnlite.runtime.tasks.waiting import seconds_of
from harnlite.values.errors import DEADLINE_EXCEEDED, DeadlinePassed, thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

    from harnlite.runtime.tasks.execution import Execution
    from harnlite.runtime.tasks.task import Task
    from harnlite.runtime.tasks.timers import Timer

DEFAULT_SECONDS = 30.0


class Deadline:
    """The block of `deadline d { … }`; it turns a DeadlinePassed with its own token into a thrown string."""

    __slots__ = ("_run", "_seconds", "_task", "_timer", "_when", "order")

    def __init__(self, run: Execution, duration: object) -> None:
        seconds = seconds_of(duration)
        self._run = run
        self._seconds = DEFAULT_SECONDS if seconds is None else seconds
        self._timer: Timer | None = None
        self._when = 0.0
        self.order = 0

    def __enter__(self) -> Self:
        if self._seconds <= 0:
            raise thrown(DEADLINE_EXCEEDED)
        self._when = waiting_time() + self._seconds
        self.order = self._watch().order
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _trace: object) -> None:
        self.suspend()
        if isinstance(error, DeadlinePassed):
            passed = error.token is self
        else:
            passed = kind is None and waiting_time() >= self._when
        if passed:
            raise thrown(DEADLINE_EXCEEDED) from None

    def suspend(self) -> None:
        """Stop the timer while the generator around the block is suspended at a `yield`."""
        if self._timer is not None:
            self._run.scheduler.timers.call_off(self._timer)
        pending = self._task.pending
        if isinstance(pending, DeadlinePassed) and pending.token is self:
            self._task.pending = None

    def resume(self) -> None:
        """Start the timer for the task that runs the block now."""
        self._watch()

    def _watch(self) -> Timer:
        self._task: Task = self._run.task
        self._timer = timer = self._run.scheduler.at(self._when, self._expire)
        return timer

    def _expire(self) -> None:
        self._run.scheduler.deliver(self._task, DeadlinePassed(self))
