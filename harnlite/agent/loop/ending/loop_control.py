"""Changes to the iteration limit of a loop: by the callback `loop_control`, or automatically by an adaptive budget."""

from __future__ import annotations

from harnlite.agent.loop.state.iteration_budget import ADAPTIVE, EXTEND, STOP, STOPPED, read_control
from harnlite.agent.sessions.live_events import emit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.agent.loop.state.loop_state import Loop, Turn

LOOP_CONTROL = "loop_control"


def control_limit(loop: Loop, turn: Turn) -> None:
    """Change the limit, or stop the loop, after a turn that has not ended it."""
    if loop.stop is not None and not (loop.stop.is_completion and turn.delivered):
        return
    closure = loop.options.loop_control
    if closure is not None:
        action, answer = read_control(closure(_state(loop, turn)))
    else:
        action, answer = _automatic_extension(loop, turn)
    if action == EXTEND:
        _emit(loop, loop.budget.extend(turn.number, answer.get("by"), answer.get("until"), answer.get("reason")))
    elif action == STOP:
        status, reason = answer.get("status"), answer.get("reason")
        status = status if isinstance(status, str) and status else STOPPED
        _emit(loop, loop.budget.stop(turn.number, reason, status))
        loop.stop = None
        loop.end(status, reason if isinstance(reason, str) and reason else LOOP_CONTROL)


def _emit(loop: Loop, decision: dict[str, object]) -> None:
    emit(loop.run, loop.session, "loop_control_decision", decision)


def _automatic_extension(loop: Loop, turn: Turn) -> tuple[str, dict[str, object]]:
    """Extend an adaptive loop that has reached its limit, if there is a reason to continue."""
    budget = loop.budget
    if budget.settings.mode != ADAPTIVE or turn.number < budget.limit or budget.limit >= budget.settings.max:
        return "", {}
    if turn.completion["vetoed"]:
        reason = "completion gate vetoed"
    elif loop.missing_tools():
        reason = "required tools missing"
    elif turn.calls:
        reason = "recent turn made progress"
    else:
        return "", {}
    return EXTEND, {"reason": reason}


def _state(loop: Loop, turn: Turn) -> dict[str, object]:
    """Return the state that `loop_control` receives."""
    budget, totals = loop.budget, loop.totals
    missing: list[object] = [*loop.missing_tools()]
    successful, rejected = turn.tool_names()
    is_progress = bool(successful)
    return {
        "iteration": turn.number,
        "budget": {
            "mode": budget.settings.mode,
            "initial": budget.settings.initial,
            "current_limit": budget.limit,
            "max": budget.settings.max,
            "remaining": max(0, budget.limit - turn.number),
            "extension_count": budget.extensions,
            "wall_clock_ms": loop.elapsed_ms,
            "cost_usd": totals.cost_usd,
            "tokens_used": totals.tokens_used,
        },
        "turn": {
            "tool_call_count": len(turn.calls),
            "successful_tool_names": successful,
            "rejected_tool_names": rejected,
            "text_chars": len(turn.text),
            "native_fallback_used": turn.is_fallback,
        },
        "session": {
            "successful_tool_names": list(totals.successful),
            "rejected_tool_names": list(totals.rejected),
            "required_tools_satisfied": not missing,
            "required_tools_missing": missing,
        },
        "completion": dict(turn.completion),
        "progress": {
            "changed": is_progress,
            "summary": f"{len(successful)} tool call(s) succeeded" if is_progress else "no tool call succeeded",
        },
    }
