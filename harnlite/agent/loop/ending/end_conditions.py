"""The conditions under which a turn ends the loop, and the gates that a proposed end has to pass."""

from __future__ import annotations

from harnlite.agent.loop.ending.post_turn import ask_callback
from harnlite.agent.loop.state.loop_state import DONE, STALLED, VERIFY_EXHAUSTED
from harnlite.agent.sessions.live_events import emit
from harnlite.formats.json.writing import json_text
from harnlite.reminders.capabilities import NATIVE
from harnlite.values.display import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.agent.loop.state.loop_state import Loop, Turn

SENTINEL_FOUND, NATURAL = "sentinel", "natural"
STALLED_DONE = "stalled_done_judge"
_CONFIRMATION = (
    "You ended your turn without calling a tool. If you intended to call a tool, call it now. If this was your final "
    "answer, restate it briefly on the next line — do not describe your process."
)
_EXCERPT = 160


def decide(loop: Loop, turn: Turn) -> None:
    """End the loop if the turn completes it; the first matching rule decides."""
    callback = loop.options.post_turn_callback
    if is_sentinel_found(loop, turn):
        propose(loop, turn, SENTINEL_FOUND)
    elif _has_stopping_tool(loop, turn):
        loop.end(DONE, NATURAL, is_completion=True)
    elif callback is not None:
        verdict = ask_callback(callback, loop, turn)
        if verdict.is_stop:
            propose(loop, turn, verdict.stop_reason)
        elif not verdict.goes_on:
            _decide_by_text(loop, turn)
    else:
        _decide_by_text(loop, turn)


def _decide_by_text(loop: Loop, turn: Turn) -> None:
    if ends_naturally(loop, turn):
        propose(loop, turn, NATURAL)
    elif _needs_confirmation(loop, turn) and not loop.confirmation_asked:
        _ask_for_confirmation(loop, turn)


def proposes_end(loop: Loop, turn: Turn) -> bool:
    """Return whether a turn would end the loop, ignoring callbacks and gates."""
    return is_sentinel_found(loop, turn) or _has_stopping_tool(loop, turn) or ends_naturally(loop, turn)


def is_sentinel_found(loop: Loop, turn: Turn) -> bool:
    """Return whether the completion marker is in the `<done>` block of the reply or, without a block, in its text."""
    if loop.sentinel is None:
        return False
    marker = turn.reply.get("done_marker")
    return loop.sentinel in (marker if isinstance(marker, str) else turn.text)


def _has_stopping_tool(loop: Loop, turn: Turn) -> bool:
    wanted = loop.options.stop_after_tools
    return bool(wanted) and any(result.get("ok") and result.get("tool_name") in wanted for result in turn.results)


def ends_naturally(loop: Loop, turn: Turn) -> bool:
    """Return whether a turn is a text-only answer that ends the loop."""
    if not turn.is_text_only or turn.was_refused:
        return False
    options = loop.options
    if turn.text.strip():
        if options.done_judge is not None:
            return True
        if _ends_on_text_answer(loop) and (loop.has_tool_result or loop.text_only_turns > 1):
            return True
    return not options.loop_until_done and not options.is_daemon


def _ends_on_text_answer(loop: Loop) -> bool:
    """Return whether a native loop runs until the model answers with text only."""
    options = loop.options
    is_native = loop.tool_format == NATIVE and loop.has_own_tools
    return is_native and options.loop_until_done and not options.is_daemon and loop.sentinel is None


def _needs_confirmation(loop: Loop, turn: Turn) -> bool:
    return turn.is_text_only and not turn.was_refused and bool(turn.text.strip()) and _ends_on_text_answer(loop)


def _ask_for_confirmation(loop: Loop, turn: Turn) -> None:
    loop.confirmation_asked = True
    loop.tell(turn, "completion_confirmation", _CONFIRMATION)
    text = turn.visible_text.strip()
    excerpt = text if len(text) <= _EXCERPT else text[:_EXCERPT] + "…"
    emit(
        loop.run,
        loop.session,
        "feedback_injected",
        {"kind": "completion_confirmation_nudge", "content": excerpt},
    )


# Gates


def propose(loop: Loop, turn: Turn, reason: str) -> bool:
    """Ask the gates about a proposed end. Return whether all accept; the first veto is sent to the model."""
    turn.completion["proposed"] = True
    options = loop.options
    if loop.verify_attempts >= options.max_verify_attempts:
        loop.end(VERIFY_EXHAUSTED, reason)
        return False
    veto = _closure_veto(loop, turn, reason)
    if veto is None and (options.verify_completion_judge is not None or options.done_judge is not None):
        from harnlite.agent.loop.ending.judges import NOT_DUE, judge_veto

        veto = judge_veto(loop, turn, reason)
        if veto is NOT_DUE:
            return False
    if veto is not None:
        _send_back(loop, turn, "verify_completion", display(veto))
        loop.verify_attempts += 1
        return False
    missing = loop.missing_tools()
    if missing:
        _send_back(loop, turn, "required_tools", missing_text(missing))
        return False
    turn.completion["verdict"] = "accepted"
    loop.end(DONE, STALLED_DONE if reason == STALLED else reason, is_completion=True)
    return True


def missing_text(missing: list[str]) -> str:
    """Return the feedback about required tools that have not succeeded."""
    return (
        f"Required tool(s) have not succeeded yet: {', '.join(missing)}. Continue working and call the missing "
        "required tool(s) before finalizing."
    )


def _send_back(loop: Loop, turn: Turn, kind: str, text: str) -> None:
    turn.completion |= {"vetoed": True, "verdict": "vetoed", "feedback": text or None}
    if text:
        loop.tell(turn, kind, text)


def _closure_veto(loop: Loop, turn: Turn, reason: str) -> object:
    """Call `verify_completion`. Return None if it accepts, else the text of its veto, which may be empty."""
    closure = loop.options.verify_completion
    answer = None if closure is None else closure(completion_payload(loop, turn, reason))
    if answer is None or answer is True or answer == "":
        return None
    if isinstance(answer, str):
        return answer
    if isinstance(answer, dict):
        if answer.get("confirm") is not False:
            return None
        text = answer.get("message")
        if text is None:
            text = answer.get("feedback")
        return "" if text is None else text
    return "" if answer is False else None


def completion_payload(loop: Loop, turn: Turn, reason: str) -> dict[str, object]:
    """Return the payload that a completion gate receives."""
    totals = loop.totals
    return {
        "session_id": loop.session.id,
        "task": loop.task,
        "stop_reason": reason,
        "text": turn.text,
        "visible_text": turn.visible_text,
        "last_text": loop.last_text,
        "transcript": json_text(loop.session.transcript.messages()),
        "all_tools_used": _unique([str(call.get("name")) for call in totals.calls]),
        "successful_tools_used": _unique(totals.successful),
        "iteration": turn.number,
    }


def _unique(names: list[str]) -> list[object]:
    return list(dict.fromkeys(names))
