"""The permissions of an agent: rules that allow and deny tool calls, and the escalation of refused calls."""

from __future__ import annotations

from harnlite.agent.hooks.callbacks import call_guarded
from harnlite.agent.hooks.name_globs import first_fit, fits
from harnlite.agent.hooks.session_hooks import ALLOW, fire_session
from harnlite.agent.option_values import callable_option, names_in
from harnlite.agent.tools.rule_matching import argument_for_rule
from harnlite.reminders.hook_events import PERMISSION_ASKED, PERMISSION_REPLIED
from harnlite.values.data_types import type_name
from harnlite.values.display import display
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.agent.sessions.session import Session
    from harnlite.agent.tools.tool_call import Call, Decision
    from harnlite.runtime.tasks.execution import Execution

_GRANTS = "permission_grants"
ONCE, FOR_SESSION = "once", "session"


def permission_refusal(run: Execution, call: Call, decision: Decision) -> str | None:
    """Return the reason if the permissions refuse a call, otherwise None; hooks and `on_escalation` may grant it."""
    rules = decision.options.permissions
    if rules is None:
        return None
    _check(rules)
    session = decision.options.session
    refused_by = _matching_rule(run, rules.get("deny"), call)
    if refused_by is not None:
        refusal = f"permission denied by deny rule: {refused_by}"
    elif rules.get("allow") is None:
        return None
    else:
        allowed_by = _matching_rule(run, rules["allow"], call)
        if allowed_by is not None:
            _note(run, session, "PermissionGrant", call, f"permission granted by allow rule: {allowed_by}")
            return None
        refusal = f"permission denied: tool '{call.name}' is not allowed by this agent's permissions"
    return _escalate(run, session, call, refusal, callable_option(rules, "on_escalation"))


def _check(rules: dict[str, object]) -> None:
    """Raise an error for invalid rules, which would otherwise refuse nothing."""
    for key in ("allow", "deny"):
        value = rules.get(key)
        if value is not None and not isinstance(value, (dict, list, str)):
            raise runtime_error(f"permissions.{key} must be a list, dict, or nil, got {type_name(value)}")


def _matching_rule(run: Execution, rules: object, call: Call) -> str | None:
    """Return the name pattern of the first rule that matches a call, or None."""
    if rules.__class__ is dict:
        conditions: dict[str, object] = rules
        matching = (pattern for pattern in sorted(conditions) if fits(pattern, call.name))
        return next((pattern for pattern in matching if _holds(run, conditions, pattern, call)), None)
    return first_fit(names_in(rules), call.name)


def _holds(run: Execution, conditions: dict[str, object], pattern: str, call: Call) -> bool:
    """Return whether the arguments of a call satisfy the condition of a rule."""
    condition = conditions[pattern]
    if condition is None or condition.__class__ is bool:
        return condition is True
    closure = callable_option(conditions, pattern)
    if closure is not None:
        return bool(call_guarded(run, closure, call.arguments))
    key, patterns = None, condition
    if condition.__class__ is dict:
        key, patterns = condition.get("arg_key"), condition.get("patterns")
    argument = argument_for_rule(call.arguments, key)
    return argument is not None and argument.fits(patterns)


def _escalate(
    run: Execution, session: Session | None, call: Call, refusal: str, ask: Callable[..., object] | None
) -> str | None:
    """Ask hooks and the escalation callback about a refused call; return the final refusal, or None if granted."""
    grants: set[tuple[str, str]] = run.state(_GRANTS, set)
    key = (session.id if session is not None else "", call.name)
    if key in grants:
        return None
    asked: dict[str, object] = {"tool": {"name": call.name, "args": call.arguments}, "reason": refusal}
    if session is not None:
        asked["session"] = {"id": session.id}
    verdict = fire_session(run, session, PERMISSION_ASKED, asked)
    is_escalated = False
    if verdict.is_veto:
        answer: object = {"grant": False, "reason": verdict.reason or refusal}
    elif verdict.decided and verdict.action == ALLOW:
        answer = {"grant": True, "reason": verdict.reason or None}
    elif ask is not None:
        is_escalated = True
        _note(run, session, "PermissionEscalation", call, refusal, is_escalated=True)
        answer = ask(_request(session, call, refusal))
    else:
        answer = None
    grant, reason = _read_answer(answer)
    is_granted = grant is True or grant in {ONCE, FOR_SESSION}
    if grant == FOR_SESSION:
        grants.add(key)
    reason = reason or ("permission granted by escalation" if is_granted else refusal)
    _note(run, session, "PermissionGrant" if is_granted else "PermissionDeny", call, reason, is_escalated=is_escalated)
    fire_session(run, session, PERMISSION_REPLIED, {**asked, "decision": ALLOW if is_granted else "deny"})
    return None if is_granted else reason


def _request(session: Session | None, call: Call, reason: str) -> dict[str, object]:
    return {
        "_type": "PermissionRequest",
        "tool": call.name,
        "args": call.arguments,
        "session_id": session.id if session is not None else None,
        "reason": reason,
        "grant_options": [ONCE, FOR_SESSION, False],
    }


def _read_answer(answer: object) -> tuple[object, str | None]:
    """Return the grant in an answer, and its reason."""
    if answer.__class__ is not dict:
        return answer if answer.__class__ in {bool, str} else None, None
    reason = answer.get("reason")
    return answer.get("grant"), None if reason is None else display(reason)


def _note(
    run: Execution, session: Session | None, kind: str, call: Call, reason: str, *, is_escalated: bool = False
) -> None:
    """Record a decision in the transcript."""
    if session is not None:
        metadata = {"tool_name": call.name, "arguments": call.arguments, "reason": reason, "escalated": is_escalated}
        session.lifecycle(run, kind, reason, metadata)
