"""The suspension of a loop, and the reminder that is pending until the loop resumes."""

from __future__ import annotations

from harnlite.agent.loop.state.iteration_budget import STOPPED
from harnlite.agent.loop.state.loop_state import SUSPENDED, Suspension
from harnlite.agent.sessions.reminding import inject_spec, write_records
from harnlite.reminders.lifecycle import clear
from harnlite.reminders.selector import Selector
from harnlite.reminders.spec import ReminderSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.agent.loop.state.loop_state import Loop
    from harnlite.agent.sessions.session import Session
    from harnlite.runtime.tasks.execution import Execution

WORKER_KIND, TOP_LEVEL_KIND = "worker_suspend", "top_level_suspend"


def suspend_if_asked(loop: Loop) -> bool:
    """Suspend or stop the loop of a worker if that was requested; return whether the loop ends here."""
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
    """End the loop as suspended, with a reminder that stays in the session until the loop resumes."""
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
    """Add the reminder of a suspension to a session."""
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


def remove_reminders(run: Execution, session: Session, worker_id: str) -> None:
    """Remove the reminder of a suspension before the session resumes; `resume_continuity` describes the pause."""
    for kind, owner in ((WORKER_KIND, worker_id), (TOP_LEVEL_KIND, session.id)):
        removal = clear(session.transcript, Selector(tag=kind, dedupe_key=f"{kind}:{owner}"))
        session.transcript = removal.transcript
        write_records(run, session.id, removal.records)
