"""The steps of a loop on its session, which `agent_loop` takes itself and std/agent/state offers one by one."""

from __future__ import annotations

from harnlite.agent.option_values import int_option
from harnlite.agent.sessions.branching import part
from harnlite.agent.sessions.current import SESSION, current_session_id
from harnlite.agent.sessions.open_sessions import sessions_of
from harnlite.agent.sessions.reminding import restart_turns
from harnlite.llm.result import call_message, prompt_metadata
from harnlite.llm.sanitizer import sanitised
from harnlite.reminders.capabilities import ANTHROPIC
from harnlite.values.errors import runtime_error, thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from harnlite.agent.loop.state.loop_state import Loop
    from harnlite.agent.sessions.session import Session
    from harnlite.runtime.tasks.execution import Execution

    Message = dict[str, object]

TEXT = "text"


class Totals:
    """What a loop adds up over its model calls."""

    __slots__ = (
        "calls",
        "cost_usd",
        "duration_ms",
        "input_tokens",
        "iterations",
        "output_tokens",
        "rejected",
        "successful",
    )

    def __init__(self) -> None:
        self.iterations = 0
        self.input_tokens = 0
        self.output_tokens = 0
        self.duration_ms = 0
        self.cost_usd = 0.0
        self.calls: list[dict[str, object]] = []
        self.successful: list[str] = []
        self.rejected: list[str] = []

    @property
    def tokens_used(self) -> int:
        """Return all tokens so far."""
        return self.input_tokens + self.output_tokens

    def as_dict(self) -> dict[str, object]:
        """Return the sums as a script sees them."""
        return {
            "iterations": self.iterations,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "tokens_used": self.tokens_used,
            "cost_usd": self.cost_usd,
            "duration_ms": self.duration_ms,
            "tool_calls": len(self.calls),
            "successful_tools": list(self.successful),
            "rejected_tools": list(self.rejected),
        }


def open_for_loop(run: Execution, session_id: str | None) -> Session:
    """Return the session of a loop: the one it names, else the current one if it is free, else a new one."""
    store = sessions_of(run)
    if session_id is None:
        current = current_session_id(run)
        found = store.get(current) if current is not None else None
        if found is not None and found.loop is None:
            return found
        if current is not None and found is None and current == run.context.get(SESSION):
            # The session of the host's turn, not opened yet.
            return store.open(run, current)
        return store.open(run, "agent_session_" + run.ids.uuid7())
    session = store.open(run, session_id)
    if session.loop is not None:
        raise thrown(f"agent_loop: session '{session_id}' is already running a loop")
    return session


def record_system_prompt(run: Execution, session: Session, content: str) -> None:
    """Write down the system prompt that a loop on a session has composed."""
    facts = prompt_metadata(content)
    session.lifecycle(run, "system_prompt", content, facts)
    metadata = {**(session.transcript.metadata or {}), "system_prompt": {**facts, "content": content}}
    session.transcript = session.transcript.with_fields(metadata=metadata)
    session.system_prompt = content


def claim_tool_format(session: Session, tool_format: str, prefix: str = "") -> None:
    """Lock a session to a tool format, or fail because another one has it."""
    claimed = session.tool_format
    if claimed is not None and claimed != tool_format:
        raise runtime_error(
            f"{prefix}agent session '{session.id}' is locked to tool_format='{claimed}', but this run requested "
            f"tool_format='{tool_format}'. Start a new session or fork/reset the transcript before changing tool mode."
        )
    session.tool_format = tool_format


def begin(run: Execution, session: Session, loop: Loop, content: object) -> None:
    """Let a loop take over a session: the user message enters, and turns are counted from 0."""
    session.loop = loop
    session.turn = 0
    session.append_message(run, {"role": "user", "content": content})
    restart_turns(session)


def end(session: Session) -> None:
    """Give a session back after its loop."""
    session.end_loop()


