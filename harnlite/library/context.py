"""Builtins for the context of a task: its identity, and the values that the tasks it starts inherit."""

from __future__ import annotations

from harnlite.library.native import native
from harnlite.runtime.tasks.task import ROOT_ID
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.execution import Execution

_FIELDS = (
    "agent_name",
    "agent_session_id",
    "binding_key",
    "capacity_class",
    "parent_agent_session_id",
    "provider",
    "root_agent_session_id",
    "run_id",
    "runner",
    "scheduler_key",
    "scope_id",
    "span_id",
    "stage_id",
    "tenant_id",
    "trace_id",
    "trigger_event_id",
    "trigger_id",
    "worker_id",
    "workflow_id",
)


def fact(run: Execution, name: str) -> object:
    """Return a fact about the current task, or about its run if the task does not set it."""
    facts = run.task.facts
    return facts[name] if name in facts else run.context.get(name)


def _describe(run: Execution) -> dict[str, object]:
    task = run.task
    found: dict[str, object] = {name: fact(run, name) for name in _FIELDS}
    found["cancelled"] = task.cancelled
    found["context_values"] = dict(task.context)
    found["debug"] = {
        "active_task_ids": [other.id for other in run.scheduler.live if other.parent_id == task.id],
        "cancelled": task.cancelled,
        "held_synchronization": [],
        "supervisors": [],
        "waiting_reason": None,
    }
    found["parent_task_id"] = task.parent_id
    found["root_task_id"] = ROOT_ID
    found["task_group_id"] = task.group_id
    found["task_id"] = task.id
    found["task_name"] = task.kind
    return found


@native("runtime_context")
def runtime_context(run: Execution) -> dict[str, object]:
    """Return the identity of the current task and of the agent, workflow and trigger that it runs for."""
    return _describe(run)


@native("task_current")
def task_current(run: Execution) -> dict[str, object]:
    """Return the identity of the current task and of the agent, workflow and trigger that it runs for."""
    return _describe(run)


def _key(function: str, key: object) -> str:
    if key.__class__ is not str:
        raise runtime_error(f"{function}: first argument must be a string key")
    return key


@native("runtime_context_get")
def runtime_context_get(run: Execution, key: object = None, default: object = None) -> object:
    """Return a context value that this task or one of its ancestors has set."""
    return run.task.context.get(_key("runtime_context_get", key), default)


@native("runtime_context_set")
def runtime_context_set(run: Execution, key: object = None, value: object = None) -> object:
    """Set a context value for this task and the tasks that it starts later; return the old value."""
    context = run.task.context
    name = _key("runtime_context_set", key)
    old = context.get(name)
    context[name] = value
    return old


@native("runtime_context_clear")
def runtime_context_clear(run: Execution, key: object = None) -> object:
    """Remove a context value and return it."""
    return run.task.context.pop(_key("runtime_context_clear", key), None)


@native("runtime_context_values")
def runtime_context_values(run: Execution) -> dict[str, object]:
    """Return all context values of this task."""
    return dict(run.task.context)
