"""The functions that compiled code calls for `spawn`, the parallel forms, `deadline`, `mutex` and `select`."""

from __future__ import annotations

from harnlite.runtime.concurrency.channels import select
from harnlite.runtime.concurrency.deadlines import Deadline as deadline  # noqa: N813 - compiled code calls it
from harnlite.runtime.concurrency.parallel import parallel_count, parallel_each, parallel_settle, parallel_stream
from harnlite.runtime.concurrency.permits import MutexBlock as mutex  # noqa: N813 - compiled code calls it
from harnlite.runtime.tasks.task import SPAWN, Task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.runtime.tasks.execution import Execution

__all__ = [
    "deadline",
    "mutex",
    "parallel_count",
    "parallel_each",
    "parallel_settle",
    "parallel_stream",
    "select",
    "spawn",
]


def spawn(run: Execution, body: Callable[[], object]) -> Task:
    """Create a task that starts when the current task yields."""
    parent = run.task
    parent.spawns += 1
    task = Task(parent.id, SPAWN, parent.spawns, parent.group_id)
    recorder = run.peek("tracing")
    if recorder is not None and recorder.on:
        recorder.inherit(task, parent)
        inner = body

        def body() -> object:
            span = recorder.begin("spawn", "spawn", task)
            try:
                return inner()
            finally:
                recorder.end(span)

    scheduler = run.scheduler
    scheduler.begin(task, body)
    scheduler.unclaimed[task] = None
    return task