def assistant_message(text: str, native_calls: Sequence[dict[str, Any]], wire: str) -> Message:
    """Return the message of an assistant's turn, native calls in the shape of the wire."""
    return call_message(text, list(native_calls), wire) if native_calls else {"role": "assistant", "content": text}


def record_assistant(
    run: Execution, session: Session, text: str, native_calls: Sequence[dict[str, Any]], wire: str
) -> None:
    """Append the assistant's turn; the model call that it comes from is complete."""
    session.append_message(run, assistant_message(text, native_calls, wire))


def reply_text(reply: dict[str, Any], user_response: str | None = None) -> str:
    """Return what is recorded of a model's reply: the part for the user, else the prose, else the raw text."""
    for text in (user_response, reply.get("user_response"), reply.get("prose")):
        if isinstance(text, str) and text.strip():
            return text
    text = reply.get("text")
    return text if isinstance(text, str) else ""


def visible_text(reply: dict[str, Any]) -> str:
    """Return what a model's reply says to people, also where it stands outside the tags for that."""
    text = reply.get("visible_text")
    return text if isinstance(text, str) and text.strip() else sanitised(reply_text(reply))


def tool_result_message(result: dict[str, Any], tool_format: str, wire: str) -> Message:
    """Return the message that tells the model what a tool call has come to."""
    content = result.get("observation")
    if content is None:
        content = result.get("rendered_result")
    if tool_format == TEXT:
        return {"role": "user", "content": content}
    call_id = result.get("tool_call_id")
    if wire == ANTHROPIC:
        return {"role": "tool_result", "tool_use_id": call_id, "content": content}
    return {"role": "tool", "name": result.get("tool_name"), "tool_call_id": call_id, "content": content}


def record_tool_results(
    run: Execution,
    session: Session,
    results: Sequence[dict[str, Any]],
    tool_format: str,
    wire: str,
) -> None:
    """Append one message for each result, in the order of the calls."""
    for result in results:
        session.append_message(run, tool_result_message(result, tool_format, wire))


def note_tools(totals: Totals, calls: Sequence[dict[str, object]], results: Sequence[dict[str, Any]]) -> None:
    """Count the calls of a turn, and which tools have succeeded."""
    totals.calls += calls
    for result in results:
        (totals.successful if result.get("ok") else totals.rejected).append(str(result.get("tool_name")))


def record_usage(run: Execution, session: Session, totals: Totals, reply: dict[str, Any], cost_usd: float) -> None:
    """Count what a model call has used and write it down."""
    input_tokens, output_tokens = int_option(reply, "input_tokens", 0), int_option(reply, "output_tokens", 0)
    totals.iterations += 1
    totals.input_tokens += input_tokens
    totals.output_tokens += output_tokens
    totals.cost_usd += cost_usd
    stop_reason = reply.get("stop_reason")
    facts: dict[str, object] = {
        "input_tokens": input_tokens,
        "output_tokens": output_tokens,
        "provider": reply.get("provider"),
        "model": reply.get("model"),
        "cost_usd": cost_usd,
        "provider_stop_reason": stop_reason,
        "canonical_stop_reason": canonical_stop_reason(stop_reason),
    }
    session.lifecycle(run, "llm_call", "llm_call", facts)


_STOP_REASONS = {
    "stop": "end_turn",
    "end_turn": "end_turn",
    "stop_sequence": "end_turn",
    "length": "max_tokens",
    "max_tokens": "max_tokens",
    "tool_calls": "tool_use",
    "tool_use": "tool_use",
    "content_filter": "refusal",
    "refusal": "refusal",
}


def canonical_stop_reason(stop_reason: object) -> str | None:
    """Return the common name of why a provider has stopped."""
    return _STOP_REASONS.get(stop_reason, "end_turn") if isinstance(stop_reason, str) else None


def pop_last_assistant(session: Session) -> bool:
    """Take the assistant's last message out if it is the last message of all; say whether it was."""
    transcript = session.transcript
    messages = transcript.messages()
    if not messages or messages[-1].get("role") != "assistant":
        return False
    session.transcript = part(transcript, 0, len(messages) - 1)
    return True
