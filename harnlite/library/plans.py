"""Builtins for plans and for approval by the host."""

from __future__ import annotations

from harnlite.agent.tools import plans
from harnlite.library.native import native
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.runtime.tasks.execution import Execution


@native("plan_artifact")
def plan_artifact(run: Execution, value: object = None) -> dict[str, Any]:
    """Return a plan in its normalized form."""
    return plans.plan_artifact(run, value)


@native("plan_entries")
def plan_entries(run: Execution, plan: object = None) -> list[dict[str, Any]]:
    """Return the steps of a plan in the form that hosts display."""
    return plans.plan_entries(run, plan)


@native("__host_request_approval")
def host_request_approval(run: Execution, action: object = None, options: object = None) -> object:
    """Ask the host for approval of an action and return its record."""
    ask = getattr(run.context.get("bridge"), "request_approval", None)
    if ask is None:
        raise runtime_error("request_approval: approval required but no host bridge is available")
    return ask(run, action, options)
