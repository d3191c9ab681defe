"""Suspended loops: what they leave behind, and what their result tells of how to go on."""

from __future__ import annotations

from harnlite.agent.loop_state import SUSPENDED
from harnlite.agent.reminding import inject_spec
from harnlite.reminders.spec import ReminderSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.agent.loop_state import Loop, Stop, Suspension

TOP_LEVEL_MODE, TOP_LEVEL_NAME = "top_level_agent", "top-level-agent"
_UNKNOWN_YET = (
    "finished_at",
    "awaiting_started_at",
    "result",
    "error",
    "parent_worker_id",
    "parent_stage_id",
    "child_run_id",
    "child_run_path",
    "snapshot_path",
)


def suspend_if_asked(loop: Loop) -> bool:
    """Suspend the loop of a worker if somebody has asked for it; say whether it is."""
    suspension = loop.worker.suspend_requested() if loop.worker is not None else None
    if suspension is None:
        return False
    suspend(loop, suspension)
    return True


def suspend(loop: Loop, suspension: Suspension) -> None:
    """Let the loop end suspended, with a reminder for the turn after it is resumed."""
    run, session = loop.run, loop.session
    reason = suspension.reason.strip()
    owner, kind = (session.id, "top_level_suspend") if loop.worker is None else (loop.worker.id, "worker_suspend")
    body = "Worker suspended before the next turn" + (f": {reason}" if reason else ".")
    spec = ReminderSpec(
        body=body,
        tags=("agent_loop", kind),
        dedupe_key=f"{kind}:{owner}",
        ttl_turns=1,
        source="in_pipeline",
        fired_at_turn=session.turn,
        id=run.ids.uuid7(),
    )
    inject_spec(run, session, spec)
    extra: dict[str, object] = {
        "reason": suspension.reason,
        "initiator": suspension.initiator,
        "conditions": suspension.conditions,
        "resume_by": suspension.resume_by,
    }
    loop.end(SUSPENDED, SUSPENDED, extra=extra)


def suspended_result(loop: Loop, stop: Stop) -> dict[str, object]:
    """Return what else the result of a suspended loop says: the handle by which it is resumed, and how far it came."""
    handle = None if loop.worker is not None else top_level_handle(loop, stop)
    return {"handle": handle, "worker": handle, "iterations_completed": loop.totals.iterations}


def top_level_handle(loop: Loop, stop: Stop) -> dict[str, object]:
    """Return the handle of a loop that no worker runs."""
    run, session = loop.run, loop.session
    worker_id = f"worker_{run.ids.uuid7()}"
    now = run.ids.uuid7()
    suspension = {
        "reason": stop.extra["reason"],
        "initiator": stop.extra["initiator"],
        "suspended_at": now,
        "snapshot_ref": None,
        "suspended_at_turn": loop.totals.iterations,
        "conditions": stop.extra["conditions"],
    }
    return {
        "_type": "agent_handle",
        "id": worker_id,
        "name": TOP_LEVEL_NAME,
        "task": loop.task,
        "mode": TOP_LEVEL_MODE,
        "status": SUSPENDED,
        "created_at": loop.started_at,
        "started_at": loop.started_at,
        "history": [loop.task],
        "request": {
            "task": loop.task,
            "system": loop.system,
            "payload": None,
            "research_questions": [],
            "action_items": [],
            "workflow_stages": [],
            "verification_steps": [],
        },
        "provenance": {
            "worker_id": worker_id,
            "worker_name": TOP_LEVEL_NAME,
            "mode": TOP_LEVEL_MODE,
            "parent_worker_id": None,
            "parent_stage_id": None,
            "session_id": session.id,
            "parent_session_id": session.parent_id,
            "snapshot_path": None,
            "run_id": None,
            "run_path": None,
        },
        "artifact_count": 0,
        "has_transcript": True,
        "execution": {"cwd": run.cwd, "env": None, "worktree": None},
        "audit": {
            "worker_id": worker_id,
            "session_id": session.id,
            "parent_session_id": session.parent_id,
            "run_id": None,
            "execution_kind": TOP_LEVEL_MODE,
            "mutation_scope": None,
            "approval_policy": loop.options.given.get("approval_policy"),
        },
        "suspension": suspension,
        **dict.fromkeys(_UNKNOWN_YET),
    }
