"""The end of a loop: its final status, its end hooks, and the dict that it returns."""

from __future__ import annotations

from harnlite.agent.hooks.firing import fire_session
from harnlite.agent.loop.state.loop_state import (
    BLOCKED,
    BUDGET_EXHAUSTED,
    DONE,
    ERROR,
    FAILED,
    PROVIDER_ERROR,
    STUCK,
    SUSPENDED,
    VERIFY_EXHAUSTED,
    Stop,
)
from harnlite.agent.loop.state.usage import CIRCUIT, MAX_ITERATIONS, WALL_CLOCK
from harnlite.agent.sessions.transcript_values import transcript_value
from harnlite.llm.run_trace import trace_of
from harnlite.reminders.hook_events import SESSION_END, SESSION_ERROR
from harnlite.runtime.tasks.task_errors import reported_text
from harnlite.values.display import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.agent.loop.state.loop_state import Loop

NO_CALL, MISSING_TOOLS = "no_llm_call", "missing_required_tools"
_ERROR_STATUSES = frozenset({FAILED, PROVIDER_ERROR, STUCK, VERIFY_EXHAUSTED, ERROR})
_TOOL_CHECKED_STATUSES = frozenset({DONE, BUDGET_EXHAUSTED, STUCK})
_TURN_LIMITS = frozenset({MAX_ITERATIONS, WALL_CLOCK, CIRCUIT, ""})
_ACP_REASONS = {"max_tokens": "max_tokens", "length": "max_tokens", "refusal": "refusal", "content_filter": "refusal"}


def settle(loop: Loop) -> Stop:
    """Set and return the final status; a loop without a model call or a required tool has not succeeded."""
    stop = loop.stop or Stop(BUDGET_EXHAUSTED, "")
    if stop.status == DONE and loop.totals.iterations == 0:
        stop = Stop(ERROR, NO_CALL)
    missing = loop.missing_tools() if stop.status in _TOOL_CHECKED_STATUSES else []
    if missing:
        text = f"Required tools did not succeed: {', '.join(missing)}"
        envelope = {"category": "tool_error", "kind": "terminal", "reason": MISSING_TOOLS, "message": text}
        extra: dict[str, object] = {"missing_required_tools": list(missing), "error_envelope": envelope}
        stop = Stop(FAILED, MISSING_TOOLS, error=text, extra=extra)
    loop.stop = stop
    return stop


def finalize(loop: Loop) -> dict[str, object]:
    """Run the end hooks, release the session and return the result."""
    loop.is_finalized = True
    stop = settle(loop)
    run, session = loop.run, loop.session
    if stop.error is not None and stop.status != BLOCKED:
        facts = {"status": stop.status, "stop_reason": stop.reason, "error": stop.error}
        session.lifecycle(run, "agent_loop_terminal_error", stop.status, facts, role="assistant")
    payload: dict[str, object] = {
        "session": {"id": session.id},
        "final_status": stop.status,
        "stop_reason": stop.reason,
    }
    if stop.error is not None or stop.status in _ERROR_STATUSES:
        fire_session(run, session, SESSION_ERROR, {**payload, "error": stop.error})
    fire_session(run, session, SESSION_END, {**payload, "iterations": loop.totals.iterations})
    trace_of(run).add(
        "loop_complete",
        status=stop.status,
        iterations=loop.totals.iterations,
        total_duration_ms=loop.elapsed_ms,
        tools_used=list(dict.fromkeys(str(call.get("name")) for call in loop.totals.calls)),
        successful_tools=list(dict.fromkeys(loop.totals.successful)),
    )
    if stop.status == PROVIDER_ERROR:
        _warn(loop, stop)
    session.end_loop()
    return _result(loop, stop)


def _warn(loop: Loop, stop: Stop) -> None:
    """Write to stderr why the model calls of a loop have failed; a script easily overlooks the status."""
    message = stop.error.get("message") if isinstance(stop.error, dict) else stop.error
    reason = reported_text(display(message))
    loop.run.write_error(f"[harn] warning: agent_loop ended with {PROVIDER_ERROR}: {reason}\n")


def _result(loop: Loop, stop: Stop) -> dict[str, object]:
    totals, daemon = loop.totals, loop.daemon
    result: dict[str, object] = {
        **blocked_result(loop),
        "acp_stop_reason": _acp_reason(loop, stop),
        "text": loop.last_text,
        "visible_text": loop.last_text,
        "llm": {
            "iterations": totals.iterations,
            "duration_ms": totals.duration_ms,
            "input_tokens": totals.input_tokens,
            "output_tokens": totals.output_tokens,
        },
        "tools": {
            "calls": list(totals.calls),
            "successful": list(totals.successful),
            "rejected": list(totals.rejected),
            "mode": loop.mode,
        },
        "tokens_used": totals.tokens_used,
        "cost_usd": totals.cost_usd,
        "started_at": loop.started_at,
    }
    if daemon is not None:
        result |= {"daemon_state": daemon.state, "daemon_snapshot_path": daemon.snapshot_path}
    exposed = loop.budget.report()
    if exposed is not None:
        result["adaptive_budget"] = exposed
    if loop.stall is not None:
        result |= loop.stall_report()
    if stop.status == SUSPENDED:
        result |= loop.workers.park(loop, stop)
    return {**result, **stop.extra}


def blocked_result(loop: Loop) -> dict[str, object]:
    """Return the result of a loop whose prompt was blocked; all other results are built on it."""
    stop = loop.stop or Stop(BUDGET_EXHAUSTED, "")
    return {
        "status": stop.status,
        "final_status": "" if stop.status == DONE else stop.status,
        "stop_reason": stop.reason,
        "error": stop.error,
        "text": "",
        "visible_text": "",
        "private_reasoning": None,
        "thinking_summary": None,
        "llm": {"iterations": 0, "duration_ms": 0, "input_tokens": 0, "output_tokens": 0},
        "tools": {"calls": [], "successful": [], "rejected": [], "mode": loop.mode},
        "tokens_used": 0,
        "cost_usd": 0.0,
        "transcript": transcript_value(loop.session.transcript),
        "trace": trace_of(loop.run).summary(),
        "session_id": loop.session.id,
        "task": loop.task,
        "daemon_state": None,
        "daemon_snapshot_path": None,
    }


def _acp_reason(loop: Loop, stop: Stop) -> str:
    """Return the stop reason for clients of the agent protocol."""
    if stop.status == BUDGET_EXHAUSTED:
        is_turns = loop.exhausted in _TURN_LIMITS and stop.reason != BUDGET_EXHAUSTED
        return "max_turn_requests" if is_turns else "max_tokens"
    last = loop.last_stop_reason
    return _ACP_REASONS.get(last, "end_turn") if isinstance(last, str) else "end_turn"
