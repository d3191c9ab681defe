"""The judges of a loop: each makes one model call to decide whether the work is done or whether tool calls may run."""

from __future__ import annotations

from harnlite.agent.loop.state.judge_settings import APPEND
from harnlite.agent.loop.state.loop_state import STALLED
from harnlite.agent.loop.state.prompt_texts import prompt_text
from harnlite.agent.sessions.live_events import emit
from harnlite.agent.sessions.recording import pop_last_assistant
from harnlite.formats.json.writing import json_text
from harnlite.llm import model_call
from harnlite.llm.run_trace import trace_of
from harnlite.runtime.tasks.task_errors import uncaught_text
from harnlite.values.catching import CATCHABLE, script_error
from harnlite.values.display import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.agent.loop.state.judge_settings import Cadence, JudgeSettings, StepJudgeSettings
    from harnlite.agent.loop.state.loop_state import Loop, Turn

NOT_DUE = object()
"""The result of `judge_veto` when it is too early to ask the `done_judge`."""

JUDGED_REASONS = frozenset({"sentinel", "natural", STALLED})
REVISE, PASS = "revise", "pass"
REVISE_SKIP = "step_judge_revise"
_ACCEPTING = frozenset(
    ("done", "pass", "passed", "safe", "true", "yes", "yield", "yield_to_user", "complete", "completed")
)
_MAX_MESSAGES = 12
_MAX_MESSAGE_CHARS = 2000
_TEXT: dict[str, object] = {"type": ["string", "null"]}
_COMPLETION_SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {"verdict": {}, "reasoning": _TEXT, "next_step": _TEXT},
    "required": ["verdict"],
}
_STEP_SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {"verdict": {}, "critique": _TEXT, "confidence": {}},
    "required": ["verdict"],
}
_COMPLETION_SYSTEM = (
    "You judge whether an agent has finished its task. Look only at what the conversation shows: claims without "
    'evidence count for nothing. Answer with one JSON object: "verdict" is "done" if nothing is missing and otherwise '
    '"continue", "reasoning" says why in one or two sentences, "next_step" says what the agent should do next if it is '
    "not done."
)
_STEP_SYSTEM = (
    "You review the next step of an agent before its tool calls are carried out. Answer with one JSON object: "
    '"verdict" is "pass" if the step may be taken and "revise" if it has to be done differently, "critique" says what '
    'is wrong and what to do instead, "confidence" is a number from 0 to 1.'
)
_ADVERSARIAL = (
    " Assume that the step is wrong until you have failed to find what is wrong with it: look for damage that cannot "
    "be undone, guesses that could have been checked, and work that the task does not ask for."
)


class Opinion:
    """The opinion of a judge: its verdict and the reasons for it."""

    __slots__ = ("confidence", "duration_ms", "error", "next_step", "reasoning", "verdict")

    def __init__(self, verdict: str, reasoning: str = "", next_step: str = "", confidence: object = None) -> None:
        self.verdict = verdict
        self.reasoning = reasoning
        self.next_step = next_step
        self.confidence = confidence
        self.duration_ms = 0
        self.error: str | None = None

    @property
    def accepts(self) -> bool:
        """Return whether the verdict is an acceptance."""
        return self.verdict.strip().lower() in _ACCEPTING


# Completion


def judge_veto(loop: Loop, turn: Turn, reason: str) -> object:
    """Ask the judges about a proposed end. Return None if they accept, NOT_DUE, or the feedback for the model."""
    options = loop.options
    judge = options.verify_completion_judge
    if judge is not None:
        veto = _ask_completion(loop, turn, "verify_completion_judge", judge, reason)
        if veto is not None:
            return veto
    judge = options.done_judge
    if judge is None or reason not in JUDGED_REASONS:
        return None
    if not _is_due(loop, turn, judge.cadence, reason):
        return NOT_DUE
    return _ask_completion(loop, turn, "done_judge", judge, reason)


