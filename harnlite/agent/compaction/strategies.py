"""Compaction strategies: the choice of the messages to archive, and the message that replaces them."""

from __future__ import annotations

from types import FunctionType

from harnlite.agent.compaction.compaction_settings import CUSTOM, LLM, TRUNCATE
from harnlite.agent.sessions.transcript_values import as_message, is_tool_result, message_text, role_of, transcript_of
from harnlite.formats.json.writing import pretty_json
from harnlite.llm.tokens import estimate_tokens, microcompact
from harnlite.values.data_types import Native
from harnlite.values.display import parameter_names
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from harnlite.agent.compaction.compaction_settings import Settings

    Message: TypeAlias = dict[str, object]
    Ask: TypeAlias = Callable[[list[Message]], str]

_LINE_CHARS = 500
_LINES = 15
_SHORT_BYTES = 500
_PREVIEW_CHARS = 120
_FEW_LINES = 3
_HEAD = "[auto-compacted "


class Compacted:
    """The messages after a compaction, with the summary and the number of the archived ones."""

    __slots__ = ("archived", "messages", "summary")

    def __init__(self, messages: list[Message], summary: str, archived: int) -> None:
        self.messages = messages
        self.summary = summary
        self.archived = archived


class Replacement:
    """The messages that replace archived messages, and a summary."""

    __slots__ = ("messages", "summary")

    def __init__(self, messages: list[Message], summary: str) -> None:
        self.messages = messages
        self.summary = summary


# The choice of the messages


def archived_span(messages: list[Message], keep_first: int, keep_last: int) -> tuple[int, int] | None:
    """Return the start and the end of the messages to archive, or None if there are none.

    The messages after the span begin with a user message. If that is impossible, they at least do not begin with a
    tool result whose call is archived.
    """
    count = len(messages)
    if count <= keep_first + keep_last:
        return None
    start, wanted = keep_first, count - keep_last
    while start < wanted and is_tool_result(messages[start]) and start > 0:
        start += 1
    stop = next((at for at in range(wanted, start, -1) if _begins_turn(messages, at)), start)
    if stop == start or (stop == start + 1 and _is_summary(messages[start])):
        stop = next((at for at in range(wanted, start, -1) if at == count or not is_tool_result(messages[at])), start)
    if stop == start or (stop == start + 1 and _is_summary(messages[start])):
        return None
    return start, stop


def _begins_turn(messages: list[Message], at: int) -> bool:
    return at == len(messages) or (role_of(messages[at]) == "user" and not is_tool_result(messages[at]))


def _is_summary(message: Message) -> bool:
    content = message.get("content") if message.__class__ is dict else None
    return isinstance(content, str) and content.startswith(_HEAD)


# Compaction


def compact(
    messages: list[Message],
    settings: Settings,
    ask: Ask,
    survivors: list[dict[str, object]] | None = None,
) -> Compacted | None:
    """Replace the older messages with a few new ones; return None if there are no messages to archive.

    `ask` asks a model for a summary of messages. `survivors` are the reminders that a custom compactor receives.
    """
    span = archived_span(messages, settings.keep_first, settings.keep_last)
    if span is None:
        return None
    start, stop = span
    if settings.tool_output_max_chars is not None:
        messages = [_shortened(message, settings) for message in messages]
    archived = messages[start:stop]
    new = _replace(settings.engine, archived, len(archived), settings, ask, survivors)
    result = [*messages[:start], *new.messages, *messages[stop:]]
    limit = settings.hard_limit_tokens
    if limit is not None and new.messages and estimate_tokens(result) > limit:
        new = _replace(settings.hard_limit_strategy, new.messages, len(archived), settings, ask, survivors)
        result = [*messages[:start], *new.messages, *messages[stop:]]
    return Compacted(result, new.summary, len(messages) - len(result) + 1)


def _replace(
    strategy: str,
    archived: list[Message],
    count: int,
    settings: Settings,
    ask: Ask,
    survivors: list[dict[str, object]] | None,
) -> Replacement:
    if settings.summary:
        return _as_message(_headed(count, settings.summary))
    if strategy == CUSTOM:
        return _custom(archived, count, settings.compactor, survivors)
    if strategy == LLM:
        summary = ask(archived)
        return _as_message(_headed(count, summary) if summary.strip() else _fallback(archived, count))
    if strategy == TRUNCATE:
        return _as_message(_truncated(archived, count))
    return _as_message(_masked(archived, count, settings.mask_callback))


def _as_message(text: str) -> Replacement:
    return Replacement([{"role": "user", "content": text}], text)


def _headed(count: int, summary: str) -> str:
    return f"{_HEAD}{count} older messages]\n{summary}"


