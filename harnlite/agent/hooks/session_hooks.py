"""Session hooks: the values that they may return, which one wins, and the audit events in the transcript."""

from __future__ import annotations

from harnlite.agent.hooks.callbacks import call_guarded
from harnlite.agent.hooks.event_names import SESSION_EVENTS
from harnlite.agent.hooks.hook_effects import apply_effects, blame, session_of
from harnlite.agent.hooks.hook_registry import has_hooks, hooks_of
from harnlite.agent.hooks.payload_patterns import payload_fits
from harnlite.values.data_types import type_name
from harnlite.values.display import display
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.agent.hooks.hook_registry import EventHook
    from harnlite.agent.sessions.reminding import Report
    from harnlite.agent.sessions.session import Session
    from harnlite.runtime.tasks.execution import Execution

ALLOW, BLOCK, DENY, ASK, MODIFY = "allow", "block", "deny", "ask", "modify"
DECISIONS = frozenset({ALLOW, DENY, ASK})
_VETOES = frozenset({BLOCK, DENY})


class Verdict:
    """The result of the hooks of an event: an action, its reason, and the payload with the hooks' changes."""

    __slots__ = ("action", "decided", "payload", "reason", "reports")

    def __init__(
        self,
        payload: dict[str, object],
        action: str = ALLOW,
        reason: str = "",
        *,
        decided: bool = False,
    ) -> None:
        self.action = action
        self.reason = reason
        self.payload = payload
        self.decided = decided
        """Whether a hook returned the action as `decision`; otherwise it may be the default."""
        self.reports: list[Report] = []

    @property
    def is_veto(self) -> bool:
        """Return whether the operation must not proceed."""
        return self.action in _VETOES


def fire_session(run: Execution, session: Session | None, event: str, payload: dict[str, object]) -> Verdict:
    """Run the hooks of a session event; the first one that blocks or decides ends the sequence."""
    if not has_hooks(run, event):
        return Verdict(payload)
    payload = {"event": event, **payload}
    session = session or session_of(run, payload)
    is_audited = session is not None and payload.get("session").__class__ is dict
    reports: list[Report] = []
    for hook in hooks_of(run).of(event):
        if not payload_fits(hook.pattern, payload):
            continue
        verdict = _call(run, session, event, hook, payload, session if is_audited else None)
        payload = verdict.payload
        reports += verdict.reports
        if verdict.decided or verdict.is_veto:
            verdict.reports = reports
            return verdict
    verdict = Verdict(payload)
    verdict.reports = reports
    return verdict


def _call(
    run: Execution,
    session: Session | None,
    event: str,
    hook: EventHook,
    payload: dict[str, object],
    audited: Session | None,
) -> Verdict:
    handler = f"session_hook::{event}"
    if audited is not None:
        entry: dict[str, object] = {"event": event, "handler": handler, "payload": payload}
        audited.lifecycle(run, "hook_call", f"hook {event} invoked: {handler}", entry)
    value = call_guarded(run, hook.closure, payload)
    control, reports = apply_effects(run, session, event, value, hook.closure)
    verdict, result = _verdict(event, hook, control, payload)
    verdict.reports = reports
    if audited is not None:
        entry = {"event": event, "handler": handler, "result": result, "raw": value}
        audited.lifecycle(run, "hook_returned", f"hook {event} returned {result} from {handler}", entry)
        if verdict.is_veto:
            decision = verdict.action if verdict.decided else None
            entry = {"event": event, "handler": handler, "reason": verdict.reason, "decision": decision}
            audited.lifecycle(run, "hook_vetoed", f"hook {event} vetoed by {handler}: {verdict.reason}", entry)
    return verdict


def _verdict(event: str, hook: EventHook, control: object, payload: dict[str, object]) -> tuple[Verdict, str]:
    """Return the verdict for the control part of a returned value, and the name of the verdict in the audit."""
    if control is None or control is True:
        return Verdict(payload), ALLOW
    if control is False:
        return Verdict(payload, BLOCK, f"{event} hook returned false"), BLOCK
    if control.__class__ is not dict:
        text = f"{event} hook must return nil, bool, or a control dict; got {type_name(control)}"
        raise blame(runtime_error(text), hook.closure)
    answer: dict[str, object] = control
    if answer.get("block"):
        return Verdict(payload, BLOCK, _reason(answer, f"{event} hook blocked the operation")), BLOCK
    decision = answer.get("decision")
    if decision is not None:
        if decision.__class__ is not str or decision not in DECISIONS:
            text = f'{event} hook `decision` must be "allow", "deny", or "ask"; got {_quoted(decision)}'
            raise blame(runtime_error(text), hook.closure)
        reason = _reason(answer, f"{event} hook denied the operation" if decision == DENY else "")
        return Verdict(payload, decision, reason, decided=True), f"decision_{decision}"
    changes = answer.get("modify")
    if changes.__class__ is dict:
        return Verdict({**payload, **changes}), MODIFY
    return Verdict(payload), ALLOW


def _reason(answer: dict[str, object], default: str) -> str:
    reason = answer.get("reason")
    return default if reason is None else display(reason)


def _quoted(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else display(value)


def clear_session_hooks(run: Execution) -> None:
    """Remove all session hooks."""
    hooks_of(run).clear_events(SESSION_EVENTS)
