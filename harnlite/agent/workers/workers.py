"""Workers: agents that run concurrently with the program, each with its own session, and the lookup of workers."""

from __future__ import annotations

from harnlite.agent.sessions.current import current_session_id
from harnlite.runtime.tasks.clock import iso_time
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol

    from harnlite.agent.loop.state.feature_slots import WorkerSupport
    from harnlite.agent.loop.state.loop_state import Suspension
    from harnlite.agent.sessions.session import Session
    from harnlite.agent.workers.cycles import Cycle, Outcome
    from harnlite.runtime.tasks.execution import Execution
    from harnlite.runtime.tasks.task import Task
    from harnlite.runtime.tasks.timers import Timer

    class Support(WorkerSupport, Protocol):
        """The functions of higher modules that the loops, cycles and pauses of a worker call."""

        def perform(self, run: Execution, worker: Worker, cycle: Cycle) -> Outcome:
            """Run one cycle of a worker according to its plan."""

        def arm(self, run: Execution, worker: Worker) -> None:
            """Register the conditions that resume a suspended worker."""


RUNNING, COMPLETED, FAILED, CANCELLED = "running", "completed", "failed", "cancelled"
AWAITING, SUSPENDED, STOPPED, INTERRUPTED = "awaiting", "suspended", "stopped", "interrupted"
CLOSED = frozenset({CANCELLED, STOPPED})
STAGE, SUB_AGENT, WORKFLOW, TOP_LEVEL = "stage", "sub_agent", "workflow", "top_level_agent"
WORKER_FACT = "worker_id"

REQUEST_LISTS = ("research_questions", "action_items", "workflow_stages", "verification_steps")
_KEY = "agent_workers"


class Worker:
    """An agent with its own task. `plan` describes what it does in each cycle, as data that a snapshot can store."""

    __slots__ = (
        "artifacts",
        "audit",
        "awaiting_started_at",
        "carry",
        "created_at",
        "error",
        "execution",
        "finished_at",
        "history",
        "id",
        "job",
        "mode",
        "name",
        "parent_session_id",
        "parent_stage_id",
        "parent_worker_id",
        "plan",
        "request",
        "requested",
        "result",
        "run_id",
        "run_path",
        "session",
        "snapshot_path",
        "started_at",
        "status",
        "stop_reason",
        "support",
        "suspension",
        "task",
        "timer",
        "watches",
    )

    def __init__(
        self,
        run: Execution,
        name: str,
        task: str,
        mode: str,
        session: Session,
        plan: dict[str, Any],
        support: Support,
    ) -> None:
        self.id = f"worker_{run.ids.uuid7()}"
        self.name = name
        self.task = task
        self.mode = mode
        self.session = session
        self.plan = plan
        self.support = support
        self.status = RUNNING
        self.created_at: str | None = iso_time(run.clock.now())
        self.started_at: str | None = None
        self.finished_at: str | None = None
        self.awaiting_started_at: str | None = None
        self.history = [task]
        self.request: dict[str, object] = {"task": task, "system": None, "payload": None}
        self.result: dict[str, Any] | None = None
        self.error: str | None = None
        self.artifacts: list[object] = []
        self.carry: dict[str, Any] = {}
        self.execution: dict[str, object] = {"cwd": run.cwd, "env": None, "worktree": None}
        self.audit: dict[str, object] = {}
        self.suspension: dict[str, object] | None = None
        self.snapshot_path: str | None = None
        self.parent_session_id = current_session_id(run)
        self.parent_worker_id: object = run.task.facts.get(WORKER_FACT)
        self.parent_stage_id: object = run.task.facts.get("stage_id")
        self.run_id: str | None = None
        self.run_path: str | None = None
        # Control of the running cycle.
        self.job: Task | None = None
        self.requested: Suspension | None = None
        self.stop_reason: str | None = None
        self.timer: Timer | None = None
        self.watches: list[Callable[[], None]] = []

    @property
    def is_running(self) -> bool:
        """Return whether a cycle is running."""
        return self.status == RUNNING

    @property
    def is_retriggerable(self) -> bool:
        """Return whether the worker waits for a trigger after each cycle."""
        return self.carry.get("retriggerable") is True

    @property
    def is_asked(self) -> bool:
        """Return whether the worker was asked to suspend or to stop."""
        return self.requested is not None or self.stop_reason is not None

    def suspend_requested(self) -> Suspension | None:
        """Return and clear the request to suspend the worker at the next turn boundary, if there is one."""
        requested, self.requested = self.requested, None
        return requested

    def park(self, run: Execution, suspension: Suspension, turn: int) -> None:
        """Mark the worker as suspended after a number of turns."""
        self.status = SUSPENDED
        self.requested = None
        self.suspension = {
            "reason": suspension.reason,
            "initiator": suspension.initiator,
            "suspended_at": iso_time(run.clock.now()),
            "snapshot_ref": self.snapshot_path,
            "suspended_at_turn": turn,
            "conditions": suspension.conditions,
        }


class Workers:
    """The workers of a run, in the order in which they were created."""

    __slots__ = ("_by_id", "count")

    def __init__(self) -> None:
        self._by_id: dict[str, Worker] = {}
        self.count = 0

    def add(self, worker: Worker) -> None:
        """Add a worker."""
        self._by_id[worker.id] = worker

    def forget(self, worker: Worker) -> None:
        """Remove a worker that has never started."""
        self._by_id.pop(worker.id, None)

    def get(self, worker_id: object) -> Worker | None:
        """Return the worker with an id, or None."""
        return self._by_id.get(worker_id) if isinstance(worker_id, str) else None

    def all(self) -> list[Worker]:
        """Return all workers."""
        return list(self._by_id.values())

    def children(self, worker: Worker) -> list[Worker]:
        """Return the workers that a worker has created."""
        return [one for one in self._by_id.values() if one.parent_worker_id == worker.id]


def workers_of(run: Execution) -> Workers:
    """Return the workers of a run."""
    return run.state(_KEY, Workers)


def worker_id_of(value: object) -> str:
    """Return the id in a handle; return an id unchanged."""
    if isinstance(value, str):
        return value
    if value.__class__ is not dict:
        raise runtime_error("expected agent handle or worker id")
    found = value.get("id")
    if not isinstance(found, str) or not found:
        raise runtime_error("agent handle dict is missing an id field")
    return found


def worker_of(run: Execution, value: object) -> Worker:
    """Return the worker for a handle or an id."""
    worker_id = worker_id_of(value)
    worker = workers_of(run).get(worker_id)
    if worker is None:
        raise runtime_error(f"unknown worker: {worker_id}")
    return worker
