"""Reminders: `session/inject_reminder`, `session/remind`, the list of what waits, and the withdrawal of a reminder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harnlite.reminders.inbox_entries import USER
from harnlite.reminders.waiting_entries import ReusedId
from harnlite.serve.acp.call import LATER
from harnlite.serve.acp.errors import RpcError, invalid, unknown_session
from harnlite.serve.acp.refusals import refusal
from harnlite.serve.conversation_values import InjectError
from harnlite.serve.json_rpc import INVALID_PARAMS
from harnlite.serve.wire_reminders import WireFault, read_reminder, reused_id_fault

if TYPE_CHECKING:
    from harnlite.serve.acp.call import Call
    from harnlite.serve.acp.server import AcpServer
    from harnlite.serve.conversation_values import Acceptance


def remind(server: AcpServer, call: Call) -> object:
    """Store a reminder; the answer is sent before anything that the reminder causes."""
    try:
        reminder = read_reminder(call.method, call.params)
        session_id = _session(server, call)
        server.conversations.remind(
            session_id, reminder.fields, on_accept=lambda acceptance: call.answer(_accepted(acceptance))
        )
    except WireFault as fault:
        raise RpcError(INVALID_PARAMS, fault.data, str(fault)) from None
    except ReusedId as reused:
        conflict = reused_id_fault(call.method, reused)
        raise RpcError(INVALID_PARAMS, conflict.data, str(conflict)) from None
    return LATER


def _accepted(acceptance: Acceptance) -> dict[str, Any]:
    answer: dict[str, Any] = {"reminderId": acceptance.reminder_id}
    if acceptance.deduped_count is not None:
        answer["dedupedCount"] = acceptance.deduped_count
    return answer


def pending(server: AcpServer, call: Call) -> object:
    """Return the messages and reminders of a session that wait."""
    call.require_known(("sessionId", "session_id"))
    waiting = server.conversations.pending(_session(server, call))
    rows = [row if row["kind"] == USER else server.redacted(row) for row in waiting["injections"]]
    return {**waiting, "injections": rows}


def revoke(server: AcpServer, call: Call) -> object:
    """Withdraw a reminder that has not been delivered."""
    call.require_known(("sessionId", "session_id", "reminderId", "reminder_id"))
    reminder_id = call.text(
        "reminder_id" if "reminderId" not in call.params and "reminder_id" in call.params else "reminderId"
    )
    session_id = _session(server, call)

    def accepted(status: str) -> None:
        call.answer({"reminderId": reminder_id, "status": status})

    try:
        status = server.conversations.revoke_reminder(session_id, reminder_id, on_accept=accepted)
    except InjectError as error:
        raise refusal(error, "reminderId") from None
    return {"reminderId": reminder_id, "status": status}


def _session(server: AcpServer, call: Call) -> str:
    """Return the session that the params name; without a name, the only one that runs, or the one used last."""
    for key in ("sessionId", "session_id"):
        given = call.params.get(key)
        if isinstance(given, str):
            return given
        if given is not None:
            raise invalid("invalid_field", field=key)
    running = server.conversations.running_sessions()
    found = running[0] if len(running) == 1 else server.conversations.last_used()
    if found is None:
        raise unknown_session(None)
    return found