# The strategies


def labelled(message: Message) -> tuple[str, str]:
    """Return the role and the text of a message."""
    return role_of(message) or "user", message_text(message)


def _short_lines(archived: list[Message], head: str) -> str:
    lines = []
    for role, text in map(labelled, archived):
        if text:
            cut = f"{text[:_LINE_CHARS]}... [truncated from {len(text)} chars]" if len(text) > _LINE_CHARS else text
            lines.append(f"[{role}] {cut}")
    more = [f"... and {len(lines) - _LINES} more"] if len(lines) > _LINES else []
    return "\n".join([head, *lines[:_LINES], *more])


def _truncated(archived: list[Message], count: int) -> str:
    return _short_lines(archived, f"{_HEAD}{count} older messages via truncate strategy]")


def _fallback(archived: list[Message], count: int) -> str:
    head = "[auto-compact fallback: LLM summarizer returned empty; "
    return _short_lines(archived, f"{head}{count} older messages abbreviated to ~{_LINE_CHARS} chars each]")


def _masked(archived: list[Message], count: int, callback: Callable[..., object] | None) -> str:
    own = callback([*archived]) if callback is not None else []
    lines = [f"{_HEAD}{count} older messages via observation masking]"]
    for index, (role, text) in enumerate(map(labelled, archived)):
        given = own[index] if isinstance(own, list) and index < len(own) else None
        if isinstance(given, str):
            lines.append(given)
        elif text:
            lines.append(_mask(role, text))
    return "\n".join(lines)


def _mask(role: str, text: str) -> str:
    lines = text.splitlines()
    is_short = len(text.encode("utf-8", "surrogatepass")) < _SHORT_BYTES
    if role == "assistant" or is_short or len(lines) <= _FEW_LINES:
        return f"[{role}] {text}"
    return f"[{role}] {lines[0][:_PREVIEW_CHARS]}... [{len(lines)} lines, {len(text)} chars masked]"


def _custom(
    archived: list[Message],
    count: int,
    compactor: Callable[..., object] | None,
    survivors: list[dict[str, object]] | None,
) -> Replacement:
    if compactor is None:
        raise runtime_error("compact_callback is required when compact_strategy is 'custom'")
    shown: list[object] = [[*archived]]
    if survivors is not None and _takes_two(compactor):
        shown.append(survivors)
    return read_custom(compactor(*shown), archived, count)


def _takes_two(closure: Callable[..., object]) -> bool:
    """Return whether a closure has a second parameter, which receives the reminders."""
    if isinstance(closure, Native):
        return closure.arity is None or closure.arity > 1
    return isinstance(closure, FunctionType) and len(parameter_names(closure)) > 1


def read_custom(value: object, archived: list[Message], count: int) -> Replacement:
    """Convert the result of a custom compactor to the replacement for the archived messages."""
    transcript = transcript_of(value)
    fields: dict[str, object] = {}
    if transcript is not None:
        fields = {"messages": transcript.messages(), "summary": transcript.summary}
    elif value.__class__ is dict:
        fields = value
    messages = fields.get("messages")
    if messages.__class__ is list:
        given: list[Message] = [as_message(message) for message in messages]
        return Replacement(given, _text(fields.get("summary")) or "\n".join(map(message_text, given)))
    summary = next((fields[key] for key in ("summary", "text") if key in fields), value)
    if summary is None or (isinstance(summary, str) and not summary.strip()):
        return _as_message(_truncated(archived, count))
    return _as_message(_headed(count, summary if isinstance(summary, str) else _pretty(value)))


def _text(value: object) -> str:
    return value if isinstance(value, str) and value.strip() else ""


def _pretty(value: object) -> str:
    return pretty_json(value)


# Long tool results


def _shortened(message: Message, settings: Settings) -> Message:
    """Shorten the tool results in a message to the length that the settings allow."""
    if not is_tool_result(message):
        return message
    content = message.get("content")
    if isinstance(content, list):
        return {**message, "content": [_shortened_block(block, settings) for block in content]}
    return {**message, "content": _cut(content, settings)}


def _shortened_block(block: object, settings: Settings) -> object:
    if block.__class__ is not dict:
        return _cut(block, settings)
    fields: dict[str, object] = block
    cut: dict[str, object] = {key: _cut(fields[key], settings) for key in ("text", "content") if key in fields}
    return {**fields, **cut}


def _cut(text: object, settings: Settings) -> object:
    limit = settings.tool_output_max_chars
    if not isinstance(text, str) or limit is None or len(text) <= limit:
        return text
    if settings.compress_callback is not None:
        given = settings.compress_callback(text)
        return given if isinstance(given, str) else text
    return microcompact(text, limit)
