"""The replies of the Responses API, whole or streamed."""

from __future__ import annotations

from harnlite.llm.backend import ChatReply
from harnlite.llm.dialects.content import REASONING
from harnlite.llm.dialects.dialect import TEXT, THINKING, TOOL_CALL, Delta
from harnlite.llm.dialects.openai_usage import usage_of
from harnlite.llm.dialects.replies import invalid, text_in, tool_call
from harnlite.llm.dialects.vendor_errors import reported_error
from harnlite.llm.errors import categorised

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from harnlite.llm.backend import ChatRequest

    Fields = Mapping[str, Any]
    Block = dict[str, Any]

COMPLETED, INCOMPLETE, FAILED, CANCELLED = "completed", "incomplete", "failed", "cancelled"
_REASONS = {"max_output_tokens": "length", "max_tokens": "length"}
_SEPARATOR = "\n\n"


def is_stored(request: ChatRequest) -> bool:
    """Return whether the server keeps the response, which it does only if a call needs that or asks for it."""
    options = request.options
    stored = options.get("store")
    if stored is not None:
        return stored is True
    return options.get("background") is True or isinstance(options.get("previous_response_id"), str)


def reply_of(body: Fields, request: ChatRequest) -> ChatReply:
    """Return the reply in the body of a response."""
    provider = request.provider
    _check_status(body, provider)
    output = body.get("output")
    if not isinstance(output, list) or not all(isinstance(item, dict) for item in output):
        raise invalid(provider, "its output is not a list of objects")
    parts = _Parts(provider)
    for item in output:
        parts.add(item)
    model, response_id = body.get("model"), body.get("id")
    counts: dict[str, Any] = usage_of(body.get("usage"))
    return ChatReply(
        text="".join(parts.texts),
        tool_calls=parts.calls,
        thinking=_SEPARATOR.join(parts.thoughts or parts.summaries) or None,
        thinking_summary=_SEPARATOR.join(parts.summaries) or None,
        stop_reason=_stop_reason(body, parts),
        model=model if isinstance(model, str) and model else request.model,
        provider=provider,
        blocks=parts.blocks,
        logprobs={"content": parts.logprobs} if parts.logprobs else None,
        response_id=response_id if isinstance(response_id, str) and is_stored(request) else None,
        **counts,
    )


def _check_status(body: Fields, provider: str) -> None:
    """Raise an error unless the response is complete, or was cut off at a limit."""
    status = body.get("status")
    if body.get("error"):
        raise reported_error(provider, body["error"])
    if status == FAILED:
        raise reported_error(provider, {"message": "the response failed", "code": "server_error"})
    if status == CANCELLED:
        raise categorised(CANCELLED, f"{provider} reported that the response was cancelled")
    if status not in (COMPLETED, INCOMPLETE, None):
        raise invalid(provider, f"its status is '{status}'")


def _stop_reason(body: Fields, parts: _Parts) -> str:
    if body.get("status") == INCOMPLETE:
        details = body.get("incomplete_details")
        reason = details.get("reason") if isinstance(details, dict) else None
        return _REASONS.get(reason, reason) if isinstance(reason, str) else "length"
    if parts.is_refusal:
        return "refusal"
    return "tool_calls" if parts.calls else "stop"


class _Parts:
    """The parts of a response, in the order of its items."""

    __slots__ = ("_provider", "blocks", "calls", "is_refusal", "logprobs", "summaries", "texts", "thoughts")

    def __init__(self, provider: str) -> None:
        self._provider = provider
        self.blocks: list[Block] = []
        self.calls: list[Block] = []
        self.texts: list[str] = []
        self.thoughts: list[str] = []
        self.summaries: list[str] = []
        self.logprobs: list[Any] = []
        self.is_refusal = False

    def add(self, item: Block) -> None:
        """Add an item of the output."""
        kind = item.get("type")
        if kind == "message":
            for part in self._list(item.get("content"), "the content of a message"):
                self._add_content(part)
        elif kind == "function_call":
            call_id, name = text_in(self._provider, item, "call_id"), text_in(self._provider, item, "name")
            if not name:
                raise invalid(self._provider, "a tool call has no name")
            call = tool_call(call_id or f"call_{len(self.calls) + 1}", name, item.get("arguments"))
            self.calls.append(call)
            self.blocks.append({**call, "visibility": "internal"})
        elif kind == REASONING:
            self._add_reasoning(item)
        else:
            self.blocks.append({**item, "provider": self._provider, "visibility": "internal"})

    def _add_content(self, part: Block) -> None:
        kind = part.get("type")
        text = part.get("refusal") if kind == "refusal" else part.get("text")
        if kind not in ("output_text", "refusal") or not isinstance(text, str):
            raise invalid(self._provider, "a part of a message has no text")
        self.is_refusal = self.is_refusal or kind == "refusal"
        self.texts.append(text)
        block: Block = {"type": "output_text", "text": text, "visibility": "public"}
        if part.get("annotations"):
            block["annotations"] = part["annotations"]
        if text:
            self.blocks.append(block)
        if isinstance(part.get("logprobs"), list):
            self.logprobs += part["logprobs"]

    def _add_reasoning(self, item: Block) -> None:
        for found, name in ((self.summaries, "summary"), (self.thoughts, "content")):
            parts = self._list(item.get(name) or [], "the text of a reasoning item")
            found += [text for part in parts if isinstance(text := part.get("text"), str) and text]
        native = {key: value for key, value in item.items() if key != "status"}
        self.blocks.append({"type": REASONING, "provider": self._provider, "native": native, "visibility": "private"})

    def _list(self, value: object, what: str) -> list[Block]:
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise invalid(self._provider, f"{what} is not a list of objects")
        return value


