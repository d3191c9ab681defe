"""Snapshots of workers in files, from which another process can resume them."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from harnlite.agent.sessions.open_sessions import sessions_of
from harnlite.agent.sessions.reminding import carry_out_clears
from harnlite.agent.sessions.session import Session
from harnlite.agent.workers.handles import audit_of
from harnlite.agent.workers.worker_snapshot_fields import is_session, is_worker
from harnlite.agent.workers.workers import INTERRUPTED, RUNNING, Worker, workers_of
from harnlite.llm.offered_tools import tool_entries
from harnlite.llm.tool_definitions import bound_entries
from harnlite.reminders.transcript import Transcript
from harnlite.runtime.access_control import place_of
from harnlite.runtime.environment_settings import setting
from harnlite.store.path_parts import is_path_part
from harnlite.store.snapshot_files import UnusableSnapshotError, read_snapshot, write_snapshot
from harnlite.values.errors import ScriptError, runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.agent.workers.workers import Support
    from harnlite.runtime.tasks.execution import Execution

TYPE = "worker_snapshot"
_FOLDER = os.path.join(".harn", "workers")
_NAME = "resume_agent"
_FIELDS = (
    "id",
    "name",
    "task",
    "mode",
    "status",
    "plan",
    "created_at",
    "started_at",
    "finished_at",
    "awaiting_started_at",
    "history",
    "request",
    "result",
    "error",
    "artifacts",
    "carry",
    "execution",
    "suspension",
    "parent_session_id",
    "parent_worker_id",
    "parent_stage_id",
    "run_id",
    "run_path",
)
_SESSION_FIELDS = ("system_prompt", "tool_format", "workspace_anchor", "parent_id", "active_skills")


def path_of(run: Execution, worker_id: str) -> str:
    """Return the path of a worker's snapshot; raise an error for an id that is not the name of a file."""
    if not is_path_part(worker_id):
        raise runtime_error(f"HARN-SUS-004: the worker id `{worker_id}` cannot be the name of a snapshot file")
    return os.path.join(run.cwd, setting("WORKER_STATE_DIR") or _FOLDER, f"{worker_id}.json")


def keep(run: Execution, worker: Worker) -> None:
    """Write a snapshot of a worker. If that fails, a warning names the file, and the worker stays in memory only."""
    if worker.carry.get("persist_state") is False:
        return
    try:
        full_path = path_of(run, worker.id)
    except ScriptError as error:
        _warn(run, worker, str(error.value).removeprefix("Runtime error: "))
        _set_snapshot_path(worker, None)
        return
    try:
        place = place_of(run, "fs.write", "spawn_agent", full_path)
        _set_snapshot_path(worker, full_path)
        write_snapshot(run, place, TYPE, _snapshot(run, worker))
    except ScriptError:
        _set_snapshot_path(worker, None)  # The host does not permit it.
    except OSError as error:
        _warn(run, worker, f"cannot write {full_path}: {error.strerror}")
        _set_snapshot_path(worker, None)


def _warn(run: Execution, worker: Worker, reason: str) -> None:
    """Write a warning, the first time only: a worker has a snapshot for each change of its status."""
    told: list[str] = run.state("snapshot_warnings", list)
    if not told:
        told.append(reason)
        run.write_error(f"[harn] warning: worker {worker.id} cannot be resumed by another process: {reason}\n")


def _set_snapshot_path(worker: Worker, full_path: str | None) -> None:
    worker.snapshot_path = full_path
    if worker.suspension is not None:
        worker.suspension = {**worker.suspension, "snapshot_ref": full_path}


def _snapshot(run: Execution, worker: Worker) -> dict[str, object]:
    session = worker.session
    carry_out_clears(run, session)
    return {
        "saved_at": datetime.fromtimestamp(run.clock.now(), UTC).isoformat(),
        "worker": {**{key: getattr(worker, key) for key in _FIELDS}, "audit": audit_of(worker)},
        "session": {
            **{key: getattr(session, key) for key in _SESSION_FIELDS},
            "id": session.id,
            "transcript": session.transcript.as_dict(),
        },
    }


def default_snapshot(run: Execution, worker_id: object) -> str | None:
    """Return the path of a worker's snapshot if the file exists."""
    if not is_path_part(worker_id):
        return None
    full_path = path_of(run, str(worker_id))
    return full_path if place_of(run, "fs.read", _NAME, full_path).is_file() else None


def load(run: Execution, path: str, source: str, support: Support) -> Worker:
    """Return the worker of a snapshot: the one that this run already has, or else one restored from the file."""
    snapshot = _read(run, os.path.join(run.cwd, path), source)
    known = workers_of(run).get(snapshot["worker"]["id"])
    if known is not None:
        return known
    worker = _restored(run, snapshot["worker"], snapshot["session"], support)
    _bind_tools(run, worker.plan)
    worker.snapshot_path = os.path.join(run.cwd, path)
    workers_of(run).add(worker)
    return worker


def _read(run: Execution, full_path: str, source: str) -> dict[str, Any]:
    place = place_of(run, "fs.read", _NAME, full_path)
    try:
        found = read_snapshot(run, place, TYPE)
    except UnusableSnapshotError as reason:
        raise _unusable(source, str(reason)) from None
    if not all(isinstance(found.get(part), dict) for part in ("worker", "session")):
        raise _unusable(source, "it is not a worker snapshot")
    if not is_worker(found["worker"]) or not is_session(found["session"]):
        raise _unusable(source, "it is incomplete")
    return found


def _unusable(source: str, reason: str) -> ScriptError:
    return runtime_error(f"HARN-SUS-004: resume_agent: failed to load snapshot `{source}`: {reason}")


def _restored(run: Execution, kept: dict[str, Any], kept_session: dict[str, Any], support: Support) -> Worker:
    session = _session(run, kept_session)
    worker = Worker(run, kept["name"], kept["task"], kept["mode"], session, kept["plan"], support)
    for key in _FIELDS:
        setattr(worker, key, kept[key])
    worker.audit = dict(kept["audit"])
    if worker.status == RUNNING:
        # The process that ran it is gone.
        worker.status = INTERRUPTED
    return worker


def _bind_tools(run: Execution, plan: dict[str, Any]) -> None:
    """Replace the tools of a plan by bound tools of the same names, because a file cannot store handlers."""
    options = plan.get("options")
    if not isinstance(options, dict) or options.get("tools") is None:
        return
    known = {entry.get("name"): entry for entry in bound_entries(run)}
    plan["options"] = {
        **options,
        "tools": [known.get(tool.get("name"), tool) for tool in tool_entries(options["tools"])],
    }


def _session(run: Execution, kept: dict[str, Any]) -> Session:
    """Return the session of a worker: the one that is still open, or else one restored from the snapshot."""
    store = sessions_of(run)
    known = store.get(kept["id"])
    if known is not None:
        return known
    session = Session(str(kept["id"]), run.clock.now(), Transcript.from_dict(kept["transcript"]))
    for key in _SESSION_FIELDS:
        setattr(session, key, kept[key])
    return store.adopt(session)
