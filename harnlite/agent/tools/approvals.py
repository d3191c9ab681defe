"""Approval policies: calls that are denied, that need nobody's leave, and that the host has to be asked about."""

from __future__ import annotations

from harnlite.agent.hooks.hook_registry import has_persona_hooks
from harnlite.agent.hooks.name_globs import first_fit
from harnlite.agent.tools.call_arguments import is_writing, paths_in, texts_of, without_detours
from harnlite.reminders.hook_events import ON_APPROVAL_REQUESTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from harnlite.agent.sessions.session import Session
    from harnlite.agent.tools.dispatch import DispatchOptions
    from harnlite.agent.tools.tool_call import Call
    from harnlite.runtime.tasks.execution import Execution

    class PermissionDesk(Protocol):
        """What a connected host answers."""

        def request_permission(self, run: Execution, session: Session | None, call: Call) -> bool:
            """Ask a person; a failed question is a no."""


NO_HOST = "approval required but no host bridge is available"


def approval_refusal(run: Execution, call: Call, options: DispatchOptions) -> str | None:
    """Return why the approval policy refuses a call, if it does; the host is asked where the policy says so."""
    config = options.approval_policy
    if config.__class__ is not dict:
        return None
    policy: dict[str, object] = config
    denied_by = first_fit(texts_of(policy.get("auto_deny")), call.name)
    if denied_by is not None:
        return f"tool '{call.name}' matches deny pattern '{denied_by}'"
    outside = _path_outside(policy.get("write_path_allowlist"), call)
    if outside is not None:
        return f"tool '{call.name}' targets '{outside}' which is not in the write-path allowlist"
    if first_fit(texts_of(policy.get("auto_approve")), call.name) is not None:
        call.approval = {"decision": "auto_approved"}
        return None
    if first_fit(texts_of(policy.get("require_approval")), call.name) is None:
        return None
    return _ask(run, options.session, call)


def _path_outside(allowlist: object, call: Call) -> str | None:
    """Return the first path that a writing tool names and that the list does not allow."""
    if allowlist.__class__ is not list or not is_writing(call.name, call.kind):
        return None
    patterns = texts_of(allowlist)
    outside = (path for path in paths_in(call.arguments) if first_fit(patterns, without_detours(path)) is None)
    return next(outside, None)


def _ask(run: Execution, session: Session | None, call: Call) -> str | None:
    if has_persona_hooks(run, ON_APPROVAL_REQUESTED):
        from harnlite.agent.hooks.firing import fire_persona

        tool = {"name": call.name, "args": call.arguments, "tool_call_id": call.id}
        fire_persona(run, ON_APPROVAL_REQUESTED, {"tool": tool})
    desk: PermissionDesk | None = run.context.get("bridge")  # type: ignore[assignment]
    ask = getattr(desk, "request_permission", None)
    if ask is None:
        return NO_HOST
    is_granted = ask(run, session, call) is True
    call.approval = {"decision": "approved" if is_granted else "denied"}
    return None if is_granted else f"tool '{call.name}' was not approved by the host"
