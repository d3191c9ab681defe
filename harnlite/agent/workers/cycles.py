"""The cycles of workers: each cycle runs as a task, and its outcome decides the state in the worker's handle."""

from __future__ import annotations

from harnlite.agent.hooks.firing import fire_persona, fire_worker
from harnlite.agent.loop.loop import run_opened
from harnlite.agent.loop.start import open_loop
from harnlite.agent.loop.state.loop_options import RESUME_OPTION
from harnlite.agent.loop.state.loop_state import FAILED as LOOP_FAILED
from harnlite.agent.loop.state.loop_state import PROVIDER_ERROR
from harnlite.agent.sessions.live_events import emit
from harnlite.agent.sessions.open_sessions import sessions_of
from harnlite.agent.workers.handles import audit_of, summary_of
from harnlite.agent.workers.worker_snapshots import keep
from harnlite.agent.workers.workers import (
    AWAITING,
    CANCELLED,
    COMPLETED,
    FAILED,
    INTERRUPTED,
    RUNNING,
    STOPPED,
    SUSPENDED,
    WORKER_FACT,
    workers_of,
)
from harnlite.reminders.hook_events import (
    ON_PERSONA_PAUSED,
    ON_PERSONA_RESUMED,
    WORKER_CANCELLED,
    WORKER_COMPLETED,
    WORKER_FAILED,
    WORKER_RESUMED,
    WORKER_SPAWNED,
    WORKER_STOPPED,
    WORKER_SUSPENDED,
    WORKER_WAITING_FOR_INPUT,
)
from harnlite.runtime.tasks.clock import iso_time
from harnlite.runtime.tasks.task import Task
from harnlite.runtime.tasks.task_errors import uncaught_text
from harnlite.runtime.tasks.waiting import join
from harnlite.values.catching import CATCHABLE, script_error
from harnlite.values.display import display
from harnlite.values.errors import Unwinding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.agent.loop.state.loop_state import Loop
    from harnlite.agent.workers.workers import Worker
    from harnlite.runtime.tasks.execution import Execution

CONTENT_OPTION = "initial_user_content"
_KIND = "worker"
_EVENTS = {
    COMPLETED: WORKER_COMPLETED,
    FAILED: WORKER_FAILED,
    CANCELLED: WORKER_CANCELLED,
    STOPPED: WORKER_STOPPED,
    SUSPENDED: WORKER_SUSPENDED,
    AWAITING: WORKER_WAITING_FOR_INPUT,
}
_CYCLE_FIELDS = ("status", "started_at", "finished_at", "awaiting_started_at", "error", "suspension")
_PERSONA_EVENTS = {WORKER_SUSPENDED: ON_PERSONA_PAUSED, WORKER_RESUMED: ON_PERSONA_RESUMED}


class Cycle:
    """One cycle: its task, the message that replaces the task for the model, and the facts about a pause before it."""

    __slots__ = ("content", "resumption", "task")

    def __init__(self, task: str, content: str | None = None, resumption: dict[str, object] | None = None) -> None:
        self.task = task
        self.content = content
        self.resumption = resumption

    def options(self) -> dict[str, object]:
        """Return the additional options for the loop of the cycle."""
        found: dict[str, object] = {}
        if self.content is not None:
            found[CONTENT_OPTION] = self.content
        if self.resumption is not None:
            found[RESUME_OPTION] = self.resumption
        return found


class Outcome:
    """The outcome of a cycle; with an error, the cycle has failed."""

    __slots__ = ("artifacts", "error", "result", "status")

    def __init__(self, result: dict[str, Any] | None, error: str | None = None, status: str = COMPLETED) -> None:
        self.result = result
        self.error = error
        self.status = FAILED if error is not None else status
        self.artifacts: list[object] = []


def announce(run: Execution, worker: Worker, event: str) -> None:
    """Report an event of a worker to listeners and hooks."""
    summary = summary_of(worker)
    emit(
        run,
        worker.parent_session_id or worker.session.id,
        "worker_update",
        {
            **{f"worker_{key}": summary[key] for key in ("id", "name", "task", "mode")},
            "event": event,
            "status": worker.status,
            "metadata": summary["metadata"],
            "audit": audit_of(worker),
        },
    )
    fire_worker(run, event, {"worker": summary})
    if event in _PERSONA_EVENTS:
        fire_persona(run, _PERSONA_EVENTS[event], {"session": {"id": worker.session.id}, "worker": summary})


def spawn_worker(run: Execution, worker: Worker, cycle: Cycle) -> None:
    """Start a new worker, unless a hook closes the worker or throws."""
    workers = workers_of(run)
    workers.add(worker)
    is_started = False
    try:
        keep(run, worker)
        announce(run, worker, WORKER_SPAWNED)
        is_started = True
    finally:
        if not is_started:
            workers.forget(worker)
    if worker.is_running:
        begin_cycle(run, worker, cycle)


