"""The cancellation of a running tool call of a session, and the reminder that tells the model about it."""

from __future__ import annotations

from harnlite.agent.sessions.open_sessions import sessions_of
from harnlite.reminders.seams import INTERRUPT_IMMEDIATE
from harnlite.reminders.wire import BRIDGE, check_reminder, fault_text
from harnlite.values.data_types import type_name
from harnlite.values.display import display
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.reminders.wire import Fields
    from harnlite.runtime.tasks.execution import Execution

REASON = "host cancelled in-flight tool call"
TIMEOUT_MS = 5000


def cancel_call(run: Execution, session_id: str, call_id: str, options: dict[str, object]) -> dict[str, object]:
    """Cancel a running tool call; the options are `reason`, `inject_reminder` and `timeout_ms`."""
    given = options.get("reason")
    reason = REASON if given is None else display(given)
    store = sessions_of(run)
    call = store.calls.find(session_id, call_id)
    if call is None:
        return {"status": "not_found", "call_id": call_id, "tool": None, "reason": reason}
    session = store.get(session_id)
    if session is not None and options.get("inject_reminder", True):
        # Queue the reminder before the call exits, so that the next seam delivers it.
        session.inbox.push_reminder(_notice(call.tool, call_id, reason), run.ids.uuid7())
    timeout = options.get("timeout_ms")
    seconds = (timeout if isinstance(timeout, (int, float)) else TIMEOUT_MS) / 1000
    ended = call.cancel(run, reason, seconds)
    return {"status": "cancelled" if ended else "timeout", "call_id": call_id, "tool": call.tool, "reason": reason}


def _notice(tool: str, call_id: str, reason: str) -> Fields:
    body = f"Tool call `{tool}` (call_id={call_id}) was cancelled by the host: {reason}"
    options = {
        "body": body,
        "tags": ["tool_call_cancelled"],
        "dedupe_key": f"cancel:{call_id}",
        "mode": INTERRUPT_IMMEDIATE,
    }
    fields, faults = check_reminder(options, type_name, BRIDGE)
    if fields is None:
        raise thrown(fault_text("cancel_in_flight_tool_call", faults[0]))
    return fields
