"""The tool calls that are running now, and how one of them is cancelled while its loop goes on."""

from __future__ import annotations

import _thread

from harnlite.runtime.tasks.clock import waiting_time
from harnlite.values.errors import DeadlinePassed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

    from harnlite.runtime.tasks.execution import Execution

_GLANCE_SECONDS = 0.01


class RunningCall:
    """The block in which a tool runs. If the call is cancelled, the block ends at once and `reason` says why.

    The cancelling is a deadline of its own that somebody else lets pass: it reaches the task where it waits or polls
    next, and every finally block inside it runs.
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
        """Say whether the call was cancelled before it was done."""
        return self.reason is not None

    @property
    def is_own(self) -> bool:
        """Say whether the task that asks is the one that runs the tool."""
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
        """End the call from the task of a run and wait that long for its end; say whether it has come."""
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
            run.sleep(min(_GLANCE_SECONDS, max(0.0, until - waiting_time())))
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
        """Return the block in which a tool is to run."""
        return RunningCall(self, run, session_id, call_id, tool)

    def find(self, session_id: str, call_id: str) -> RunningCall | None:
        """Return a call of a session that is running."""
        with self._lock:
            return self._calls.get((session_id, call_id))

    def add(self, key: tuple[str, str], call: RunningCall) -> None:
        """Take note that a call runs."""
        with self._lock:
            self._calls[key] = call

    def remove(self, key: tuple[str, str], call: RunningCall) -> None:
        """Take note that a call has ended."""
        with self._lock:
            if self._calls.get(key) is call:
                del self._calls[key]
