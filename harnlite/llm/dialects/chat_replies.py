"""The replies of Chat Completions, whole or streamed."""

from __future__ import annotations

from harnlite.formats.json.writing import json_text
from harnlite.llm.backend import ChatReply
from harnlite.llm.dialects.content import REASONING
from harnlite.llm.dialects.dialect import END_MARK, TEXT, THINKING, TOOL_CALL, Delta
from harnlite.llm.dialects.openai_usage import usage_of
from harnlite.llm.dialects.replies import invalid, text_in, tool_call
from harnlite.llm.dialects.vendor_errors import reported_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from harnlite.llm.backend import ChatRequest

    Fields = Mapping[str, Any]

_STOP_REASONS = {
    "eos": "stop",
    "function_call": "tool_calls",
    "max_tokens": "length",
    "model_length": "length",
}
"""The stop reasons of some hosts that have another name at OpenAI."""

_FAILURES = frozenset({"error", "insufficient_system_resource", "abort", "aborted"})
"""The stop reasons of an answer that the host did not complete because of an error."""

_REFUSAL = "refusal"


def reply_of(body: Fields, request: ChatRequest) -> ChatReply:
    """Return the reply in the body of a response."""
    provider = request.provider
    if body.get("error"):
        raise reported_error(provider, body["error"])
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices:
        raise invalid(provider, "it has no choices")
    choice = choices[0]
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise invalid(provider, "its first choice has no message")
    reason = _stop_reason(choice, provider)
    text, thought = _split_content(message.get("content"), provider)
    thinking = thought or _thinking_in(message)
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal:
        text, reason = text or refusal, _REFUSAL
    calls = _calls(message, provider)
    model = body.get("model")
    counts: dict[str, Any] = usage_of(body.get("usage"))
    return ChatReply(
        text=text,
        tool_calls=calls,
        thinking=thinking or None,
        stop_reason=reason,
        model=model if isinstance(model, str) and model else request.model,
        provider=provider,
        blocks=_blocks(message, text, thinking, calls, provider),
        logprobs=choice.get("logprobs"),
        **counts,
    )


def _stop_reason(choice: Fields, provider: str) -> str | None:
    if choice.get("error"):
        raise reported_error(provider, choice["error"])
    reason = choice.get("finish_reason")
    if not isinstance(reason, str):
        return None
    if reason in _FAILURES:
        raise reported_error(provider, {"message": f"the answer ended with '{reason}'", "code": reason})
    return _STOP_REASONS.get(reason, reason)


def _split_content(content: object, provider: str) -> tuple[str, str]:
    """Return the text of a content, which may be a list of parts, and the thinking in it."""
    if content is None or isinstance(content, str):
        return content or "", ""
    if not isinstance(content, list):
        raise invalid(provider, "the content of its message is neither a text nor a list")
    texts: list[str] = []
    thoughts: list[str] = []
    for part in content:
        if isinstance(part, dict) and part.get("type") == "thinking":
            thoughts.append(_split_content(part.get("thinking"), provider)[0])
        elif isinstance(part, dict) and isinstance(part.get("text"), str):
            texts.append(part["text"])
    return "".join(texts), "".join(thoughts)


def _thinking_in(message: Fields) -> str:
    """Return the thinking in a message or delta; hosts that send both fields send the same text in them."""
    for name in ("reasoning_content", "reasoning"):
        value = message.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def _calls(message: Fields, provider: str) -> list[dict[str, Any]]:
    given = message.get("tool_calls")
    if given is None:
        return []
    if not isinstance(given, list):
        raise invalid(provider, "its tool calls are not a list")
    calls: list[dict[str, Any]] = []
    for call in given:
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict):
            raise invalid(provider, "a tool call has no function")
        name = text_in(provider, function, "name")
        if not name:
            raise invalid(provider, "a tool call has no name")
        call_id = text_in(provider, call, "id") or f"call_{len(calls) + 1}"
        calls.append(tool_call(call_id, name, function.get("arguments")))
    return calls


