"""Operations on workers: giving them new tasks, and closing or stopping them."""

from __future__ import annotations

from harnlite.agent.compaction.compacting import compact_session
from harnlite.agent.reminder_providers.handoffs import emitted_handoffs
from harnlite.agent.sessions.open_sessions import sessions_of
from harnlite.agent.workers.cycles import (
    Cycle,
    announce,
    begin_cycle,
    is_within,
    wait_for,
)
from harnlite.agent.workers.handles import handle_of
from harnlite.agent.workers.resumption import disarm, initiator_of, resume
from harnlite.agent.workers.worker_snapshots import keep
from harnlite.agent.workers.workers import AWAITING, CANCELLED, CLOSED, INTERRUPTED, STOPPED, SUSPENDED, workers_of
from harnlite.formats.json.writing import json_text
from harnlite.reminders.hook_events import WORKER_CANCELLED, WORKER_PROGRESSED, WORKER_STOPPED
from harnlite.runtime.tasks.clock import iso_time
from harnlite.runtime.tasks.waiting import join
from harnlite.values.display import display
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.agent.workers.workers import Worker
    from harnlite.runtime.tasks.execution import Execution

INHERIT = "inherit"
_PAUSED = frozenset({SUSPENDED, AWAITING, INTERRUPTED})
_ERROR = "worker cancelled"


# New tasks


def send_input(run: Execution, worker: Worker, text: str) -> None:
    """Give a settled worker another task; a suspended worker resumes with the text as its input."""
    if not text.strip():
        raise runtime_error("send_input: task text must not be empty")
    if worker.is_running:
        raise runtime_error(f"send_input: worker {worker.id} is still running")
    if worker.status in CLOSED:
        raise runtime_error(f"send_input: worker {worker.id} was closed")
    if worker.status == SUSPENDED:
        resume(run, worker, text, initiator_of(run, worker))
        return
    _begin_next_cycle(run, worker, text)


def trigger_worker(run: Execution, worker: Worker, payload: object) -> None:
    """Begin the next cycle of a worker that waits for a trigger."""
    if _is_empty(payload):
        raise runtime_error("worker_trigger: payload must not be empty")
    if not worker.is_retriggerable:
        raise runtime_error(f"worker_trigger: worker {worker.id} is not retriggerable")
    if worker.is_running:
        raise runtime_error(f"worker_trigger: worker {worker.id} is still running")
    if worker.status != AWAITING:
        raise runtime_error(f"worker_trigger: worker {worker.id} is not awaiting (status={worker.status})")
    worker.request = {**worker.request, "payload": payload}
    text = payload if isinstance(payload, str) else json_text(payload)
    _begin_next_cycle(run, worker, text, WORKER_PROGRESSED)


def _is_empty(payload: object) -> bool:
    if isinstance(payload, str):
        return not payload.strip()
    return payload is None or (isinstance(payload, (dict, list)) and not payload)


def _begin_next_cycle(run: Execution, worker: Worker, text: str, event: str | None = None) -> None:
    _carry_over(run, worker)
    worker.history = [*worker.history, text]
    worker.task = text
    worker.request = {**worker.request, "task": text}
    begin_cycle(run, worker, Cycle(text), event or WORKER_PROGRESSED)


def _carry_over(run: Execution, worker: Worker) -> None:
    """Apply the `carry` options, which decide what the worker keeps of its transcript and artifacts."""
    session, mode = worker.session, display(worker.carry.get("transcript_mode") or INHERIT)
    if mode == "reset":
        session.replace_transcript(session.transcript.with_messages([], []))
    elif mode == "fork":
        worker.session = sessions_of(run).fork(run, session)
    elif mode == "compact":
        compact_session(run, session, {"token_threshold": 0})
    if display(worker.carry.get("artifact_mode") or INHERIT) != INHERIT:
        worker.artifacts = []


# Closing and stopping


def close_worker(run: Execution, worker: Worker) -> None:
    """Cancel a worker and all its descendants at once."""
    ended = [one for one in _with_descendants(run, worker) if one.is_running or one.status in _PAUSED]
    for one in ended:
        disarm(run, one)
        one.status, one.error, one.suspension = CANCELLED, _ERROR, None
        one.finished_at = iso_time(run.clock.now())
        if one.job is not None:
            run.scheduler.cancel(one.job)
    for one in ended:
        if one.job is not None and not one.job.done and not is_within(run, one):
            join(run, one.job)
        keep(run, one)
        announce(run, one, WORKER_CANCELLED)


def _with_descendants(run: Execution, worker: Worker) -> list[Worker]:
    """Return a worker and all its descendants, parents first: a parent that waits for a child must not see it end."""
    found = [worker]
    for one in found:
        found += workers_of(run).children(one)
    return found


def stop_worker(run: Execution, worker: Worker, reason: str | None) -> dict[str, Any]:
    """Stop a worker and its descendants at the end of their current turns, and return the result."""
    children = [stop_worker(run, child, reason)["worker"] for child in workers_of(run).children(worker)]
    if worker.is_running:
        worker.stop_reason = reason or STOPPED
        if not is_within(run, worker):
            wait_for(run, worker)
    elif worker.status in _PAUSED:
        disarm(run, worker)
        worker.status, worker.suspension = STOPPED, None
        worker.finished_at = iso_time(run.clock.now())
        keep(run, worker)
        announce(run, worker, WORKER_STOPPED)
    handoffs = [record for session_id, record in emitted_handoffs(run) if session_id == worker.session.id]
    return {
        "_type": "agent_stop_result",
        "worker": handle_of(worker),
        "handoff": handoffs[-1] if handoffs else None,
        "handoffs": handoffs,
        "children": children,
    }
