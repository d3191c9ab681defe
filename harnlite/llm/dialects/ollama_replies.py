"""The replies of Ollama, whole and streamed."""

from __future__ import annotations

from harnlite.formats.json.writing import json_text
from harnlite.llm.dialects.call_numbers import CallNumbers
from harnlite.llm.dialects.dialect import TEXT, THINKING, TOOL_CALL, Delta
from harnlite.llm.dialects.replies import (
    ReplyParts,
    count_in,
    fields_in,
    http_failure,
    invalid,
    items_in,
    text_in,
    tool_call,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from harnlite.llm.backend import ChatReply, ChatRequest

    Fields = dict[str, Any]

OLLAMA = "ollama"


def _refuse_error(provider: str, body: Mapping[str, Any]) -> None:
    if "error" in body:
        status = body.get("status_code")
        raise http_failure(provider, status if isinstance(status, int) else 500, json_text(dict(body)))


def read_chat(body: Mapping[str, Any], request: ChatRequest) -> ChatReply:
    """Return the reply of a complete chat response."""
    provider = request.provider
    _refuse_error(provider, body)
    message = fields_in(provider, body.get("message"), "message")
    if body.get("done") is not True:
        raise invalid(provider, "`done` is not true")
    parts = ReplyParts(request)
    calls = message.get("tool_calls")
    calls = [] if calls is None else items_in(provider, calls, "tool_calls")
    thinking = text_in(provider, message, "thinking")
    parts.thinking(thinking, OLLAMA, {"thinking": thinking} if thinking and calls else None)
    parts.text(text_in(provider, message, "content"))
    numbers = CallNumbers(OLLAMA, request)
    for call in calls:
        name, arguments = _function(provider, call)
        parts.call(numbers.next_id(), name, arguments)
    reason = text_in(provider, dict(body), "done_reason") or "stop"
    parts.fields = {
        "input_tokens": count_in(dict(body), "prompt_eval_count"),
        "output_tokens": count_in(dict(body), "eval_count"),
        "stop_reason": "tool_calls" if reason == "stop" and parts.calls else reason,
        "model": text_in(provider, dict(body), "model"),
        "logprobs": body.get("logprobs"),
    }
    return parts.reply()


def _function(provider: str, call: Fields) -> tuple[str, object]:
    function = fields_in(provider, call.get("function"), "function")
    name = text_in(provider, function, "name")
    if not name:
        raise invalid(provider, "a tool call has no name")
    return name, function.get("arguments")


class ChatReader:
    """The reply of a streamed request, assembled from its lines."""

    __slots__ = ("_calls", "_fields", "_logprobs", "_numbers", "_request", "_texts", "_thoughts")

    def __init__(self, request: ChatRequest) -> None:
        self._request = request
        self._fields: Fields = {}
        self._texts: list[str] = []
        self._thoughts: list[str] = []
        self._calls: list[Fields] = []
        self._logprobs: list[object] = []
        self._numbers = CallNumbers(OLLAMA, request)

    @property
    def is_complete(self) -> bool:
        """Return whether the line with `done: true` has been read."""
        return self._fields.get("done") is True

    def feed(self, event: str | None, data: Mapping[str, Any]) -> list[Delta]:  # noqa: ARG002 - lines have no names
        """Read a line and return what it adds; raise the error that it reports."""
        provider = self._request.provider
        _refuse_error(provider, data)
        self._fields.update({key: value for key, value in data.items() if key not in ("message", "logprobs")})
        logprobs = data.get("logprobs")
        if isinstance(logprobs, list):
            self._logprobs += logprobs
        if data.get("message") is None and data.get("done") is True:
            return []
        message = fields_in(provider, data.get("message"), "message")
        deltas: list[Delta] = []
        for name, texts, kind in (("thinking", self._thoughts, THINKING), ("content", self._texts, TEXT)):
            text = text_in(provider, message, name)
            if text:
                texts.append(text)
                deltas.append(Delta(kind, text))
        calls = message.get("tool_calls")
        for call in [] if calls is None else items_in(provider, calls, "tool_calls"):
            name, arguments = _function(provider, call)
            self._calls.append(call)
            made = tool_call(self._numbers.next_id(), name, arguments)
            deltas.append(Delta(TOOL_CALL, json_text(made["arguments"]), made["id"], name))
        return deltas

    def reply(self) -> ChatReply:
        """Return the reply of all lines."""
        message = {"content": "".join(self._texts), "thinking": "".join(self._thoughts), "tool_calls": self._calls}
        return read_chat({**self._fields, "message": message, "logprobs": self._logprobs or None}, self._request)
