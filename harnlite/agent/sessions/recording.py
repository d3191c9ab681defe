"""The recording of a loop in its session: the system prompt, assistant messages, and tool results."""

from __future__ import annotations

from harnlite.agent.sessions.branching import part
from harnlite.llm.result import call_message, has_to_go_back, prompt_metadata
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
    """Record the system prompt of a loop in its session."""
    facts = prompt_metadata(content)
    session.lifecycle(run, "system_prompt", content, facts)
    metadata = {**(session.transcript.metadata or {}), "system_prompt": {**facts, "content": content}}
    session.transcript = session.transcript.with_fields(metadata=metadata)
    session.system_prompt = content


def assistant_message(text: str, native_calls: Sequence[dict[str, Any]], wire: str, blocks: object = None) -> Message:
    """Return the message for a turn of the assistant, with native calls in the format of the provider.

    If the provider needs the thinking that belongs to the calls, the message consists of the blocks of the reply.
    """
    if native_calls and has_to_go_back(blocks):
        return {"role": "assistant", "content": blocks}
    return call_message(text, list(native_calls), wire) if native_calls else {"role": "assistant", "content": text}


def record_assistant(
    run: Execution,
    session: Session,
    text: str,
    native_calls: Sequence[dict[str, Any]],
    wire: str,
    blocks: object = None,
) -> None:
    """Append the assistant's message after a completed model call."""
    session.append_message(run, assistant_message(text, native_calls, wire, blocks))


def reply_text(reply: dict[str, Any], user_response: str | None = None) -> str:
    """Return the recorded text of a reply: the part for the user, or else the prose, or else the raw text."""
    for text in (user_response, reply.get("user_response"), reply.get("prose")):
        if isinstance(text, str) and text.strip():
            return text
    text = reply.get("text")
    return text if isinstance(text, str) else ""


def visible_text(reply: dict[str, Any]) -> str:
    """Return the text of a reply that users see, even if the model wrote it outside of the tags for it."""
    text = reply.get("visible_text")
    return text if isinstance(text, str) and text.strip() else sanitised(reply_text(reply))


def tool_result_message(result: dict[str, Any], tool_format: str, wire: str) -> Message:
    """Return the message with the result of a tool call for the model."""
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
    """Remove the last message if it is from the assistant; return whether it was removed."""
    transcript = session.transcript
    messages = transcript.messages()
    if not messages or messages[-1].get("role") != "assistant":
        return False
    session.transcript = part(transcript, 0, len(messages) - 1)
    return True
