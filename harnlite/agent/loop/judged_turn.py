"""`agent_turn`: an agent loop whose task is done only when a judge accepts the result."""

from __future__ import annotations

from harnlite.agent.loop.loop import run_loop
from harnlite.agent.loop.state.prompt_texts import prompt_text
from harnlite.agent.sessions.live_events import capturing
from harnlite.reminders.seams import ITERATION_END, ITERATION_START
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.agent.loop.state.feature_slots import WorkerSupport
    from harnlite.runtime.tasks.execution import Execution

_PREAMBLE = (
    "Work on the request of this turn until it is finished. A judge reads the conversation and decides whether it is; "
    "its feedback reaches you as a message."
)
_DECISION_KEYS = ("iteration", "verdict", "reasoning", "next_step", "judge_duration_ms", "trigger")


def run_turn(run: Execution, prompt: object, given: dict[str, Any], workers: WorkerSupport) -> dict[str, object]:
    """Run the loop and add its iterations and the decisions of its judge to the result."""
    options = _options(run, given)
    preamble = prompt_text(run, given, "turn_preamble", _PREAMBLE, {"prompt": prompt})
    system_option = given.get("system")
    system = f"{preamble}\n\n{system_option}" if isinstance(system_option, str) and system_option else preamble
    with capturing(run, options["session_id"]) as events:
        result = run_loop(run, prompt, system, options, workers)
    return {
        **result,
        "iterations": _iterations(events),
        "judge_decisions": [
            {key: event.get(key) for key in _DECISION_KEYS} for event in events if event["type"] == "judge_decision"
        ],
    }


def _options(run: Execution, given: dict[str, Any]) -> dict[str, Any]:
    options = {key: value for key, value in given.items() if key not in ("judge", "system")}
    judge = given.get("done_judge")
    if judge is None:
        judge = given.get("judge")
    if judge is False:
        raise thrown("agent_turn: done_judge is mandatory; pass a dict, true, or omit it")
    until_done = given.get("loop_until_done")
    if until_done is not None and until_done is not True:
        raise thrown("agent_turn: completion looping is required; pass loop_until_done: true or omit it")
    sentinel = given.get("done_sentinel")
    is_blank = sentinel is False or (isinstance(sentinel, str) and not sentinel.strip())
    if given.get("tool_format") != "native" and is_blank:
        raise thrown("agent_turn: done_sentinel is required for non-native loops; pass a non-empty string or omit it")
    session_id = given.get("session_id")
    if not isinstance(session_id, str) or not session_id:
        session_id = f"agent_turn_session_{run.ids.uuid7()}"
    return {
        **options,
        "done_judge": True if judge is None else judge,
        "loop_until_done": True,
        "session_id": session_id,
    }


def _iterations(events: list[dict[str, Any]]) -> list[dict[str, object]]:
    found: dict[object, dict[str, object]] = {}
    for event in events:
        if event["type"] == ITERATION_START:
            found[event["iteration"]] = {"iteration": event["iteration"], "started": True}
        elif event["type"] == ITERATION_END and event["iteration"] in found:
            info = event["iteration_info"]
            found[event["iteration"]] |= {
                "ended": True,
                "tool_count": info["tool_count"],
                "prose_chars": len(info["text"]),
            }
    return list(found.values())
