"""The payload about a finished turn for hooks and callbacks, and the verdict of `post_turn_callback`."""

from __future__ import annotations

from harnlite.agent.loop.features.offering import change_options
from harnlite.values.display import display
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.agent.loop.state.loop_state import Loop, Turn

KIND = "post_turn"
POST_TURN_STOP = "post_turn_stop"


class Verdict:
    """The verdict of a callback: stop the loop, continue it, or leave the decision to the other rules."""

    __slots__ = ("goes_on", "stop_reason")

    def __init__(self, stop_reason: str = "", *, goes_on: bool = False) -> None:
        self.stop_reason = stop_reason
        self.goes_on = goes_on

    @property
    def is_stop(self) -> bool:
        """Return whether the callback stops the loop."""
        return bool(self.stop_reason)


def turn_payload(loop: Loop, turn: Turn) -> dict[str, object]:
    """Return the payload about a turn for hooks and callbacks."""
    results = list(turn.results)
    successful, rejected = turn.tool_names()
    totals = loop.totals
    return {
        "session_id": loop.session.id,
        "session": {"id": loop.session.id},
        "iteration": turn.index,
        "has_tool_calls": bool(turn.calls),
        "dispatch": {"results": results} if turn.calls else None,
        "tool_results": results,
        "tool_count": len(turn.calls),
        "successful_tool_names": successful,
        "rejected_tool_names": rejected,
        "session_successful_tools": list(totals.successful),
        "session_rejected_tools": list(totals.rejected),
        "text": turn.text,
        "visible_text": turn.visible_text,
    }


def ask_callback(callback: Callable[..., object], loop: Loop, turn: Turn) -> Verdict:
    """Call `post_turn_callback`, apply its answer, and return its verdict."""
    answer = callback(turn_payload(loop, turn))
    if answer is True:
        return Verdict(POST_TURN_STOP)
    if isinstance(answer, str) and answer:
        loop.tell(turn, KIND, answer)
        return Verdict(goes_on=True)
    if not isinstance(answer, dict):
        return Verdict()
    message = answer.get("message")
    text = "" if message is None or message is False else display(message)
    if text:
        loop.tell(turn, KIND, text)
    _change_options(loop, answer)
    if answer.get("stop"):
        reason = answer.get("stop_reason")
        return Verdict(reason if isinstance(reason, str) and reason else POST_TURN_STOP)
    return Verdict(goes_on=bool(text))


def _change_options(loop: Loop, answer: dict[str, object]) -> None:
    changes: dict[str, dict[str, object]] = {}
    for key in ("next_options", "llm_options"):
        value = answer.get(key)
        if value is not None and not isinstance(value, dict):
            raise thrown(f"agent_loop: post_turn_callback `{key}` must be a dict")
        changes[key] = value or {}
    model = changes["llm_options"]
    if answer.get("prefill") is not None:
        model = {**model, "prefill": answer["prefill"]}
    next_options = {key: value for key, value in changes["next_options"].items() if not key.startswith("_")}
    if next_options:
        change_options(loop, next_options)
    if model:
        loop.options.llm_options = {**loop.options.llm_options, **model}
