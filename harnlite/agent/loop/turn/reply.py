"""Step 9 of an iteration: recording the model's reply, which may end the turn before its tools run."""

from __future__ import annotations

from harnlite.agent.loop.ending.end_conditions import is_sentinel_found, propose
from harnlite.agent.loop.state.lifecycle_tools import park_if_asked
from harnlite.agent.loop.state.loop_options import ALLOW, ALLOW_ONCE
from harnlite.agent.loop.state.loop_state import STALLED, STUCK
from harnlite.agent.option_values import dicts_in
from harnlite.agent.sessions.live_events import emit
from harnlite.agent.sessions.recording import record_assistant, reply_text
from harnlite.agent.tools.tool_call import readable_call
from harnlite.llm.run_trace import trace_of
from harnlite.llm.sanitizer import sanitised
from harnlite.reminders.capabilities import NATIVE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.agent.loop.state.loop_state import Loop, Turn
    from harnlite.agent.loop.state.stall import StallDetector

FALLBACK_KIND = "native_tool_contract"
HARD_STOP = "thrash_hard_stop"
STALL_SKIP, STALL_KIND = "stall_diagnostics", "stall_diagnostics"
_CONTRACT = (
    "This stage is running in native tool mode. Your last response emitted text-mode tool calls instead of "
    "provider-native tool calls.\n\n"
    "Re-issue the same action using only the native tool channel. Do not write `<tool_call>` tags, bare "
    "`name({{ ... }})` calls, Markdown fences, or JSON tool-call envelopes in assistant text.\n\n"
    "Policy: `{policy}`. Observed fallback turn: {index}.\n"
)


def record_reply(loop: Loop, turn: Turn) -> None:
    """Take the tool calls from the reply and append the assistant's message."""
    reply = turn.reply
    native = [readable_call(call) for call in dicts_in(reply.get("native_tool_calls"))]
    calls = native[:] or [readable_call(call) for call in dicts_in(reply.get("tool_calls"))]
    if calls and not native and loop.tool_format == NATIVE:
        calls = calls if _accepts_fallback(loop, turn, len(calls)) else []
    turn.calls = calls
    content = reply_text(reply)
    record_assistant(loop.run, loop.session, content, native, loop.wire, reply.get("blocks"))
    turn.has_native_calls = bool(native)
    turn.is_recorded = True
    loop.text_only_turns = loop.text_only_turns + 1 if turn.is_text_only else 0
    turn.text_before = loop.last_text
    loop.last_text = sanitised(content) or loop.last_text
    if loop.session.keeper is not None:
        loop.session.keeper.replied(loop.run, reply)


def _accepts_fallback(loop: Loop, turn: Turn, count: int) -> bool:
    """Return whether calls written as text may run in a native loop. If not, the model receives feedback."""
    loop.fallbacks += 1
    policy = loop.options.native_tool_fallback
    accepted = policy == ALLOW or (policy == ALLOW_ONCE and loop.fallbacks == 1)
    facts: dict[str, Any] = {
        "iteration": turn.number,
        "accepted": accepted,
        "policy": policy,
        "fallback_index": loop.fallbacks,
        "tool_call_count": count,
    }
    loop.session.lifecycle(loop.run, "native_tool_fallback", policy, facts)
    trace_of(loop.run).add("native_tool_fallback", **facts)
    if accepted:
        turn.is_fallback = True
    else:
        turn.was_refused = True
        loop.tell(turn, FALLBACK_KIND, _CONTRACT.format(policy=policy, index=loop.fallbacks))
    return accepted


def ends_turn(loop: Loop, turn: Turn) -> bool:
    """Return whether the turn ends before its tools run: the loop parks or stalls, or a judge rejects the reply."""
    if park_if_asked(loop, turn):
        return True
    if _is_stalled(loop, loop.stall, turn):
        return True
    judge = loop.options.step_judge
    if judge is None:
        return False
    from harnlite.agent.loop.ending.judges import review_reply

    return review_reply(loop, turn, judge)


def _is_stalled(loop: Loop, detector: StallDetector | None, turn: Turn) -> bool:
    """Check for repetition, and return whether it ends the turn."""
    if detector is None or is_sentinel_found(loop, turn):
        return False
    trip = detector.look_at(turn.calls)
    if trip is None:
        return False
    turn.trip = trip
    settings = detector.settings
    facts = trip.fields(turn.number, with_arguments=settings.include_arguments)
    loop.stall_warnings.append(facts)
    loop.session.lifecycle(loop.run, "agent_loop_stall_warning", trip.pattern, facts, role="assistant")
    emit(loop.run, loop.session, "agent_loop_stall_warning", facts)
    trace_of(loop.run).add("loop_intervention", name="stall_warning", pattern=trip.pattern, iteration=turn.number)
    if detector.may_tell(trip):
        loop.tell(turn, STALL_KIND, trip.text())
    if trip.is_hard_stop:
        turn.skip_reason = STALL_SKIP
        loop.end(STUCK, HARD_STOP)
        return True
    return _asks_judge(loop, turn)


def _asks_judge(loop: Loop, turn: Turn) -> bool:
    """Ask a judge that is called only after a stall. If it accepts, the loop ends. Return whether the turn ends."""
    judge = loop.options.done_judge
    if judge is None or judge.cadence.when != STALLED:
        return False
    if propose(loop, turn, STALLED) or loop.stop is not None:
        turn.skip_reason = STALL_SKIP
        return True
    return False
