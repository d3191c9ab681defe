"""What the session of a loop records: the system prompt, the assistant's messages, and the results of tool calls."""

from __future__ import annotations

from harnlite.agent.sessions.branching import part
from harnlite.llm.result import call_message, prompt_metadata
from harnlite.llm.sanitizer import sanitised
from harnlite.reminders.capabilities import ANTHROPIC, TEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from harnlite.agent.sessions.session import Session
    from harnlite.runtime.tasks.execution import Execution

    Message = dict[str, object]


def record_system_prompt(run: Execution, session: Session, content: str) -> None:
    """Write down the system prompt that a loop on a session has composed."""
    facts = prompt_metadata(content)
    session.lifecycle(run, "system_prompt", content, facts)
    metadata = {**(session.transcript.metadata or {}), "system_prompt": {**facts, "content": content}}
    session.transcript = session.transcript.with_fields(metadata=metadata)
    session.system_prompt = content


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


def pop_last_assistant(session: Session) -> bool:
    """Take the assistant's last message out if it is the last message of all; say whether it was."""
    transcript = session.transcript
    messages = transcript.messages()
    if not messages or messages[-1].get("role") != "assistant":
        return False
    session.transcript = part(transcript, 0, len(messages) - 1)
    return True