_DELTAS = {
    "response.output_text.delta": TEXT,
    "response.refusal.delta": TEXT,
    "response.reasoning_text.delta": THINKING,
    "response.reasoning_summary_text.delta": THINKING,
    "response.function_call_arguments.delta": TOOL_CALL,
}
_ENDS = ("response.completed", "response.incomplete")
_FAILURES = ("response.failed", "response.cancelled")


class ResponsesReader:
    """The reply of a streamed request: its last event contains the whole response."""

    __slots__ = ("_calls", "_items", "_provider", "_request", "_response")

    def __init__(self, request: ChatRequest) -> None:
        self._request = request
        self._provider = request.provider
        self._response: dict[str, Any] | None = None
        self._items: dict[int, Block] = {}
        self._calls: dict[str, tuple[str, str]] = {}

    @property
    def is_complete(self) -> bool:
        """Return whether `response.completed` or `response.incomplete` has been read."""
        return self._response is not None

    def feed(self, event: str | None, data: Fields) -> list[Delta]:
        """Read an event of the stream and return what it adds."""
        kind = data.get("type") or event
        if not isinstance(kind, str):
            raise invalid(self._provider, "an event has no type")
        if kind == "error" or (data.get("error") and "response" not in data):
            raise reported_error(self._provider, data.get("error") or dict(data))
        if kind in _ENDS or kind in _FAILURES:
            response = data.get("response")
            if not isinstance(response, dict):
                raise invalid(self._provider, f"the event '{kind}' has no response")
            _check_status(response if kind in _ENDS else {"status": FAILED, **response}, self._provider)
            self._response = response
        elif kind in ("response.output_item.added", "response.output_item.done"):
            self._read_item(data, is_done=kind.endswith(".done"))
        elif kind in _DELTAS:
            return self._delta(_DELTAS[kind], data)
        return []

    def _read_item(self, data: Fields, *, is_done: bool) -> None:
        item, index = data.get("item"), data.get("output_index")
        if not isinstance(item, dict):
            raise invalid(self._provider, "an event has no item")
        if item.get("type") == "function_call":
            call_id, name = item.get("call_id"), item.get("name")
            call = (call_id if isinstance(call_id, str) else "", name if isinstance(name, str) else "")
            self._calls[_key(index)] = self._calls[_key(item.get("id"))] = call
        if is_done and isinstance(index, int):
            self._items[index] = item

    def _delta(self, kind: str, data: Fields) -> list[Delta]:
        piece = data.get("delta")
        if not isinstance(piece, str):
            raise invalid(self._provider, "the delta in an event is not a text")
        if not piece:
            return []
        if kind != TOOL_CALL:
            return [Delta(kind, piece)]
        keys = (_key(data.get("item_id")), _key(data.get("output_index")))
        call_id, name = next((self._calls[key] for key in keys if key in self._calls), ("", ""))
        return [Delta(kind, piece, call_id, name)]

    def reply(self) -> ChatReply:
        """Return the reply that all events together form."""
        response = self._response or {}
        if not response.get("output"):
            # Some servers send the items only in the events before.
            response = {**response, "output": [self._items[index] for index in sorted(self._items)]}
        return reply_of(response, self._request)


def _key(place: object) -> str:
    """Return the key of a call by its item's id or index."""
    return place if isinstance(place, str) else f"#{place}"
