"""The replies of the Messages API, whole and streamed."""

from __future__ import annotations

from harnlite.formats.json.reading import JsonError, read_json
from harnlite.formats.json.writing import json_text
from harnlite.llm.dialects.anthropic_options import ANSWER_KEY, ANSWER_TOOL, is_object
from harnlite.llm.dialects.content import ANTHROPIC
from harnlite.llm.dialects.dialect import TEXT, THINKING, TOOL_CALL, Delta
from harnlite.llm.dialects.parameters import Parameters
from harnlite.llm.dialects.replies import (
    ReplyParts,
    count_in,
    fields_in,
    http_failure,
    invalid,
    items_in,
    text_in,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from harnlite.llm.backend import ChatReply, ChatRequest
    from harnlite.values.errors import ScriptError

    Fields = dict[str, Any]

_STATUSES = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
_CUT = "model_context_window_exceeded"
_THOUGHTS = ("thinking", "redacted_thinking")


def reported_error(provider: str, body: Mapping[str, Any]) -> ScriptError:
    """Return the error that a body or an event reports."""
    error = body.get("error")
    kind = error.get("type") if isinstance(error, dict) else None
    status = _STATUSES.get(kind, 500) if isinstance(kind, str) else 500
    return http_failure(provider, status, json_text(dict(body)))


def read_message(body: Mapping[str, Any], request: ChatRequest, *, is_answer: bool) -> ChatReply:
    """Return the reply of a message; `is_answer` is whether a structured answer comes as a tool call."""
    provider = request.provider
    if body.get("type") == "error":
        raise reported_error(provider, body)
    parts = ReplyParts(request)
    answered = False
    for block in items_in(provider, body.get("content"), "content"):
        kind = text_in(provider, block, "type")
        if kind == "text":
            parts.text(text_in(provider, block, "text"))
        elif kind in _THOUGHTS:
            parts.thinking(text_in(provider, block, "thinking"), ANTHROPIC, block)
        elif kind == "tool_use":
            name = text_in(provider, block, "name")
            if not name:
                raise invalid(provider, "a tool call has no name")
            if is_answer and name == ANSWER_TOOL:
                answered = True
                parts.text(answer_text(block.get("input"), request))
            else:
                parts.call(text_in(provider, block, "id"), name, block.get("input"))
        elif kind:
            parts.native(ANTHROPIC, block)
        else:
            raise invalid(provider, "a block of `content` has no type")
    usage = body.get("usage")
    _count(parts, usage if isinstance(usage, dict) else {})
    reason = text_in(provider, dict(body), "stop_reason")
    if reason == "tool_use" and answered and not parts.calls:
        reason = "end_turn"
    parts.fields["stop_reason"] = "max_tokens" if reason == _CUT else reason
    parts.fields["model"] = text_in(provider, dict(body), "model")
    return parts.reply()


def _count(parts: ReplyParts, usage: Fields) -> None:
    read, written = count_in(usage, "cache_read_input_tokens"), count_in(usage, "cache_creation_input_tokens")
    parts.fields |= {
        "input_tokens": count_in(usage, "input_tokens") + read + written,
        "output_tokens": count_in(usage, "output_tokens"),
        "cache_read_tokens": read,
        "cache_write_tokens": written,
    }


def answer_text(value: object, request: ChatRequest) -> str:
    """Return the text of a structured answer that came as the arguments of a tool call."""
    if isinstance(value, str):
        try:
            value = read_json(value)
        except JsonError:
            return str(value)
    schema = Parameters(request).schema()
    is_wrapped = schema is not None and not is_object(schema)
    if is_wrapped and isinstance(value, dict) and ANSWER_KEY in value:
        value = value[ANSWER_KEY]
    return json_text(value)


class MessageReader:
    """The reply of a streamed request, assembled from its events into the message that they describe."""

    __slots__ = ("_blocks", "_is_answer", "_is_complete", "_message", "_partial", "_provider", "_request")

    def __init__(self, request: ChatRequest, *, is_answer: bool) -> None:
        self._request = request
        self._provider = request.provider
        self._is_answer = is_answer
        self._is_complete = False
        self._message: Fields = {"content": []}
        self._blocks: dict[int, Fields] = {}
        self._partial: dict[int, list[str]] = {}

    @property
    def is_complete(self) -> bool:
        """Return whether `message_stop` has been read."""
        return self._is_complete

    def feed(self, event: str | None, data: Mapping[str, Any]) -> list[Delta]:
        """Read an event and return what it adds; raise the error that it reports."""
        kind = data.get("type") or event
        if kind == "error":
            raise reported_error(self._provider, data)
        if kind == "message_start":
            self._start(fields_in(self._provider, data.get("message"), "message"))
        elif kind == "content_block_start":
            return self._open(self._index(data), fields_in(self._provider, data.get("content_block"), "content_block"))
        elif kind == "content_block_delta":
            return self._extend(self._index(data), fields_in(self._provider, data.get("delta"), "delta"))
        elif kind == "content_block_stop":
            return self._close(self._index(data))
        elif kind == "message_delta":
            self._message.update(fields_in(self._provider, data.get("delta"), "delta"))
            self._add_usage(data.get("usage"))
        elif kind == "message_stop":
            self._is_complete = True
        return []

    def reply(self) -> ChatReply:
        """Return the reply of all events."""
        content = [self._blocks[at] for at in sorted(self._blocks)]
        return read_message({**self._message, "content": content}, self._request, is_answer=self._is_answer)

    def _start(self, message: Fields) -> None:
        self._message.update({key: value for key, value in message.items() if key not in ("content", "usage")})
        self._add_usage(message.get("usage"))

    def _add_usage(self, usage: object) -> None:
        """Add token counts, which are totals of what was counted until now."""
        if isinstance(usage, dict):
            known = {key: value for key, value in usage.items() if value is not None}
            self._message["usage"] = {**self._message.get("usage", {}), **known}

    def _index(self, data: Mapping[str, Any]) -> int:
        index = data.get("index")
        if isinstance(index, int):
            return index
        raise invalid(self._provider, "an event has no `index`")

    def _open(self, index: int, block: Fields) -> list[Delta]:
        self._blocks[index] = dict(block)
        kind = block.get("type")
        if kind in ("tool_use", "server_tool_use"):
            self._partial[index] = []
            if not self._gives_answer(index) and kind == "tool_use":
                return [self._call_delta(index, "")]
        text = block.get("text") if kind == "text" else block.get("thinking") if kind == "thinking" else None
        return [Delta(TEXT if kind == "text" else THINKING, text)] if isinstance(text, str) and text else []

    def _gives_answer(self, index: int) -> bool:
        return self._is_answer and self._blocks[index].get("name") == ANSWER_TOOL

    def _call_delta(self, index: int, text: str) -> Delta:
        block = self._blocks[index]
        return Delta(TOOL_CALL, text, text_in(self._provider, block, "id"), text_in(self._provider, block, "name"))

    def _extend(self, index: int, delta: Fields) -> list[Delta]:
        block = self._blocks.get(index)
        if block is None:
            raise invalid(self._provider, f"a delta belongs to block {index}, which has not begun")
        kind = delta.get("type")
        if kind == "text_delta":
            return self._append(block, "text", text_in(self._provider, delta, "text"), TEXT)
        if kind == "thinking_delta":
            return self._append(block, "thinking", text_in(self._provider, delta, "thinking"), THINKING)
        if kind == "signature_delta":
            block["signature"] = text_in(self._provider, block, "signature") + text_in(
                self._provider, delta, "signature"
            )
        elif kind == "input_json_delta":
            text = text_in(self._provider, delta, "partial_json")
            self._partial.setdefault(index, []).append(text)
            if text and block.get("type") == "tool_use" and not self._gives_answer(index):
                return [self._call_delta(index, text)]
        return []

    def _append(self, block: Fields, name: str, text: str, kind: str) -> list[Delta]:
        block[name] = text_in(self._provider, block, name) + text
        return [Delta(kind, text)] if text else []

    def _close(self, index: int) -> list[Delta]:
        """Put the arguments of a call together; a structured answer is passed on as text only now."""
        block = self._blocks.get(index)
        if block is None:
            raise invalid(self._provider, f"block {index} ends but has not begun")
        text = "".join(self._partial.pop(index, []))
        if text:
            try:
                block["input"] = read_json(text)
            except JsonError:
                block["input"] = text
        if block.get("type") == "tool_use" and self._gives_answer(index):
            return [Delta(TEXT, answer_text(block.get("input"), self._request))]
        return []
