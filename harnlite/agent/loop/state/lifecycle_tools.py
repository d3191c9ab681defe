"""The tools with which a model controls loops; `agent_await_resumption` parks the loop that calls it."""

from __future__ import annotations

from harnlite.agent.loop.state.loop_state import SUSPENDED, Suspension
from harnlite.agent.loop.state.suspension import suspend
from harnlite.agent.sessions.live_events import emit
from harnlite.llm.offered_tools import tool_names
from harnlite.values.errors import ScriptError, runtime_error, thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.agent.loop.state.feature_slots import WorkerSupport
    from harnlite.agent.loop.state.loop_state import Loop, Turn
    from harnlite.runtime.tasks.execution import Execution

AWAIT_RESUMPTION = "agent_await_resumption"
INVALID_SKIP = "invalid_agent_await_resumption"
SELF = "self"
_SPAWNING_TOOLS = frozenset({"sub_agent_run", "spawn_agent"})
REASON_REQUIRED = "HARN-SUS-005: agent_await_resumption reason is required"
_HANDLED_HERE = (
    "HARN-SUS-005: agent_await_resumption is handled structurally by agent_loop and cannot be invoked directly"
)
_ADVICE = (
    "This lifecycle tool is only for parking until external input or a valid resume condition. For ordinary work, "
    "continue with the available project tools or finish normally. If you do need a resume condition, "
    "`conditions.trigger` must be an object trigger spec; use `conditions.on_event` for an event-topic string."
)
_DESCRIPTION = (
    "Park this agent until it is resumed with new input, or until a resume condition is met. Use it only when "
    "nothing can be done before that."
)
_PARAMETERS: dict[str, object] = {
    "reason": {"type": "string", "description": "What you are waiting for."},
    "conditions": {
        "type": "object",
        "required": False,
        "description": "Optional resume conditions: {trigger?: object, timeout?: {duration_minutes, on_timeout}, "
        "on_event?: string}.",
    },
}


def _refuse(*_: object) -> object:
    raise thrown(_HANDLED_HERE)


def lifecycle_entries(loop: Loop, own: list[dict[str, Any]]) -> list[dict[str, object]]:
    """Return the lifecycle tools of a loop: the one that parks it, and those that control its workers."""
    return added_entries(loop.run, own, loop.workers, with_subagents=loop.options.given.get("subagents") is True)


def added_entries(
    run: Execution, own: list[dict[str, Any]], workers: WorkerSupport, *, with_subagents: bool
) -> list[dict[str, object]]:
    """Return the lifecycle tools to add to the given tools, omitting those that they contain already."""
    names = set(tool_names(own))
    entries = [await_resumption_entry()]
    if with_subagents or not names.isdisjoint(_SPAWNING_TOOLS):
        entries += workers.tools(run)
    return [entry for entry in entries if entry["name"] not in names]


def await_resumption_entry() -> dict[str, object]:
    """Return the entry of `agent_await_resumption`, which a loop handles itself."""
    return {
        "name": AWAIT_RESUMPTION,
        "description": _DESCRIPTION,
        "parameters": _PARAMETERS,
        "handler": _refuse,
        "executor": "harn",
        "annotations": {"kind": "think"},
    }


def park_if_asked(loop: Loop, turn: Turn) -> bool:
    """Suspend the loop if the turn requests it; the first such call decides, and no other call of the turn runs."""
    call = next((call for call in turn.calls if call.get("name") == AWAIT_RESUMPTION), None)
    if call is None:
        return False
    arguments = call.get("arguments")
    try:
        suspension = read_request(arguments if isinstance(arguments, dict) else {})
        _check_triggers(suspension)
    except ScriptError as error:
        text = str(error.value).removeprefix("Runtime error: ")
        _audit(loop, call, "rejected", text)
        loop.tell(turn, AWAIT_RESUMPTION, f"Invalid agent_await_resumption call: {text}\n\n{_ADVICE}")
        turn.skip_reason = INVALID_SKIP
        return True
    _audit(loop, call, SUSPENDED, suspension.reason)
    turn.skip_reason = SUSPENDED
    suspend(loop, suspension)
    return True


def read_request(arguments: dict[str, Any]) -> Suspension:
    """Read the arguments of `agent_await_resumption`; throw if they are invalid."""
    reason = arguments.get("reason")
    if not isinstance(reason, str) or not reason.strip():
        raise thrown(REASON_REQUIRED)
    from harnlite.agent.loop.state.resume_conditions import read_conditions

    conditions = read_conditions(arguments.get("conditions"))
    return Suspension(reason, SELF, conditions, arguments.get("resume_by"))


def _check_triggers(suspension: Suspension) -> None:
    from harnlite.agent.loop.state.resume_conditions import trigger_error

    fault = trigger_error(suspension.conditions)
    if fault is not None:
        raise runtime_error(f"HARN-SUS-007: agent_await_resumption: the trigger cannot be registered: {fault}")


def _audit(loop: Loop, call: dict[str, Any], status: str, note: str) -> None:
    facts: dict[str, object] = {
        "tool_call_id": call.get("id"),
        "tool_name": AWAIT_RESUMPTION,
        "audit": {"kind": "lifecycle", "tool": AWAIT_RESUMPTION, "status": status, "reason": note},
    }
    loop.session.lifecycle(loop.run, "tool_call_audit", AWAIT_RESUMPTION, facts, role="tool")
    emit(loop.run, loop.session, "tool_call_audit", facts)
