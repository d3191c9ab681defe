"""The replies of the Gemini API, whole and streamed."""

from __future__ import annotations

import re

from harnlite.formats.json.writing import json_text
from harnlite.llm.dialects.call_numbers import CallNumbers
from harnlite.llm.dialects.dialect import TEXT, THINKING, TOOL_CALL, Delta
from harnlite.llm.dialects.gemini_messages import GEMINI, PART
from harnlite.llm.dialects.replies import ReplyParts, count_in, fields_in, http_failure, invalid, items_in, text_in
from harnlite.llm.errors import TERMINAL, TRANSIENT
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from harnlite.llm.backend import ChatReply, ChatRequest
    from harnlite.values.errors import ScriptError

    Fields = dict[str, Any]

_FILTERS = frozenset(
    {"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR", "IMAGE_SAFETY"}
    | {"IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"}
)
_STOP_REASONS = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    **dict.fromkeys(_FILTERS, "content_filter"),
}
_FAILURES = frozenset(
    {"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MALFORMED_RESPONSE", "TOO_MANY_TOOL_CALLS"}
    | {"MISSING_THOUGHT_SIGNATURE"}
)
"""The reasons with which an answer ends that cannot be used."""

_DELAY = re.compile(r'"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"')
_KEY_WORDS = ("API_KEY_INVALID", "API key not valid", "API Key not found", "API key expired")


def http_error(provider: str, status: int, body: str, retry_after: str | None = None) -> ScriptError:
    """Return the error for an HTTP error response; a wrong key is one of authentication, whatever its status."""
    category = "auth" if any(word in body for word in _KEY_WORDS) else None
    return http_failure(provider, status, body, retry_after=retry_after or _retry_delay(body), category=category)


def _retry_delay(body: str) -> str | None:
    """Return the seconds to wait that the details of an error contain."""
    found = _DELAY.search(body)
    return None if found is None else found[1]


def reported_error(provider: str, body: Mapping[str, Any]) -> ScriptError:
    """Return the error that a reply of status 200 reports."""
    error = body.get("error")
    code = error.get("code") if isinstance(error, dict) else None
    return http_error(provider, code if code.__class__ is int else 500, json_text(dict(body)))


def _blocked(provider: str, reason: str) -> ScriptError:
    message = f"{provider} blocked the prompt ({reason}): content_policy"
    return thrown({"category": "generic", "kind": TERMINAL, "reason": "content_policy", "message": message})


def read_response(body: Mapping[str, Any], request: ChatRequest) -> ChatReply:
    """Return the reply of a response."""
    provider = request.provider
    if "error" in body:
        raise reported_error(provider, body)
    candidates = body.get("candidates")
    feedback = body.get("promptFeedback")
    if not candidates:
        reason = feedback.get("blockReason") if isinstance(feedback, dict) else None
        raise _blocked(provider, reason) if isinstance(reason, str) else invalid(provider, "`candidates` is empty")
    candidate = items_in(provider, candidates, "candidates")[0]
    content = candidate.get("content")
    given = fields_in(provider, content, "content").get("parts") if content is not None else None
    parts = ReplyParts(request)
    made = CallNumbers(GEMINI, request)
    for part in joined_parts(items_in(provider, [] if given is None else given, "parts")):
        _add(parts, part, provider, made)
    _finish(parts, candidate, provider)
    usage = body.get("usageMetadata")
    _count(parts, usage if isinstance(usage, dict) else {})
    parts.fields["model"] = text_in(provider, dict(body), "modelVersion")
    parts.fields["logprobs"] = candidate.get("logprobsResult")
    return parts.reply()


def _add(parts: ReplyParts, part: Fields, provider: str, made: CallNumbers) -> None:
    signature = part.get("thoughtSignature")
    more = {"thought_signature": signature} if isinstance(signature, str) else {}
    if part.get("thought") is True:
        parts.thinking(text_in(provider, part, "text"), GEMINI, part)
    elif "functionCall" in part:
        call = fields_in(provider, part["functionCall"], "functionCall")
        name = text_in(provider, call, "name")
        if not name:
            raise invalid(provider, "a function call has no name")
        parts.call(text_in(provider, call, "id") or made.next_id(), name, call.get("args"), **more)
    elif "text" in part:
        parts.text(text_in(provider, part, "text"), **more)
    elif part:
        parts.native(GEMINI, {"type": PART, "part": part})


