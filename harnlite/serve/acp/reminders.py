"""Reminders: `session/inject_reminder`, `session/remind`, the list of what waits, and the withdrawal of a reminder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harnlite.reminders.inbox import USER, ReusedId
from harnlite.reminders.wire import BRIDGE, INJECT, PAYLOAD, check_reminder, fault_text
from harnlite.serve.acp.call import LATER
from harnlite.serve.acp.errors import RpcError, invalid, refusal, unknown_session
from harnlite.serve.conversation_values import InjectError
from harnlite.serve.json_rpc import INVALID_PARAMS
from harnlite.values.data_types import type_name

if TYPE_CHECKING:
    from harnlite.serve.acp.call import Call
    from harnlite.serve.acp.server import AcpServer
    from harnlite.serve.conversation_values import Acceptance

OLD_NAMES = "session/remind"
"""The method that also accepts the former names of modes."""


def remind(server: AcpServer, call: Call) -> object:
    """Store a reminder; the answer is sent before anything that the reminder causes."""
    fields, faults = check_reminder(call.params, type_name, BRIDGE if call.method == OLD_NAMES else INJECT)
    if fields is None:
        fault = faults[0]
        data = {"code": fault.code, "field": fault.key}
        raise RpcError(
            INVALID_PARAMS,
            {key: value for key, value in data.items() if value is not None},
            fault_text(call.method, fault),
        )
    session_id = _session(server, call)
    try:
        server.conversations.remind(session_id, fields, on_accept=lambda acceptance: call.answer(_accepted(acceptance)))
    except ReusedId as reused:
        data = {"code": PAYLOAD, "reason": "reminder_id_conflict", "field": "id"}
        raise RpcError(INVALID_PARAMS, data, fault_text(call.method, reused.fault)) from None
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
