"""Long-running operations: they run in the background, and their results are posted to the session as feedback."""

from __future__ import annotations

from harnlite.agent.sessions.current import current_session_id
from harnlite.agent.sessions.open_sessions import sessions_of
from harnlite.formats.json.writing import data_text
from harnlite.runtime.tasks.clock import iso_time
from harnlite.runtime.tasks.task import Task
from harnlite.runtime.tasks.task_errors import uncaught_text
from harnlite.values.catching import CATCHABLE, script_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.runtime.tasks.execution import Execution

KIND, SOURCE = "tool_result", "harn.long_running"
_KEY = "long_running"
_TASK_KIND = "long_running"


class Operations:
    """The running operations of a run, by handle."""

    __slots__ = ("count", "running")

    def __init__(self) -> None:
        self.count = 0
        self.running: dict[str, tuple[str | None, Task]] = {}


def _operations(run: Execution) -> Operations:
    return run.state(_KEY, Operations)


def begin(
    run: Execution, operation: str, descriptor: dict[str, object], work: Callable[[], object]
) -> dict[str, object]:
    """Start an operation for the current session, and return its handle."""
    operations = _operations(run)
    operations.count += 1
    handle_id = f"handle_{run.ids.uuid7()}"
    session_id = current_session_id(run)
    started = run.clock.now()
    handle: dict[str, object] = {
        "handle_id": handle_id,
        "operation": operation,
        "command_or_op_descriptor": descriptor,
        "started_at": iso_time(started),
        "ended_at": None,
        "duration_ms": 0,
        "status": "running",
    }

    def carry_out() -> None:
        outcome = _outcome(work)
        operations.running.pop(handle_id, None)
        if session_id is None:
            return
        ended = run.clock.now()
        times = {"ended_at": iso_time(ended), "duration_ms": int((ended - started) * 1000)}
        content = data_text({**handle, **times, **outcome})
        sessions_of(run).feedback.post(run, session_id, KIND, content, SOURCE)

    parent = run.task
    job = Task(parent.id, _TASK_KIND, operations.count, f"{parent.id}:{_TASK_KIND}")
    operations.running[handle_id] = (session_id, job)
    run.scheduler.begin(job, carry_out)
    return handle


def _outcome(work: Callable[[], object]) -> dict[str, object]:
    try:
        return {"status": "completed", "result": work()}
    except CATCHABLE as error:
        failure = script_error(error)
        if failure is None:
            raise
        return {"status": "failed", "error": uncaught_text(failure)}


def cancel(run: Execution, handle_id: object) -> bool:
    """Cancel an operation; return whether it was still running."""
    found = _operations(run).running.pop(handle_id, None) if isinstance(handle_id, str) else None
    if found is None:
        return False
    run.scheduler.cancel(found[1])
    return True


def cancel_all_of(run: Execution, session_id: str) -> None:
    """Cancel the running operations of a session that is being closed."""
    operations = run.peek(_KEY)
    if operations is None:
        return
    for handle_id, (owner, _) in list(operations.running.items()):
        if owner == session_id:
            cancel(run, handle_id)
