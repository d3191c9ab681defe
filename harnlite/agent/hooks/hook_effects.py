"""Effects that hooks return: reminders to inject or to clear, and the reports about them."""

from __future__ import annotations

from harnlite.agent.sessions.current import current_session_id, current_tool_call_id
from harnlite.agent.sessions.open_sessions import sessions_of
from harnlite.agent.sessions.reminding import clear, inject
from harnlite.reminders.effects import read_effects
from harnlite.reminders.hook_events import snake_case
from harnlite.reminders.selector import Selector
from harnlite.reminders.spec import HOOK_SOURCE
from harnlite.reminders.wire import fault_text
from harnlite.values.data_types import type_name
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.agent.sessions.reminding import Report
    from harnlite.agent.sessions.session import Session
    from harnlite.runtime.tasks.execution import Execution
    from harnlite.values.errors import ScriptError


def session_of(run: Execution, payload: dict[str, object]) -> Session | None:
    """Return the session that a payload names, or the current session."""
    named = payload.get("session")
    session_id = named.get("id") if named.__class__ is dict else None
    return sessions_of(run).get(session_id or current_session_id(run))


def apply_effects(
    run: Execution,
    session: Session | None,
    event: str,
    value: object,
    closure: Callable[..., object],
) -> tuple[object, list[Report]]:
    """Apply the effects in the value that a closure returned; return the rest of the value, and the reports."""
    if value is None or value.__class__ is bool:
        return value, []
    effects = read_effects(value, type_name, event)
    if effects.fault is not None:
        raise blame(thrown(fault_text(f"{event} hook reminder", effects.fault)), closure)
    reports: list[Report] = []
    if session is None:
        return effects.control, reports
    for step in effects.steps:
        if isinstance(step, Selector):
            clear(run, session, step)
        else:
            reports.append(inject(run, session, step, HOOK_SOURCE, snake_case(event)))
    return effects.control, reports


def reminder_report(event: str, session: Session, run: Execution, report: Report) -> dict[str, object]:
    """Return the entry of a receipt for a reminder from a hook: all fields except the body."""
    spec = report.spec
    return {
        "hook_event": event,
        "session_id": session.id,
        "tool_call_id": current_tool_call_id(run),
        "reminder_id": spec.id,
        "tags": list(spec.tags),
        "dedupe_key": spec.dedupe_key,
        "role_hint": spec.role_hint,
        "source": spec.source,
        "ttl_turns": spec.ttl_turns,
        "deduped_count": report.deduped_count,
    }


def blame(error: ScriptError, closure: Callable[..., object]) -> ScriptError:
    """Mark a closure as the one that returned the wrong value, and return the error."""
    error.culprit = closure
    return error
