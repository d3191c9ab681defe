"""Approval policies: rules by which calls are denied, approved, or submitted to the host for approval."""

from __future__ import annotations

from harnlite.agent.hooks.firing import fire_persona
from harnlite.agent.hooks.hook_registry import has_persona_hooks
from harnlite.agent.tools.rule_matching import fitting_pattern, path_outside
from harnlite.reminders.hook_events import ON_APPROVAL_REQUESTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.agent.sessions.session import Session
    from harnlite.agent.tools.tool_call import Call, Decision
    from harnlite.runtime.tasks.execution import Execution

    AskHost = Callable[[Execution, Session | None, Call], bool]

NO_HOST = "approval required but no host bridge is available"
_WRITING = frozenset({"edit", "delete", "move"})
_READING = frozenset({"read", "search", "think", "fetch"})
_READERS = frozenset(
    {
        "read",
        "view",
        "cat",
        "search",
        "grep",
        "find",
        "ls",
        "list",
        "get",
        "show",
        "glob",
        "stat",
        "fetch",
        "look",
    }
)


def approval_refusal(run: Execution, call: Call, decision: Decision) -> str | None:
    """Return the reason if the approval policy refuses a call, otherwise None; the policy may ask the host."""
    policy = decision.options.approval_policy
    if policy is None:
        return None
    denied_by = fitting_pattern(policy.get("auto_deny"), call.name)
    if denied_by is not None:
        return f"tool '{call.name}' matches deny pattern '{denied_by}'"
    allowlist = policy.get("write_path_allowlist")
    if allowlist.__class__ is list and is_writing(call.name, call.kind):
        outside = path_outside(allowlist, call.arguments)
        if outside is not None:
            return f"tool '{call.name}' targets '{outside}' which is not in the write-path allowlist"
    if fitting_pattern(policy.get("auto_approve"), call.name) is not None:
        call.approval = {"decision": "auto_approved"}
        return None
    if fitting_pattern(policy.get("require_approval"), call.name) is None:
        return None
    return _ask(run, decision.options.session, call)


def _ask(run: Execution, session: Session | None, call: Call) -> str | None:
    """Ask the host for approval; any answer except true is a denial."""
    if has_persona_hooks(run, ON_APPROVAL_REQUESTED):
        tool = {"name": call.name, "args": call.arguments, "tool_call_id": call.id}
        fire_persona(run, ON_APPROVAL_REQUESTED, {"tool": tool})
    ask: AskHost | None = getattr(run.context.get("bridge"), "request_permission", None)
    if ask is None:
        return NO_HOST
    is_granted = ask(run, session, call) is True
    call.approval = {"decision": "approved" if is_granted else "denied"}
    return None if is_granted else f"tool '{call.name}' was not approved by the host"


def is_writing(name: str, kind: str) -> bool:
    """Return whether a tool changes files, according to its annotations or else to its name."""
    if kind in _WRITING:
        return True
    if kind in _READING:
        return False
    return _READERS.isdisjoint(name.lower().replace("-", "_").split("_"))
