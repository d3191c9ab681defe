"""Suspending workers and resuming them: on request, after a timeout, or on an event."""

from __future__ import annotations

from harnlite.agent.loop.state.loop_state import SUSPENDED, Suspension
from harnlite.agent.loop.state.resume_conditions import WITH_SUMMARY, trigger_error, triggers_of
from harnlite.agent.loop.state.suspension import remove_reminders
from harnlite.agent.sessions.current import current_session_id
from harnlite.agent.sessions.transcript_values import message_text, role_of
from harnlite.agent.workers.cycles import Cycle, Outcome, begin_cycle, is_within, settle, wait_for
from harnlite.agent.workers.worker_snapshots import default_snapshot, load
from harnlite.agent.workers.workers import CLOSED, FAILED, INTERRUPTED, worker_id_of, workers_of
from harnlite.reminders.hook_events import WORKER_RESUMED
from harnlite.runtime.tasks.clock import waiting_time
from harnlite.runtime.tasks.task import Task
from harnlite.runtime.tasks.task_errors import uncaught_text
from harnlite.store.event_log import log_of
from harnlite.values.catching import CATCHABLE, script_error
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnlite.agent.workers.workers import Support, Worker
    from harnlite.runtime.tasks.execution import Execution
    from harnlite.store.event_log import LogRecord

PARENT, OPERATOR, TIMEOUT, TRIGGERED = "parent", "operator", "timeout", "triggered"
FAIL = "fail"
_CONTINUE = "Continue with your task now."
_TIME_IS_UP = "The answer that you were waiting for did not arrive in time; continue without it."
_DIGEST_MESSAGES, _DIGEST_CHARS = 6, 240
_SECONDS = 60


def initiator_of(run: Execution, worker: Worker) -> str:
    """Return the initiator to record when the current task suspends or resumes a worker."""
    current = current_session_id(run)
    return PARENT if current is not None and current == worker.parent_session_id else OPERATOR


# Suspending


def suspend_worker(run: Execution, worker: Worker, reason: str, conditions: dict[str, Any] | None) -> None:
    """Suspend a worker at its next turn boundary, and wait for that; a suspended worker stays suspended."""
    if worker.status == SUSPENDED:
        return
    if not worker.is_running:
        raise runtime_error(f"HARN-SUS-001: suspend_agent: worker {worker.id} is not running (status={worker.status})")
    _check_triggers(worker, conditions)
    if worker.requested is None:
        worker.requested = Suspension(reason, initiator_of(run, worker), conditions)
    if not is_within(run, worker):
        wait_for(run, worker)


def arm(run: Execution, worker: Worker) -> None:
    """Register the conditions that resume a suspended worker."""
    conditions: Any = (worker.suspension or {}).get("conditions") or {}
    timeout = conditions.get("timeout")
    if timeout is not None:
        when = waiting_time() + timeout["duration_minutes"] * _SECONDS
        worker.timer = run.scheduler.at(
            when, lambda: _run_in_task(run, worker, lambda: _time_out(run, worker, timeout))
        )
    for trigger in triggers_of(conditions):
        cancel = log_of(run).subscribe(
            trigger["topic"], None, trigger.get("kind_prefix") or "", _on_record(run, worker, trigger)
        )
        worker.watches.append(cancel)
        run.endings.append(cancel)


def _on_record(run: Execution, worker: Worker, trigger: dict[str, Any]) -> Callable[[LogRecord], None]:
    """Return a listener for records of a trigger's topic. It may be called on any thread, and resumes the worker."""

    def on_record(record: LogRecord) -> None:
        run.scheduler.outside.post(
            lambda: _run_in_task(run, worker, lambda: _resume_on_record(run, worker, trigger, record))
        )

    return on_record


def _check_triggers(worker: Worker, conditions: dict[str, Any] | None) -> None:
    error_text = trigger_error(conditions)
    trigger = (conditions or {}).get("trigger")
    if error_text is None and trigger is not None and not isinstance(trigger.get("topic"), str):
        error_text = "it has no `topic`"
    if error_text is not None:
        raise runtime_error(
            f"HARN-SUS-007: suspend_agent: the trigger of worker {worker.id} cannot be registered: {error_text}"
        )


def disarm(run: Execution, worker: Worker) -> None:
    """Cancel the conditions that resume a worker."""
    timer, worker.timer = worker.timer, None
    if timer is not None:
        run.scheduler.timers.call_off(timer)
    watches, worker.watches = worker.watches, []
    for cancel in watches:
        cancel()


def _run_in_task(run: Execution, worker: Worker, action: Callable[[], object]) -> None:
    """Run an action in a new task, because script code may not run where conditions are met."""
    if worker.status != SUSPENDED:
        return
    workers = workers_of(run)
    workers.count += 1
    main = run.scheduler.main
    job = Task(main.id, "worker", workers.count, f"{main.id}:worker")
    run.scheduler.begin(job, action, parent=main)


