"""The contract of `llm_caller`, a callback that makes the model calls of a loop."""

from __future__ import annotations

from harnlite.agent.loop.turn.model_failure import Failed, failure_of
from harnlite.llm.offered_tools import tool_names
from harnlite.llm.text_protocol import parse_reply
from harnlite.values.data_types import type_name
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnlite.agent.loop.state.loop_state import Loop, Turn
    from harnlite.values.errors import ScriptError


def call_through(
    caller: Callable[..., object], loop: Loop, turn: Turn, system: str | None, options: dict[str, Any]
) -> dict[str, Any]:
    """Make the turn's model call through the callback, and return the reply."""
    turn_facts = {"iteration": turn.number, "session_id": loop.session.id, "attempt": 1}
    answer = caller({"prompt": loop.task, "system": system, "opts": options, "turn": turn_facts})
    if not isinstance(answer, dict):
        raise _contract_error(f"llm_caller must return a dict; got {type_name(answer)}")
    if answer.get("ok") is None:
        raise _contract_error("llm_caller result missing `ok`")
    if answer["ok"]:
        value = answer.get("value")
        if not isinstance(value, dict):
            raise _contract_error("llm_caller returned ok=true but `value` is not a dict")
        return _completed(loop, value)
    raise _failure(loop, answer)


def _contract_error(text: str) -> ScriptError:
    return thrown(f"agent_loop: {text}")


def _failure(loop: Loop, answer: dict[str, Any]) -> BaseException:
    status = answer.get("status")
    if not isinstance(status, str):
        return _contract_error("llm_caller returned ok=false but `status` is not a string")
    error, reason = answer.get("error"), answer.get("stop_reason")
    if isinstance(error, dict) and "category" in error and "kind" in error:
        error = failure_of(loop, error).error
    return Failed(status, reason if isinstance(reason, str) else status, error)


def _completed(loop: Loop, value: dict[str, Any]) -> dict[str, Any]:
    """Return the reply of a callback, completed with the parts that a model call would have parsed from its text."""
    if "prose" in value or "tool_calls" in value or value.get("native_tool_calls"):
        return value
    text = value.get("text")
    parsed = parse_reply(text if isinstance(text, str) else "", tool_names(loop.tools))
    found: dict[str, Any] = {"prose": parsed["prose"], "done_marker": parsed["done_marker"]}
    if parsed["calls"]:
        found["tool_calls"] = parsed["calls"]
    if "visible_text" not in value and parsed["prose"]:
        found["visible_text"] = parsed["prose"]
    return {**found, **value}
