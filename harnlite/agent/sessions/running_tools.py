"""The running tool calls, and the cancellation of a single call while its loop continues."""

from __future__ import annotations

import _thread

from harnlite.runtime.tasks.clock import waiting_time
from harnlite.values.errors import DeadlinePassed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

    from harnlite.runtime.tasks.execution import Execution

_POLL_SECONDS = 0.01


class RunningCall:
    """A context manager for the execution of a tool; a cancelled call exits immediately, and `reason` has the reason.

    Cancellation raises DeadlinePassed with this call as its token in the task of the call, at the next point where the
    task waits or polls. All `finally` blocks in the task run.
    """

    __slots__ = ("_calls", "_key", "_run", "_task", "done", "order", "reason", "tool")

    def __init__(self, calls: RunningCalls, run: Execution, session_id: str, call_id: str, tool: str) -> None:
        self._calls = calls
        self._key = (session_id, call_id)
        self._run = run
        self._task = run.task
        self.tool = tool
        self.reason: str | None = None
        self.done = False
        self.order = 0

    @property
    def cancelled(self) -> bool:
        """Return whether the call was cancelled before it completed."""
        return self.reason is not None

    @property
    def is_own(self) -> bool:
        """Return whether the current task is the one that runs the tool."""
        return self._run.task is self._task

    def __enter__(self) -> Self:
        self._task = self._run.task
        timer = self._run.scheduler.timers.add(waiting_time(), lambda: None)
        self.order = timer.order
        self._run.scheduler.timers.call_off(timer)
        self._calls.add(self._key, self)
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> bool:
        self._calls.remove(self._key, self)
        self.done = True
        pending = self._task.pending
        if isinstance(pending, DeadlinePassed) and pending.token is self:
            self._task.pending = None
        return isinstance(error, DeadlinePassed) and error.token is self

    def cancel(self, run: Execution, reason: str, seconds: float) -> bool:
        """Cancel the call, and wait at most `seconds` for it to exit; return whether it did."""
        if self.reason is None:
            self.reason = reason
        if run is self._run:
            if run.task is self._task:
                raise DeadlinePassed(self)
            self._deliver()
        else:
            self._run.scheduler.outside.post(self._deliver)
        until = waiting_time() + seconds
        while not self.done and waiting_time() < until:
            run.sleep(min(_POLL_SECONDS, max(0.0, until - waiting_time())))
        return self.done

    def _deliver(self) -> None:
        if not self.done:
            self._run.scheduler.deliver(self._task, DeadlinePassed(self))


class RunningCalls:
    """The running tool calls of all sessions of a store."""

    __slots__ = ("_calls", "_lock")

    def __init__(self) -> None:
        self._lock = _thread.allocate_lock()
        self._calls: dict[tuple[str, str], RunningCall] = {}

    def running(self, run: Execution, session_id: str, call_id: str, tool: str) -> RunningCall:
        """Return the context manager for the execution of a tool."""
        return RunningCall(self, run, session_id, call_id, tool)

    def find(self, session_id: str, call_id: str) -> RunningCall | None:
        """Return a running call of a session, or None."""
        with self._lock:
            return self._calls.get((session_id, call_id))

    def add(self, key: tuple[str, str], call: RunningCall) -> None:
        """Register a running call."""
        with self._lock:
            self._calls[key] = call

    def remove(self, key: tuple[str, str], call: RunningCall) -> None:
        """Remove a call that has exited."""
        with self._lock:
            if self._calls.get(key) is call:
                del self._calls[key]
