"""The handle of a worker, which scripts see, and its summary for hooks and listeners."""

from __future__ import annotations

from harnlite.agent.workers.workers import REQUEST_LISTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.agent.workers.workers import Worker

TYPE = "agent_handle"
_PLAIN = (
    "id",
    "name",
    "task",
    "mode",
    "status",
    "created_at",
    "started_at",
    "finished_at",
    "awaiting_started_at",
    "result",
    "error",
    "parent_worker_id",
    "parent_stage_id",
    "snapshot_path",
    "suspension",
)


def handle_of(worker: Worker) -> dict[str, Any]:
    """Return a handle with the current state of a worker."""
    return {
        "_type": TYPE,
        **{key: getattr(worker, key) for key in _PLAIN},
        "history": list(worker.history),
        "request": {**{key: [] for key in REQUEST_LISTS}, **worker.request},
        "provenance": _provenance(worker),
        "artifact_count": len(worker.artifacts),
        "has_transcript": worker.session.transcript.event_count > 0,
        "child_run_id": worker.run_id,
        "child_run_path": worker.run_path,
        "execution": dict(worker.execution),
        "audit": audit_of(worker),
    }


def _provenance(worker: Worker) -> dict[str, object]:
    return {
        "worker_id": worker.id,
        "worker_name": worker.name,
        "mode": worker.mode,
        "parent_worker_id": worker.parent_worker_id,
        "parent_stage_id": worker.parent_stage_id,
        "session_id": worker.session.id,
        "parent_session_id": worker.parent_session_id,
        "snapshot_path": worker.snapshot_path,
        "run_id": worker.run_id,
        "run_path": worker.run_path,
    }


def audit_of(worker: Worker) -> dict[str, object]:
    """Return the audit record of a worker, which identifies the sessions and the run that it acts for."""
    return {
        "mutation_scope": None,
        "approval_policy": None,
        **worker.audit,
        "worker_id": worker.id,
        "session_id": worker.session.id,
        "parent_session_id": worker.parent_session_id,
        "run_id": worker.run_id,
        "execution_kind": worker.mode,
    }


def summary_of(worker: Worker) -> dict[str, object]:
    """Return the summary of a worker for hooks and listeners."""
    metadata: dict[str, object] = {"session_id": worker.session.id, "parent_session_id": worker.parent_session_id}
    for key in ("error", "suspension"):
        if getattr(worker, key) is not None:
            metadata[key] = getattr(worker, key)
    return {
        "id": worker.id,
        "name": worker.name,
        "task": worker.task,
        "mode": worker.mode,
        "status": worker.status,
        "metadata": metadata,
    }
