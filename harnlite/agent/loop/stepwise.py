"""Loops that a script drives itself by calling the steps of `agent_loop` one by one."""

from __future__ import annotations

from harnlite.agent.loop.ending.end_conditions import NATURAL
from harnlite.agent.loop.ending.final_result import blocked_result, finalize
from harnlite.agent.loop.start import announce_start, open_loop, record_start, submit_prompt
from harnlite.agent.loop.state.loop_state import DONE, Stop, Turn
from harnlite.agent.loop.state.totals import note_tools
from harnlite.agent.loop.state.usage import record_usage
from harnlite.agent.loop.turn.reply import record_reply
from harnlite.agent.sessions.current import entering
from harnlite.agent.sessions.recording import record_tool_results
from harnlite.values.display import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.agent.loop.state.feature_slots import WorkerSupport
    from harnlite.agent.loop.state.loop_state import Loop
    from harnlite.runtime.tasks.execution import Execution

_RESULT_KEYS = ("results", "tool_results")


def _scopes(run: Execution) -> dict[str, entering]:
    """Return the scopes of script-driven loops by session id; they stay open from one builtin call to the next."""
    return run.state("driven_loops", dict)


def begin_loop(
    run: Execution, task: object, system: str | None, given: dict[str, Any], workers: WorkerSupport
) -> dict[str, object]:
    """Start a loop and make its session the current one. If a hook blocks the task, the loop ends at once."""
    loop = open_loop(run, task, system, given, workers)
    facts: dict[str, object] = {
        "session_id": loop.session.id,
        "task": loop.task,
        "system": loop.system,
        "max_iterations": loop.budget.settings.max,
        "max_verify_attempts": loop.options.max_verify_attempts,
    }
    is_started = False
    try:
        if not submit_prompt(loop):
            return {**facts, "done": True, "result": blocked_result(loop)}
        record_start(loop)
        scope = entering(run, session_id=loop.session.id)
        scope.__enter__()
        _scopes(run)[loop.session.id] = scope
        announce_start(loop)
        is_started = True
    finally:
        if not is_started:
            _release(loop)
    return {**facts, "task": loop.task, "system": loop.system, "done": False}


def end_loop(loop: Loop, ending: dict[str, Any]) -> dict[str, object]:
    """End a loop with the status and stop reason that the script gives, and return its result."""
    status, reason, iterations = (ending.get(key) for key in ("final_status", "stop_reason", "iterations"))
    if isinstance(iterations, int):
        loop.totals.iterations = iterations
    default_reason = NATURAL if not status or status == DONE else ""
    loop.stop = Stop(display(status) if status else DONE, default_reason if reason is None else display(reason))
    try:
        return finalize(loop)
    finally:
        _release(loop)


def _release(loop: Loop) -> None:
    loop.release()
    scope = _scopes(loop.run).pop(loop.session.id, None)
    if scope is not None:
        scope.__exit__()


def take_reply(loop: Loop, reply: dict[str, Any]) -> None:
    """Append a model's reply. The model call is complete, so for reminders the next turn has begun."""
    turn = Turn(loop.session.turn)
    turn.reply = reply
    loop.last_turn = turn
    loop.session.turn = turn.number
    record_reply(loop, turn)


def take_results(loop: Loop, dispatched: object) -> None:
    """Append the results of a batch of calls or of a single call."""
    results = _results(dispatched)
    turn = loop.last_turn
    record_tool_results(loop.run, loop.session, results, loop.mode, loop.wire)
    note_tools(loop.totals, turn.calls if turn is not None else [], results)
    loop.succeeded_tools.update(str(result.get("tool_name")) for result in results if result.get("ok"))
    if turn is not None:
        turn.results = results


def _results(dispatched: object) -> list[dict[str, Any]]:
    if isinstance(dispatched, dict):
        inner = next((dispatched[key] for key in _RESULT_KEYS if isinstance(dispatched.get(key), list)), None)
        return _results(inner) if inner is not None else [dispatched]
    return [result for result in dispatched if isinstance(result, dict)] if isinstance(dispatched, list) else []


def take_usage(loop: Loop, reply: dict[str, Any], iteration: int) -> dict[str, object]:
    """Count the usage of a model call and return the totals so far."""
    turn = loop.last_turn
    if turn is None or turn.reply is not reply:
        turn = Turn(iteration)
        turn.reply = reply
    record_usage(loop, turn)
    return {"tokens_used": loop.totals.tokens_used, "cost_usd": loop.totals.cost_usd}
