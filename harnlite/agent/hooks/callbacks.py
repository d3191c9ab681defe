"""Calls of callbacks with a deadline."""

from __future__ import annotations

from harnlite.runtime.environment_settings import setting
from harnlite.runtime.tasks.clock import waiting_time
from harnlite.values.errors import DEADLINE_EXCEEDED, DeadlinePassed, thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from harnlite.runtime.tasks.execution import Execution
    from harnlite.runtime.tasks.task import Task
    from harnlite.runtime.tasks.timers import Timer

TIMEOUT_MS = 30_000


class GuardedCalls:
    """A context manager for consecutive calls of callbacks; each call has its own deadline, and all share one timer."""

    __slots__ = ("_run", "_seconds", "_task", "_timer", "_when", "order")

    def __init__(self, run: Execution) -> None:
        self._run = run
        self._seconds = run.state("hook_timeout", _timeout_seconds)
        self._task: Task = run.task
        self._timer: Timer | None = None
        self._when = 0.0
        self.order = 0

    def __enter__(self) -> Self:
        if self._seconds:
            self._when = waiting_time() + self._seconds
            self._timer = self._run.scheduler.at(self._when, self._expire)
            self.order = self._timer.order
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        timer = self._timer
        if timer is None:
            return
        self._run.scheduler.timers.call_off(timer)
        pending = self._task.pending
        if isinstance(pending, DeadlinePassed) and pending.token is self:
            self._task.pending = None
        if isinstance(error, DeadlinePassed) and error.token is self:
            raise thrown(DEADLINE_EXCEEDED) from None

    def call(self, closure: Callable[..., object], *args: object) -> object:
        """Call a closure; throw an error if it does not return before its deadline."""
        try:
            value = closure(*args)
        except DeadlinePassed as deadline:
            if deadline.token is not self:
                raise
            raise thrown(DEADLINE_EXCEEDED) from None
        if self._seconds:
            now = waiting_time()
            if now >= self._when:
                raise thrown(DEADLINE_EXCEEDED)
            self._when = now + self._seconds
        return value

    def _expire(self) -> None:
        """Stop the running closure, or set the timer again if it was set for an earlier closure."""
        if waiting_time() < self._when:
            self._timer = self._run.scheduler.at(self._when, self._expire)
        else:
            self._run.scheduler.deliver(self._task, DeadlinePassed(self))


def call_guarded(run: Execution, closure: Callable[..., object], *args: object) -> object:
    """Call the closure of a hook with a deadline."""
    with GuardedCalls(run) as guarded:
        return guarded.call(closure, *args)


def _timeout_seconds() -> float:
    """Return HARN_HOOK_TIMEOUT_MS in seconds; 0 means no deadline, and an invalid value means the default."""
    text = (setting("HOOK_TIMEOUT_MS") or "").strip()
    return (int(text) if text.isascii() and text.isdecimal() else TIMEOUT_MS) / 1000
