"""The events of tool calls: live events, the audit in the transcript, and the trace."""

from __future__ import annotations

from harnlite.agent.sessions.live_events import emit, is_heard
from harnlite.llm.run_trace import trace_of
from harnlite.values.display import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.agent.sessions.session import Session
    from harnlite.agent.tools.tool_call import Call
    from harnlite.runtime.tasks.execution import Execution

AUDIT = "tool_call_audit"
_KNOWN = frozenset({"schema_validation", "permission_denied", "cancelled", "timeout"})
_OF_CATEGORY = {"transient_network": "network"}
_OF_EXECUTOR = {"host_bridge": "host_bridge_error", "mcp_server": "mcp_server_error"}
_REFUSED = frozenset({"permission_denied", "schema_validation", "tool_rejected"})


def announce(run: Execution, session: Session | None, call: Call) -> None:
    """Emit the event of a requested call, before the decision about it."""
    if session is not None and is_heard(run, session):
        fields: dict[str, object] = {"tool_call_id": call.id, "tool_name": call.name, "kind": call.kind}
        emit(run, session, "tool_call", {**fields, "status": "pending", "raw_input": call.arguments})


def announce_start(run: Execution, session: Session | None, call: Call) -> None:
    """Emit the event of a tool that starts."""
    if session is not None and is_heard(run, session):
        named = {"tool_call_id": call.id, "tool_name": call.name, "status": "in_progress"}
        emit(run, session, "tool_call_update", {**named, "raw_output": None, "error": None})


def announce_end(run: Execution, session: Session | None, result: dict[str, object]) -> None:
    """Emit the event of a completed call, and store its audit in the transcript of the session."""
    if session is None:
        return
    if is_heard(run, session):
        emit(run, session, "tool_call_update", _end_fields(result))
    audit = result.get("audit")
    if audit is None:
        return
    fields = {"tool_call_id": result.get("tool_call_id"), "tool_name": result.get("tool_name"), "audit": audit}
    if result.get("receipt") is not None:
        fields["receipt"] = result["receipt"]
    session.lifecycle(run, AUDIT, f"{AUDIT} {result.get('tool_name')}", fields, role="tool")
    emit(run, session, AUDIT, fields)


def _end_fields(result: dict[str, object]) -> dict[str, object]:
    is_ok = result.get("ok") is True
    fields: dict[str, object] = {
        "tool_call_id": result.get("tool_call_id"),
        "tool_name": result.get("tool_name"),
        "status": "completed" if is_ok else "failed",
        "raw_output": result.get("result") if is_ok else result.get("rendered_result"),
        "error": result.get("error"),
        "execution_duration_ms": result.get("execution_duration_ms"),
    }
    if not is_ok:
        fields["error_category"] = _category(result)
    if result.get("executor") is not None:
        fields["executor"] = result["executor"]
    return fields


def _category(result: dict[str, object]) -> str:
    """Return the error category of a failed call for live events."""
    category = result.get("error_category")
    if not isinstance(category, str):
        return "unknown"
    if category in _KNOWN:
        return category
    executor = result.get("executor")
    kind = executor.get("kind") if executor.__class__ is dict else None
    return _OF_CATEGORY.get(category) or _OF_EXECUTOR.get(display(kind), "tool_error")


def trace_end(run: Execution, result: dict[str, object], iteration: int | None) -> None:
    """Add the outcome of a call to the trace."""
    trace = trace_of(run)
    if result.get("error_category") in _REFUSED and result.get("executor") is None:
        trace.add(
            "tool_rejected", tool_name=result.get("tool_name"), reason=result.get("error"), iteration=iteration or 0
        )
        return
    trace.add(
        "tool_execution",
        tool_name=result.get("tool_name"),
        tool_use_id=result.get("tool_call_id"),
        duration_ms=result.get("execution_duration_ms") or 0,
        status=result.get("status"),
        classification=result.get("error_category") or "ok",
        iteration=iteration or 0,
    )
