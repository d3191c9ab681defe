"""Builtins that await and cancel tasks, and sleep."""

from __future__ import annotations

from harnlite.library.native import native
from harnlite.library.permissions import require
from harnlite.runtime.tasks.clock import waiting_time
from harnlite.runtime.tasks.scheduler import CANCELLED_TEXT
from harnlite.runtime.tasks.task import Task
from harnlite.runtime.tasks.task_errors import uncaught_text
from harnlite.runtime.tasks.waiting import join, seconds_of
from harnlite.values.data_types import err, ok
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.execution import Execution
    from harnlite.values.data_types import EnumValue

_TIMEOUT_SECONDS = 5.0
_GRACE_SECONDS = 0.250


@native("await")
def await_task(run: Execution, task: object = None) -> object:
    """Wait for a task and return its value or raise its error; return any other value unchanged."""
    if task.__class__ is not Task:
        return task
    if task.taken:
        return None
    _take(run, task)
    try:
        join(run, task)
    except BaseException:
        task.taken = False
        run.scheduler.unclaimed[task] = None
        raise
    return task.claim(run.write)


def _take(run: Execution, task: Task) -> None:
    task.taken = True
    run.scheduler.unclaimed.pop(task, None)


@native("cancel")
def cancel(run: Execution, task: object = None) -> None:
    """Cancel a task, which stops where it next waits or polls; its output is discarded."""
    if task.__class__ is Task:
        _take(run, task)
        run.scheduler.cancel(task)
        task.output.clear()
        task.error = task.value = None


@native("cancel_graceful")
def cancel_graceful(run: Execution, task: object = None, timeout: object = None) -> EnumValue | None:
    """Ask a task to stop and wait for it; cancel it if it does not stop before the timeout."""
    if task.__class__ is not Task:
        return None
    if task.taken:
        return ok(None)
    _take(run, task)
    scheduler = run.scheduler
    task.cancelled = True
    grace_timer = scheduler.at(waiting_time() + _GRACE_SECONDS, lambda: _interrupt_wait(run, task))
    seconds = seconds_of(timeout)
    try:
        in_time = join(run, task, waiting_time() + (_TIMEOUT_SECONDS if seconds is None else seconds))
    finally:
        scheduler.timers.call_off(grace_timer)
    if not in_time:
        scheduler.cancel(task)
        return err("cancel_graceful: timeout, task forcefully aborted")
    try:
        return ok(task.claim(run.write))
    except Exception as error:  # noqa: BLE001 - `uncaught_text` distinguishes the kinds of errors
        return err(uncaught_text(error))


def _interrupt_wait(run: Execution, task: Task) -> None:
    """Throw the cancellation into a task that was asked to stop but still waits."""
    if task.blocking:
        run.scheduler.deliver(task, thrown(CANCELLED_TEXT))


@native("is_cancelled")
def is_cancelled(run: Execution) -> bool:
    """Return whether the current task was asked to stop."""
    return run.task.cancelled


@native("sleep")
def sleep(run: Execution, duration: object = None) -> None:
    """Suspend the current task for a duration; a mocked clock does not affect it."""
    require(run, "clock.sleep", "sleep")
    seconds = seconds_of(duration)
    if seconds is not None and seconds >= 0:
        run.sleep(seconds)