def begin_cycle(run: Execution, worker: Worker, cycle: Cycle, event: str | None = None) -> bool:
    """Begin a cycle of a worker, and return whether it has begun; it runs when the current task yields.

    The cycle does not begin if a hook or listener of the event has ended the worker.
    """
    sessions_of(run).adopt(worker.session)
    before = {key: getattr(worker, key) for key in _CYCLE_FIELDS}
    worker.status = RUNNING
    worker.started_at = iso_time(run.clock.now())
    worker.finished_at = worker.awaiting_started_at = worker.error = None
    worker.stop_reason = worker.requested = worker.suspension = None
    if event is not None:
        _announce_or_restore(run, worker, event, before)
        if not worker.is_running:
            return False
    parent, workers = run.task, workers_of(run)
    workers.count += 1
    job = Task(parent.id, _KIND, workers.count, f"{parent.id}:{_KIND}")
    recorder = run.peek("tracing")
    if recorder is not None and recorder.on:
        recorder.inherit(job, parent)
    worker.job = job
    run.scheduler.unclaimed[job] = None
    run.scheduler.begin(job, lambda: _run_cycle(run, worker, cycle))
    return True


def _announce_or_restore(run: Execution, worker: Worker, event: str, before: dict[str, object]) -> None:
    """Report a cycle that is about to begin; if a hook throws, restore the state of the worker."""
    is_announced = False
    try:
        announce(run, worker, event)
        is_announced = True
    finally:
        if not is_announced:
            for key, value in before.items():
                setattr(worker, key, value)
        keep(run, worker)


def _run_cycle(run: Execution, worker: Worker, cycle: Cycle) -> None:
    run.task.facts = {**run.task.facts, WORKER_FACT: worker.id}
    try:
        settle(run, worker, perform(run, worker, cycle))
    except CATCHABLE as error:
        # A hook for the end of the cycle has thrown.
        failure = script_error(error)
        if failure is None:
            raise
        worker.status, worker.error = FAILED, uncaught_text(failure)
        keep(run, worker)
    except Unwinding:
        if worker.status == RUNNING:
            worker.status = INTERRUPTED
            worker.finished_at = iso_time(run.clock.now())
            keep(run, worker)
        raise


def perform(run: Execution, worker: Worker, cycle: Cycle) -> Outcome:
    """Carry out the plan of a worker; an error that it throws becomes the outcome."""
    try:
        return worker.support.perform(run, worker, cycle)
    except CATCHABLE as error:
        failure = script_error(error)
        if failure is None:
            raise
        return Outcome(None, uncaught_text(failure))


def settle(run: Execution, worker: Worker, outcome: Outcome) -> None:
    """Record the outcome of a cycle, and report it."""
    worker.result, worker.error = outcome.result, outcome.error
    worker.artifacts = [*worker.artifacts, *outcome.artifacts]
    if worker.status != SUSPENDED:
        worker.status = outcome.status
        if worker.stop_reason is not None and outcome.status == COMPLETED:
            worker.status = STOPPED
        elif worker.is_retriggerable and outcome.status == COMPLETED:
            worker.status = AWAITING
    now = iso_time(run.clock.now())
    if worker.status == AWAITING:
        worker.awaiting_started_at = now
    elif worker.status != SUSPENDED:
        worker.finished_at = now
        worker.suspension = None
    else:
        worker.support.arm(run, worker)
    keep(run, worker)
    announce(run, worker, _EVENTS[worker.status])


# Loops of workers


def open_worker_loop(run: Execution, worker: Worker, cycle: Cycle, system: object, options: dict[str, Any]) -> Loop:
    """Open the loop of a cycle on its worker's session."""
    given = {**options, **cycle.options(), "session_id": worker.session.id}
    loop = open_loop(run, cycle.task, system, given, worker.support)
    loop.worker = worker
    return loop


def loop_error(result: dict[str, Any]) -> object:
    """Return the error of a failed loop, or None if the loop has not failed."""
    return result.get("error") or result["status"] if result["status"] in (LOOP_FAILED, PROVIDER_ERROR) else None


def error_message(error: object) -> str:
    """Return the message of an error of a loop."""
    if isinstance(error, dict) and isinstance(error.get("message"), str):
        return str(error["message"])
    return display(error)


def perform_loop(run: Execution, worker: Worker, cycle: Cycle) -> Outcome:
    """Continue a suspended loop that the program itself has started."""
    plan = worker.plan
    result = run_opened(open_worker_loop(run, worker, cycle, plan.get("system"), plan["options"]))
    error = loop_error(result)
    return Outcome(result, None if error is None else error_message(error))


# Waiting for workers


def wait_for(run: Execution, worker: Worker) -> None:
    """Wait until no cycle of a worker is running, and write the output of its tasks."""
    while (job := worker.job) is not None:
        if not job.done:
            join(run, job)
        if not job.taken:
            job.taken = True
            run.scheduler.unclaimed.pop(job, None)
            job.claim(run.write)
        if worker.job is job:
            return


def is_within(run: Execution, worker: Worker) -> bool:
    """Return whether the current task belongs to a worker or to a descendant, and so cannot wait for the worker."""
    workers = workers_of(run)
    inner = workers.get(run.task.facts.get(WORKER_FACT))
    while inner is not None and inner is not worker:
        inner = workers.get(inner.parent_worker_id)
    return inner is worker
