"""Task handles: awaiting, cancelling, sleeping."""

from __future__ import annotations

from harnlite.library.native import native
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

_PATIENCE_SECONDS = 5.0
_GRACE_SECONDS = 0.250


@native("await")
def await_task(run: Execution, task: object = None) -> object:
    """Wait for a task and return its value or raise its error; anything else is returned as it is."""
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
    """End a task where it waits or polls next; what it has written is lost."""
    if task.__class__ is Task:
        _take(run, task)
        run.scheduler.cancel(task)
        task.output.clear()
        task.error = task.value = None


@native("cancel_graceful")
def cancel_graceful(run: Execution, task: object = None, timeout: object = None) -> EnumValue | None:
    """Ask a task to end and wait for it; end it if it takes too long."""
    if task.__class__ is not Task:
        return None
    if task.taken:
        return ok(None)
    _take(run, task)
    scheduler = run.scheduler
    task.cancelled = True
    patience = scheduler.at(waiting_time() + _GRACE_SECONDS, lambda: _lose_patience(run, task))
    seconds = seconds_of(timeout)
    try:
        in_time = join(run, task, waiting_time() + (_PATIENCE_SECONDS if seconds is None else seconds))
    finally:
        scheduler.timers.call_off(patience)
    if not in_time:
        scheduler.cancel(task)
        return err("cancel_graceful: timeout, task forcefully aborted")
    try:
        return ok(task.claim(run.write))
    except Exception as error:  # noqa: BLE001 - what kind of error counts, `uncaught_text` knows
        return err(uncaught_text(error))


def _lose_patience(run: Execution, task: Task) -> None:
    """Let what a task that was asked to end still waits for throw."""
    if task.blocking:
        run.scheduler.deliver(task, thrown(CANCELLED_TEXT))


@native("is_cancelled")
def is_cancelled(run: Execution) -> bool:
    """Say whether the current task was asked to end."""
    return run.task.cancelled


@native("sleep")
def sleep(run: Execution, duration: object = None) -> None:
    """Let the current task wait, whatever a mocked clock says."""
    seconds = seconds_of(duration)
    if seconds is not None and seconds >= 0:
        run.sleep(seconds)
