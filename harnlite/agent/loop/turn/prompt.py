"""The prompt of a loop: its part of the system text, and the messages of its session as they are sent."""

from __future__ import annotations

from harnlite.agent.loop.state.prompt_texts import PREFIX, prompt_text
from harnlite.reminders.capabilities import NATIVE
from harnlite.runtime.tasks.clock import iso_time
from harnlite.values.data_types import type_name
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.agent.loop.state.loop_state import Loop

    Message = dict[str, Any]

_SEPARATOR = "\n\n"
_CONTRACT = "## Agent completion contract"
_UNTIL_DONE = (
    "You work in a loop: after each of your turns the results of your tool calls come back to you and you go on. "
    "Keep working until the task is finished; do not stop to ask for permission to continue."
)
_SINGLE_TURN = "Your turn is over as soon as you answer without calling a tool."
_DONE_NATIVE = "When everything is finished, and only then, include `{sentinel}` exactly once in assistant text."
_DONE_TEXT = (
    "When everything is finished, and only then, emit `<done>{sentinel}</done>` as its own top-level block, after your "
    "final answer and not beside a tool call."
)
_DONE_WITHOUT_SENTINEL = "When everything is finished, answer in text and call no tool; that ends the loop."
_VERIFIED = "Do not finish before you have verified the result with the tools that you have."
_ACTION = (
    "Each turn either calls a tool or hands over a finished answer; announcing what you are going to do is neither."
)


def system_text(loop: Loop) -> str | None:
    """Return the loop's part of the system prompt: the caller's text, the skills and the completion contract."""
    parts = [loop.system, *(() if loop.skills is None else loop.skills.sections()), _completion_contract(loop)]
    return _SEPARATOR.join([part for part in parts if part and not part.isspace()]) or None


def _completion_contract(loop: Loop) -> str | None:
    options, sentinel = loop.options, loop.sentinel
    if not options.loop_until_done and sentinel is None:
        return None
    given = options.given
    lines = [_UNTIL_DONE if options.loop_until_done else _SINGLE_TURN]
    policy = given.get("turn_policy")
    if isinstance(policy, dict) and policy.get("require_action_or_yield"):
        lines.append(_ACTION)
    if given.get("exit_when_verified"):
        lines.append(_VERIFIED)
    if sentinel is None:
        lines.append(_DONE_WITHOUT_SENTINEL)
    else:
        lines.append((_DONE_NATIVE if loop.tool_format == NATIVE else _DONE_TEXT).format(sentinel=sentinel))
    bindings: dict[str, object] = {"sentinel": sentinel, "tool_format": loop.tool_format}
    return prompt_text(loop.run, given, "loop_contract", _CONTRACT + "\n" + "\n".join(lines), bindings)


def tool_contract_text(loop: Loop) -> str | None:
    """Return the caller's replacement for the usual tool contract, or None if `prompts` has none."""
    given, name = loop.options.given, f"tool_contract_{loop.tool_format}"
    prompts = given.get("prompts")
    if not isinstance(prompts, dict) or prompts.get(PREFIX + name) is None:
        return None
    names = ", ".join([str(tool.get("name")) for tool in loop.offered])
    return prompt_text(loop.run, given, name, "", {"tools": names, "sentinel": loop.sentinel})


def messages_of(loop: Loop) -> list[Message]:
    """Return the session's messages as they are sent; the transcript itself does not change."""
    messages: list[Message] = loop.session.transcript.messages()
    if loop.summary is not None:
        messages = [loop.summary, *messages]
    options = loop.options
    if not options.timestamp_messages and options.message_decorator is None:
        return messages
    return [_decorated(loop, message, index) for index, message in enumerate(messages)]


def origin_of(loop: Loop, messages: list[Message]) -> object:
    """Return what identifies the growing list of which these messages are the beginning, or None."""
    transcript = loop.session.transcript
    return transcript.extent[0] if messages is transcript.messages() else None


def _time_of(loop: Loop, message: Message) -> str:
    """Return the time at which a message was first sent; compaction may have moved the message since."""
    known = loop.message_times.get(id(message))
    if known is None:
        # Keep a reference to the message so that its id cannot be reused.
        known = loop.message_times[id(message)] = (message, iso_time(loop.run.clock.now()))
    return known[1]


def _decorated(loop: Loop, message: Message, index: int) -> Message:
    options, time = loop.options, _time_of(loop, message)
    if options.timestamp_messages:
        message = _stamped(message, time)
    if options.message_decorator is None:
        return message
    context: dict[str, object] = {
        "session_id": loop.session.id,
        "iteration": loop.index + 1,
        "index": index,
        "timestamp": time,
        "options": options.given,
    }
    found = options.message_decorator(message, context)
    if found is None:
        return message
    if not isinstance(found, dict):
        raise thrown(f"agent_loop: message_decorator must return a message dict or nil; got {type_name(found)}")
    return found


def _stamped(message: Message, time: str) -> Message:
    mark = f"[harn timestamp: {time}]\n"
    content = message.get("content")
    if isinstance(content, str):
        return {**message, "content": mark + content}
    if isinstance(content, list):
        return {**message, "content": [{"type": "text", "text": mark}, *content]}
    return message


def summary_message(loop: Loop) -> Message | None:
    """Return the summary of the earlier conversation as a message, unless a message contains it already."""
    transcript = loop.session.transcript
    summary = transcript.summary
    if not isinstance(summary, str) or not summary.strip():
        return None
    if any(isinstance(text := message.get("content"), str) and summary in text for message in transcript.messages()):
        return None
    return {"role": "user", "content": summary}
