"""Suspended loops: what they leave behind, and what their result tells of how to go on."""

from __future__ import annotations

from harnlite.agent.loop.state.loop_state import SUSPENDED, Suspension
from harnlite.agent.sessions.reminding import inject_spec
from harnlite.reminders.spec import ReminderSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.agent.loop.state.loop_state import Loop, Stop
    from harnlite.agent.sessions.session import Session
    from harnlite.agent.workers.workers import Worker
    from harnlite.runtime.tasks.execution import Execution

TOP_LEVEL_NAME = "top-level-agent"
LOOP_PLAN = "loop"
WORKER_KIND, TOP_LEVEL_KIND = "worker_suspend", "top_level_suspend"
STOPPED = "stopped"


def suspend_if_asked(loop: Loop) -> bool:
    """Suspend or stop the loop of a worker if somebody has asked for it; say whether it goes on no further."""
    worker = loop.worker
    if worker is None:
        return False
    if worker.stop_reason is not None:
        loop.end(STOPPED, worker.stop_reason)
        return True
    suspension = worker.suspend_requested()
    if suspension is None:
        return False
    suspend(loop, suspension)
    return True


def suspend(loop: Loop, suspension: Suspension) -> None:
    """Let the loop end suspended, with a reminder for the turn after it is resumed."""
    session = loop.session
    if loop.worker is None:
        leave_reminder(loop.run, session, TOP_LEVEL_KIND, session.id, suspension.reason)
    else:
        leave_reminder(loop.run, session, WORKER_KIND, loop.worker.id, suspension.reason)
    extra: dict[str, object] = {
        "reason": suspension.reason,
        "initiator": suspension.initiator,
        "conditions": suspension.conditions,
        "resume_by": suspension.resume_by,
    }
    loop.end(SUSPENDED, SUSPENDED, extra=extra)


def leave_reminder(run: Execution, session: Session, kind: str, owner: str, reason: str) -> None:
    """Leave the reminder of a suspension in a session, for the first turn after it."""
    why = reason.strip()
    spec = ReminderSpec(
        body="Worker suspended before the next turn" + (f": {why}" if why else "."),
        tags=("agent_loop", kind),
        dedupe_key=f"{kind}:{owner}",
        ttl_turns=1,
        source="in_pipeline",
        fired_at_turn=session.turn,
        id=run.ids.uuid7(),
    )
    inject_spec(run, session, spec)


def suspended_result(loop: Loop, stop: Stop) -> dict[str, Any]:
    """Return what else the result of a suspended loop says: the handle by which it is resumed, and how far it came."""
    # Most programs never suspend anything.
    from harnlite.agent.workers.handles import handle_of

    turns = loop.totals.iterations
    said = [stop.extra.get(key) for key in ("reason", "initiator", "conditions", "resume_by")]
    suspension = Suspension(*said)  # type: ignore[arg-type]
    worker = loop.worker
    if worker is None:
        worker = _top_level_worker(loop, suspension, turns)
    else:
        worker.park(loop.run, suspension, turns)
    handle = handle_of(worker)
    return {"handle": handle, "worker": handle, "iterations_completed": turns}


def _top_level_worker(loop: Loop, suspension: Suspension, turns: int) -> Worker:
    """Make a worker of a loop that was none, so that it can be resumed."""
    from harnlite.agent.workers.resumption import arm
    from harnlite.agent.workers.worker_snapshots import keep
    from harnlite.agent.workers.workers import TOP_LEVEL, Worker, workers_of

    run, session, given = loop.run, loop.session, loop.options.given
    plan = {"kind": LOOP_PLAN, "system": loop.system, "options": given}
    worker = Worker(run, TOP_LEVEL_NAME, loop.task, TOP_LEVEL, session, plan)
    worker.created_at = worker.started_at = loop.started_at
    worker.parent_session_id = session.parent_id
    worker.request["system"] = loop.system
    worker.audit = {"approval_policy": given.get("approval_policy")}
    worker.park(run, suspension, turns)
    workers_of(run).add(worker)
    keep(run, worker)
    arm(run, worker)
    return worker