def _time_out(run: Execution, worker: Worker, timeout: dict[str, Any]) -> None:
    if worker.status != SUSPENDED:
        return
    disarm(run, worker)
    if timeout["on_timeout"] == FAIL:
        worker.status = FAILED
        settle(run, worker, Outcome(worker.result, f"worker {worker.id} was not resumed in time"))
        return
    has_summary = timeout["on_timeout"] == WITH_SUMMARY
    try:
        resume(run, worker, None if has_summary else _TIME_IS_UP, TIMEOUT, continue_transcript=not has_summary)
    except CATCHABLE as error:
        failure = script_error(error)
        if failure is None:
            raise
        if worker.status != SUSPENDED:
            return
        worker.status = FAILED
        text = f"HARN-SUS-008: timeout action of worker {worker.id} failed: {uncaught_text(failure)}"
        settle(run, worker, Outcome(worker.result, text))


def _resume_on_record(run: Execution, worker: Worker, trigger: dict[str, Any], record: dict[str, Any]) -> None:
    if worker.status == SUSPENDED:
        name = trigger.get("id") or trigger["topic"]
        resume(run, worker, None, TRIGGERED, trigger={"id": name, "event_id": record["id"]})


# Resuming


def resumable(run: Execution, value: object, support: Support) -> Worker:
    """Return the worker for a handle, an id or the path of a snapshot."""
    worker_id = worker_id_of(value)
    worker = workers_of(run).get(worker_id)
    if worker is not None:
        return worker
    default_path = default_snapshot(run, worker_id)
    if default_path is not None:
        return load(run, default_path, worker_id, support)
    path = value.get("snapshot_path") if isinstance(value, dict) else worker_id
    if isinstance(path, str) and not path.startswith("worker_"):
        return load(run, path, path, support)
    raise runtime_error(f"unknown worker: {worker_id}")


def resume_worker(run: Execution, worker: Worker, answer: object, *, continue_transcript: bool) -> None:
    """Resume a suspended or interrupted worker at a script's request."""
    if answer is not None and (not isinstance(answer, str) or not answer.strip()):
        raise runtime_error("HARN-SUS-009: resume_agent: resume input must be nil or non-empty text")
    if worker.status in CLOSED:
        raise runtime_error(f"HARN-SUS-010: resume_agent: worker {worker.id} was closed and cannot be resumed")
    if worker.status not in (SUSPENDED, INTERRUPTED):
        raise runtime_error(f"HARN-SUS-003: resume_agent: worker {worker.id} is not suspended (status={worker.status})")
    resume(run, worker, answer, initiator_of(run, worker), continue_transcript=continue_transcript)


def resume(
    run: Execution,
    worker: Worker,
    answer: str | None,
    initiator: str,
    *,
    continue_transcript: bool = True,
    trigger: dict[str, object] | None = None,
) -> None:
    """Begin the cycle that follows a pause."""
    disarm(run, worker)
    digest = None if continue_transcript else _digest(worker)
    facts: dict[str, object] = {
        "initiator": initiator,
        "input": answer,
        "input_rendered": answer,
        "input_present": answer is not None,
        "continue_transcript": continue_transcript,
        "digest": digest,
        "trigger": trigger,
    }
    suspension = dict(worker.suspension or {})
    payload: dict[str, object] = {
        **{key: value for key, value in facts.items() if key != "initiator"},
        **suspension,
        "session": {"id": worker.session.id},
        "worker": {"id": worker.id, "name": worker.name, "mode": worker.mode},
        "suspension": suspension,
        "resume": facts,
        "turn": 0,
        "iteration": 0,
    }
    content = answer or _CONTINUE
    if not continue_transcript:
        worker.session.replace_transcript(worker.session.transcript.with_messages([], []))
        content = "\n\n".join([text for text in (worker.task, answer) if text])
    if answer is not None:
        worker.history = [*worker.history, answer]
    remove_reminders(run, worker.session, worker.id)
    if not begin_cycle(run, worker, Cycle(worker.task, content, payload), WORKER_RESUMED):
        raise runtime_error(
            f"HARN-SUS-006: resume_agent: worker {worker.id} changed before resume could complete "
            f"(status={worker.status})"
        )


def _digest(worker: Worker) -> str:
    """Return the last messages before the pause in a few lines."""
    transcript = worker.session.transcript
    lines = [transcript.summary] if transcript.summary else []
    for message in transcript.messages()[-_DIGEST_MESSAGES:]:
        text = " ".join(message_text(message).split())
        lines.append(f"{role_of(message)}: {text[:_DIGEST_CHARS]}{'…' if len(text) > _DIGEST_CHARS else ''}")
    return "\n".join(lines)