def _blocks(
    message: Fields, text: str, thinking: str, calls: list[dict[str, Any]], provider: str
) -> list[dict[str, Any]]:
    """Return the content blocks of a reply; the reasoning goes back to the host in the form in which it came."""
    blocks: list[dict[str, Any]] = []
    details = message.get("reasoning_details")
    native: dict[str, Any] = {}
    if isinstance(details, list) and details:
        native = {"reasoning_details": details}
    elif thinking:
        native = {"reasoning_content": thinking}
    if native:
        blocks.append({"type": REASONING, "provider": provider, "native": native, "visibility": "private"})
    if text:
        blocks.append({"type": "output_text", "text": text, "visibility": "public"})
    return [*blocks, *({**call, "visibility": "internal"} for call in calls)]


class ChatReader:
    """The reply of a streamed request: the pieces are collected into a message, which is read like a whole one."""

    __slots__ = (
        "_calls",
        "_choice",
        "_details",
        "_has_end_mark",
        "_head",
        "_logprobs",
        "_needs_end_mark",
        "_provider",
        "_request",
        "_texts",
    )

    def __init__(self, request: ChatRequest, *, needs_end_mark: bool) -> None:
        self._request = request
        self._provider = request.provider
        self._needs_end_mark = needs_end_mark
        self._has_end_mark = False
        self._head: dict[str, Any] = {}
        self._choice: dict[str, Any] = {}
        self._texts: dict[str, list[str]] = {"content": [], "reasoning_content": [], "refusal": []}
        self._calls: list[_PartialCall] = []
        self._details: list[Any] = []
        self._logprobs: dict[str, Any] | None = None

    @property
    def is_complete(self) -> bool:
        """Return whether the end mark has been read: the stop reason and `[DONE]`, which not all hosts send."""
        if self._needs_end_mark:
            return self._has_end_mark and "finish_reason" in self._choice
        return self._has_end_mark or "finish_reason" in self._choice

    def feed(self, event: str | None, data: Fields) -> list[Delta]:
        """Read an event of the stream and return what it adds."""
        if event == END_MARK:
            self._has_end_mark = True
            return []
        if data.get("error") or event == "error":
            raise reported_error(self._provider, data.get("error") or dict(data))
        self._read_head(data)
        choices = data.get("choices")
        if choices is None:
            return []
        if not isinstance(choices, list):
            raise invalid(self._provider, "the choices in an event are not a list")
        return [delta for choice in choices for delta in self._read_choice(choice)]

    def _read_head(self, data: Fields) -> None:
        if data.get("model"):
            self._head["model"] = data["model"]
        nested = data.get("x_groq")
        usage = data.get("usage") or (nested.get("usage") if isinstance(nested, dict) else None)
        if usage:
            self._head["usage"] = usage

    def _read_choice(self, choice: object) -> list[Delta]:
        if not isinstance(choice, dict):
            raise invalid(self._provider, "a choice in an event is not an object")
        if choice.get("index") not in (None, 0):
            return []
        if choice.get("finish_reason"):
            self._choice["finish_reason"] = choice["finish_reason"]
        if choice.get("error"):
            self._choice["error"] = choice["error"]
        _stop_reason(self._choice, self._provider)
        self._add_logprobs(choice.get("logprobs"))
        delta = choice.get("delta", choice.get("message"))
        if delta is None:
            return []
        if not isinstance(delta, dict):
            raise invalid(self._provider, "the delta in an event is not an object")
        return [*self._read_texts(delta), *self._read_calls(delta)]

    def _read_texts(self, delta: Fields) -> list[Delta]:
        text, thought = _split_content(delta.get("content"), self._provider)
        refusal = delta.get("refusal")
        found: list[Delta] = []
        for name, kind, piece in (
            ("reasoning_content", THINKING, thought or _thinking_in(delta)),
            ("content", TEXT, text),
            ("refusal", TEXT, refusal if isinstance(refusal, str) else ""),
        ):
            if piece:
                self._texts[name].append(piece)
                found.append(Delta(kind, piece))
        details = delta.get("reasoning_details")
        if isinstance(details, list):
            self._details += details
        return found

    def _read_calls(self, delta: Fields) -> list[Delta]:
        given = delta.get("tool_calls")
        if given is None:
            return []
        if not isinstance(given, list) or not all(isinstance(call, dict) for call in given):
            raise invalid(self._provider, "the tool calls in an event are not a list of objects")
        return [self._call_for(call).add(call) for call in given]

    def _call_for(self, piece: Fields) -> _PartialCall:
        """Return the call that a piece continues, by its index; a host without indices sends an id with each call."""
        index, call_id = piece.get("index"), piece.get("id")
        for call in self._calls:
            if index is not None and call.index == index and (not call_id or call.id in ("", call_id)):
                return call
            if index is None and call_id and call.id == call_id:
                return call
        if self._calls and index is None and not call_id:
            return self._calls[-1]
        self._calls.append(_PartialCall(index))
        return self._calls[-1]

    def _add_logprobs(self, logprobs: object) -> None:
        if not isinstance(logprobs, dict):
            return
        if self._logprobs is None:
            self._logprobs = dict(logprobs)
            return
        for name, value in logprobs.items():
            old = self._logprobs.get(name)
            if isinstance(old, list) and isinstance(value, list):
                self._logprobs[name] = [*old, *value]
            elif old is None:
                self._logprobs[name] = value

    def reply(self) -> ChatReply:
        """Return the reply that all events together form."""
        message: dict[str, Any] = {name: "".join(pieces) for name, pieces in self._texts.items() if pieces}
        if self._details:
            message["reasoning_details"] = _joined_details(self._details)
        if self._calls:
            message["tool_calls"] = [call.whole() for call in self._calls]
        choice = {**self._choice, "message": message, "logprobs": self._logprobs}
        return reply_of({**self._head, "choices": [choice]}, self._request)