def _finish(parts: ReplyParts, candidate: Fields, provider: str) -> None:
    """Set the stop reason; raise an error if the answer cannot be used."""
    reason = text_in(provider, candidate, "finishReason")
    if reason in _FAILURES:
        detail = text_in(provider, candidate, "finishMessage")
        message = f"{provider} ended its answer with {reason}{f': {detail}' if detail else ''}"
        raise thrown({"category": "server_error", "kind": TRANSIENT, "reason": "server_error", "message": message})
    found = _STOP_REASONS.get(reason, reason.lower())
    parts.fields["stop_reason"] = "tool_calls" if found == "stop" and parts.calls else found


def _count(parts: ReplyParts, usage: Fields) -> None:
    parts.fields |= {
        "input_tokens": count_in(usage, "promptTokenCount") + count_in(usage, "toolUsePromptTokenCount"),
        "output_tokens": count_in(usage, "candidatesTokenCount") + count_in(usage, "thoughtsTokenCount"),
        "cache_read_tokens": count_in(usage, "cachedContentTokenCount"),
    }


_TEXT_KEYS = {"text", "thought"}


def joined_parts(parts: list[Fields]) -> list[Fields]:
    """Return parts in which consecutive pieces of one text are joined; a part with a signature remains as it is."""
    found: list[Fields] = []
    for part in parts:
        last = found[-1] if found else None
        if last is not None and _is_piece(part) and _is_piece(last) and part.get("thought") == last.get("thought"):
            found[-1] = {**last, "text": last["text"] + part["text"]}
        else:
            found.append(part)
    return found


def _is_piece(part: Fields) -> bool:
    return isinstance(part.get("text"), str) and part.keys() <= _TEXT_KEYS


class ResponseReader:
    """The reply of a streamed request, assembled from its chunks."""

    __slots__ = ("_body", "_candidate", "_made", "_parts", "_request")

    def __init__(self, request: ChatRequest) -> None:
        self._request = request
        self._body: Fields = {}
        self._candidate: Fields = {}
        self._parts: list[Fields] = []
        self._made = CallNumbers(GEMINI, request)

    @property
    def is_complete(self) -> bool:
        """Return whether the reason has been read with which the answer ends."""
        feedback = self._body.get("promptFeedback")
        is_blocked = isinstance(feedback, dict) and "blockReason" in feedback
        return bool(self._candidate.get("finishReason")) or is_blocked

    def feed(self, event: str | None, data: Mapping[str, Any]) -> list[Delta]:  # noqa: ARG002 - events have no names
        """Read a chunk and return what it adds; raise the error that it reports."""
        provider = self._request.provider
        if "error" in data:
            raise reported_error(provider, data)
        self._body.update({key: value for key, value in data.items() if key != "candidates"})
        given = data.get("candidates")
        candidates = items_in(provider, [] if given is None else given, "candidates")
        deltas: list[Delta] = []
        for candidate in candidates[:1]:
            self._keep(candidate)
            content = candidate.get("content")
            inner = {} if content is None else fields_in(provider, content, "content")
            parts = items_in(provider, inner.get("parts") or [], "parts")
            self._parts += parts
            deltas += [delta for part in parts if (delta := self._delta(part)) is not None]
        return deltas

    def _keep(self, candidate: Fields) -> None:
        logprobs, old = candidate.get("logprobsResult"), self._candidate.get("logprobsResult")
        if isinstance(logprobs, dict) and isinstance(old, dict):
            logprobs = {
                key: [*old[key], *value] if isinstance(value, list) and isinstance(old.get(key), list) else value
                for key, value in logprobs.items()
            }
        kept = {key: value for key, value in candidate.items() if key != "content" and value is not None}
        self._candidate.update(kept if logprobs is None else {**kept, "logprobsResult": logprobs})

    def _delta(self, part: Fields) -> Delta | None:
        call = part.get("functionCall")
        if isinstance(call, dict):
            name, call_id = call.get("name"), call.get("id") or self._made.next_id()
            arguments = json_text(call.get("args") or {})
            return Delta(TOOL_CALL, arguments, str(call_id), name if isinstance(name, str) else "")
        text = part.get("text")
        if not isinstance(text, str) or not text:
            return None
        return Delta(THINKING if part.get("thought") is True else TEXT, text)

    def reply(self) -> ChatReply:
        """Return the reply of all chunks."""
        body = dict(self._body)
        if self._candidate or self._parts:
            body["candidates"] = [{**self._candidate, "content": {"role": "model", "parts": self._parts}}]
        return read_response(body, self._request)