def _is_due(loop: Loop, turn: Turn, cadence: Cadence, reason: str) -> bool:
    asked, last = loop.judged
    if 0 <= cadence.max_invocations <= asked or turn.number < cadence.min_iterations:
        return False
    if asked and turn.number - last < cadence.every:
        return False
    if cadence.closure is not None:
        state = {
            "iteration": turn.number,
            "trigger": reason,
            "stalled": turn.trip is not None,
            "invocations": asked,
            "last_invocation_iteration": last,
            "text": turn.text,
            "tool_call_count": len(turn.calls),
        }
        return bool(cadence.closure(state))
    return cadence.when != STALLED or reason == STALLED or turn.trip is not None


def _ask_completion(loop: Loop, turn: Turn, name: str, judge: JudgeSettings, reason: str) -> str | None:
    if name == "done_judge":
        loop.judged = (loop.judged[0] + 1, turn.number)
    bindings: dict[str, object] = {
        "task": loop.task,
        "stop_reason": reason,
        "text": turn.visible_text,
        "transcript": _recent_messages(loop),
        "successful_tools": ", ".join(dict.fromkeys(loop.totals.successful)),
    }
    user = (
        f"Task:\n{loop.task}\n\nThe agent wants to end ({reason}) with this answer:\n{turn.visible_text}\n\n"
        f"The end of the conversation:\n{bindings['transcript']}"
    )
    prompts = _prompts(loop, "completion_judge", (judge.system or _COMPLETION_SYSTEM, user), bindings)
    opinion = _ask(loop, name, prompts, _COMPLETION_SCHEMA, judge.model_options)
    accepts = opinion.accepts or (opinion.error is not None and judge.fail_open)
    emit(
        loop.run,
        loop.session,
        "judge_decision",
        {
            "iteration": turn.index,
            "verdict": opinion.verdict,
            "reasoning": opinion.reasoning,
            "next_step": opinion.next_step,
            "judge_duration_ms": opinion.duration_ms,
            "trigger": reason,
        },
    )
    _signal(turn, name, opinion, accepts=accepts)
    if accepts:
        return None
    if opinion.error is not None:
        return opinion.error
    feedback = opinion.next_step.strip() or opinion.reasoning.strip() or judge.feedback_fallback
    return prompt_text(
        loop.run, loop.options.given, "completion_judge_feedback", feedback, {**bindings, "feedback": feedback}
    )


def _signal(turn: Turn, name: str, opinion: Opinion, *, accepts: bool) -> None:
    signal: dict[str, object] = {"name": name, "kind": name, "signal": "accept" if accepts else opinion.verdict}
    reason = opinion.error or opinion.reasoning
    if reason:
        signal["reason"] = reason
    turn.signals.append(signal)


# Replies


def review_reply(loop: Loop, turn: Turn, judge: StepJudgeSettings) -> bool:
    """Ask the judge to review a reply before its tools run. Return whether the model has to revise it."""
    if _is_skipped(loop, turn, judge):
        return False
    calls = "\n".join([f"{call.get('name')}({json_text(call.get('arguments') or {})})" for call in turn.calls])
    known = {"task": loop.task, "text": turn.text, "tool_calls": calls, "transcript": _recent_messages(loop)}
    bindings: dict[str, object] = {**known}
    user = (
        f"Task:\n{loop.task}\n\nThe end of the conversation:\n{bindings['transcript']}\n\n"
        f"The step under review:\n{turn.text}\n\nIts tool calls:\n{calls or '(none)'}"
    )
    system = judge.system or _STEP_SYSTEM + (_ADVERSARIAL if judge.adversarial else "")
    prompts = _prompts(loop, "step_judge", (system, user), bindings)
    opinion = _ask(loop, "step_judge", prompts, _STEP_SCHEMA, judge.model_options)
    is_revised = opinion.verdict.strip().lower() == REVISE if opinion.error is None else not judge.fail_open
    critique = opinion.error or opinion.reasoning
    emit(
        loop.run,
        loop.session,
        "step_judge_decision",
        {
            "iteration": turn.index,
            "verdict": opinion.verdict,
            "critique": critique,
            "confidence": opinion.confidence,
            "attempt": loop.step_attempts + 1,
            "judge_duration_ms": opinion.duration_ms,
        },
    )
    _signal(turn, "step_judge", opinion, accepts=not is_revised)
    if not is_revised:
        loop.step_attempts = 0
        return False
    loop.step_attempts += 1
    turn.skip_reason = REVISE_SKIP
    if judge.on_veto != APPEND and pop_last_assistant(loop.session):
        turn.is_removed = True
        loop.last_text = turn.text_before
    if critique.strip():
        loop.tell(turn, "step_judge", critique)
    return True