class _PartialCall:
    """A tool call of which pieces have been read."""

    __slots__ = ("_arguments", "id", "index", "name")

    def __init__(self, index: object) -> None:
        self.index = index
        self.id = ""
        self.name = ""
        self._arguments: list[str] = []

    def add(self, piece: Fields) -> Delta:
        """Add a piece and return what it adds."""
        function = piece.get("function")
        fields: Fields = function if isinstance(function, dict) else {}
        call_id, name, arguments = piece.get("id"), fields.get("name"), fields.get("arguments")
        if isinstance(call_id, str) and call_id:
            self.id = call_id
        if isinstance(name, str) and name:
            self.name = name
        if isinstance(arguments, dict):
            arguments = json_text(arguments)
        text = arguments if isinstance(arguments, str) else ""
        self._arguments.append(text)
        return Delta(TOOL_CALL, text, self.id, self.name)

    def whole(self) -> dict[str, Any]:
        """Return the call in the form of a reply that was not streamed."""
        return {
            "id": self.id,
            "type": "function",
            "function": {"name": self.name, "arguments": "".join(self._arguments)},
        }


def _joined_details(details: list[Any]) -> list[Any]:
    """Return the details of reasoning with the pieces of one detail joined: those that follow with the same index."""
    joined: list[Any] = []
    for detail in details:
        if joined and _continues(joined[-1], detail):
            _extend(joined[-1], detail)
        else:
            joined.append(dict(detail) if isinstance(detail, dict) else detail)
    return joined


def _continues(last: object, detail: object) -> bool:
    if not isinstance(last, dict) or not isinstance(detail, dict):
        return False
    index = detail.get("index")
    return index is not None and last.get("index") == index and last.get("type") == detail.get("type")


def _extend(detail: dict[str, Any], piece: Fields) -> None:
    for name, value in piece.items():
        if name in ("text", "summary", "data") and isinstance(value, str):
            detail[name] = (detail.get(name) or "") + value
        elif value is not None:
            detail[name] = value
