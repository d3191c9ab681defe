"""The scopes, addresses and handles of shared cells, maps and mailboxes."""

from __future__ import annotations

from harnlite.library.context import fact
from harnlite.library.native import MISSING
from harnlite.runtime.tasks.task import ROOT_ID
from harnlite.values.display import display
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from harnlite.runtime.tasks.execution import Execution

    Address: TypeAlias = tuple[str, str]

DEFAULT_SCOPE = "task_group"


def _group_id(run: Execution) -> object:
    return run.task.group_id or fact(run, "run_id") or ROOT_ID


def _run_id(run: Execution) -> object:
    return fact(run, "run_id") or ROOT_ID


def _session_id(run: Execution) -> object:
    return fact(run, "agent_session_id") or ROOT_ID


_IDS: dict[str, Callable[[Execution], object]] = {
    "task": lambda run: run.task.id,
    "root_task": lambda _: ROOT_ID,
    "task_group": _group_id,
    "workflow_run": _run_id,
    "agent_session": _session_id,
    "process": lambda _: "process",
}

_ALIASES = {
    "task_local": "task",
    "workflow": "task_group",
    "workflow_local": "task_group",
    "run": "workflow_run",
    "session": "agent_session",
    "tenant_scoped": "tenant",
    "global": "process",
}

_REFUSED = {
    "durable": "durable shared state is explicit; use store_* or agent_state_* APIs",
    "event_log": "durable shared state is explicit; use store_* or agent_state_* APIs",
    "external": "external shared state must be provided by a host/connector builtin",
    "host": "external shared state must be provided by a host/connector builtin",
}


def scope_id(run: Execution, function: str, scope: object, options: dict[str, object]) -> str:
    """Return `{scope}:{id}` for a scope that a script names."""
    text = DEFAULT_SCOPE if scope is None or scope is MISSING else display(scope)
    plain = text.replace("-", "_")
    name = _ALIASES.get(plain, plain)
    if name in _REFUSED:
        raise runtime_error(f"{function}: {_REFUSED[name]}")
    if name == "tenant":
        tenant = options.get("tenant_id")
        tenant = fact(run, "tenant_id") if tenant is None else tenant
        if tenant is None:
            raise runtime_error(f"{function}: tenant scope requires tenant_id in options or runtime context")
        return f"tenant:{display(tenant)}"
    id_of = _IDS.get(name)
    return f"{text}:{text}" if id_of is None else f"{name}:{display(id_of(run))}"


def opened(run: Execution, function: str, target: object) -> tuple[Address, dict[str, object]]:
    """Return the address in the first argument of an opening function, a name or an options dict, and the options."""
    options: dict[str, object] = target if target.__class__ is dict else {}
    key = options.get("key", options.get("name")) if target.__class__ is dict else target
    if key is None or key == "" or (not options and key.__class__ is not str):
        raise runtime_error(f"{function}: key/name is required")
    return (scope_id(run, function, options.get("scope"), options), display(key)), options


def address(run: Execution, function: str, kind: str, target: object) -> Address:
    """Return the address that a handle or a name refers to."""
    if target.__class__ is str:
        if not target:
            raise runtime_error(f"{function}: name must not be empty")
        return scope_id(run, function, None, {}), target
    if target.__class__ is not dict or target.get("_type") != kind:
        raise runtime_error(f"{function}: expected {kind} handle")
    for part in ("scope", "key"):
        if target.get(part).__class__ is not str:
            raise runtime_error(f"{function}: {kind} handle missing {part}")
    return target["scope"], target["key"]


def handle(kind: str, where: Address) -> dict[str, object]:
    """Return the handle of a shared object."""
    scope, key = where
    return {"_type": kind, "key": key, "scope": scope}