def _is_skipped(loop: Loop, turn: Turn, judge: StepJudgeSettings) -> bool:
    if judge.max_attempts <= loop.step_attempts:
        # Let this reply pass; the next one is reviewed again.
        loop.step_attempts = 0
        return True
    return (
        (judge.skip_when_empty and not turn.calls and not turn.text.strip())
        or (judge.skip_when_stalled and turn.trip is not None)
        or loop.budget.limit - turn.number < judge.skip_when_remaining
    )


# The call


def _prompts(loop: Loop, name: str, defaults: tuple[str, str], bindings: dict[str, object]) -> tuple[str, str]:
    given = loop.options.given
    system, user = defaults
    return (
        prompt_text(loop.run, given, f"{name}_system", system, bindings),
        prompt_text(loop.run, given, f"{name}_user", user, bindings),
    )


def _ask(
    loop: Loop, name: str, prompts: tuple[str, str], schema: dict[str, object], model: dict[str, object]
) -> Opinion:
    """Ask for a verdict in one structured call, which renders no reminders and is not a turn of the session."""
    run, given = loop.run, {**loop.options.given, **loop.options.llm_options}
    chosen = {key: given[key] for key in ("provider", "model", "model_tier", "budget") if given.get(key) is not None}
    if "model" in model and "provider" not in model:
        chosen.pop("provider", None)
    options: dict[str, Any] = {
        **chosen,
        **model,
        "output_schema": schema,
        "output_format": {"kind": "json_schema", "schema": schema, "strict": False},
        "output_validation": "error",
        "schema_retries": 0,
    }
    system, user = prompts
    started = run.clock.monotonic()
    try:
        reply = model_call.call(run, user, system, options)
        opinion = _read(reply.get("data"))
    except CATCHABLE as error:
        failure = script_error(error)
        if failure is None:
            raise
        value = failure.value
        text = display(value["message"]) if isinstance(value, dict) and "message" in value else uncaught_text(failure)
        opinion = Opinion("error", text)
        opinion.error = text
    opinion.duration_ms = int((run.clock.monotonic() - started) * 1000)
    _record_checkpoint(loop, name, opinion)
    return opinion


def _read(data: object) -> Opinion:
    found: dict[str, object] = data if isinstance(data, dict) else {}
    reasoning = found.get("reasoning", found.get("critique"))
    next_step = found.get("next_step")
    return Opinion(
        display(found.get("verdict")),
        "" if reasoning is None else display(reasoning),
        "" if next_step is None else display(next_step),
        found.get("confidence"),
    )


def _record_checkpoint(loop: Loop, name: str, opinion: Opinion) -> None:
    """Record and emit that a judge was called."""
    checkpoint: dict[str, object] = {
        "kind": name,
        "ok": opinion.error is None,
        "verdict": opinion.verdict,
        "error": opinion.error,
        "duration_ms": opinion.duration_ms,
    }
    facts: dict[str, object] = {"checkpoint": checkpoint}
    loop.session.lifecycle(loop.run, "typed_checkpoint", name, facts, role="assistant")
    emit(loop.run, loop.session, "typed_checkpoint", facts)
    trace_of(loop.run).add("typed_checkpoint", name=name, ok=opinion.error is None, iteration=loop.index + 1)


def _recent_messages(loop: Loop) -> str:
    """Return the last messages as text, each cut to a maximum length."""
    transcript = loop.session.transcript
    lines = []
    for message in transcript.messages_from(max(0, transcript.message_count - _MAX_MESSAGES)):
        content = message.get("content")
        text = content if isinstance(content, str) else json_text(content)
        cut = text if len(text) <= _MAX_MESSAGE_CHARS else text[:_MAX_MESSAGE_CHARS] + " …"
        lines.append(f"[{message.get('role')}] {cut}")
    return "\n".join(lines)
