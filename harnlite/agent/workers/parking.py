"""Suspended loops, which are kept as workers so that they can be resumed."""

from __future__ import annotations

from harnlite.agent.loop.state.loop_state import Suspension
from harnlite.agent.workers.handles import handle_of
from harnlite.agent.workers.resumption import arm
from harnlite.agent.workers.worker_snapshots import keep
from harnlite.agent.workers.workers import TOP_LEVEL, Worker, workers_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.agent.loop.state.loop_state import Loop, Stop
    from harnlite.agent.workers.workers import Support

TOP_LEVEL_NAME = "top-level-agent"
LOOP_PLAN = "loop"


def park_loop(loop: Loop, stop: Stop, support: Support) -> dict[str, Any]:
    """Keep a suspended loop as a worker, and return the handle and the number of completed iterations."""
    turns = loop.totals.iterations
    request = stop.extra
    suspension = Suspension(
        str(request["reason"]), str(request["initiator"]), request.get("conditions"), request.get("resume_by")
    )
    worker = loop.worker
    if isinstance(worker, Worker):
        worker.park(loop.run, suspension, turns)
    else:
        worker = _top_level_worker(loop, suspension, turns, support)
    handle = handle_of(worker)
    return {"handle": handle, "worker": handle, "iterations_completed": turns}


def _top_level_worker(loop: Loop, suspension: Suspension, turns: int, support: Support) -> Worker:
    """Make a worker for a loop that belongs to none, so that the loop can be resumed."""
    run, session, given = loop.run, loop.session, loop.options.given
    plan = {"kind": LOOP_PLAN, "system": loop.system, "options": given}
    worker = Worker(run, TOP_LEVEL_NAME, loop.task, TOP_LEVEL, session, plan, support)
    worker.created_at = worker.started_at = loop.started_at
    worker.parent_session_id = session.parent_id
    worker.request["system"] = loop.system
    worker.audit = {"approval_policy": given.get("approval_policy")}
    worker.park(run, suspension, turns)
    workers_of(run).add(worker)
    keep(run, worker)
    arm(run, worker)
    return worker
