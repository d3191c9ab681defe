"""The entries that a script or a fixture file queues for the mock: scripted answers and failures."""

from __future__ import annotations

from harnlite.formats.json.writing import json_float
from harnlite.llm.backend import ChatReply
from harnlite.llm.errors import (
    CATEGORIES,
    GENERIC,
    KINDS,
    TERMINAL,
    TRANSIENT,
    categorised,
    category_of_reason,
    category_of_status,
    classify,
)
from harnlite.llm.routes import MOCK
from harnlite.options import model_call
from harnlite.options.validation import Validation
from harnlite.values.data_types import type_name
from harnlite.values.display import display
from harnlite.values.errors import runtime_error, thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.values.errors import ScriptError

OUTPUT_TOKENS = 30
_VALIDATION = Validation(vars(model_call), type_name, ("error.category",))
_ERROR_SHAPE = "{category?, message?, status?, kind?, reason?, retry_after_ms?}"
_LOWEST_STATUS, _HIGHEST_STATUS = 100, 599
_TRANSIENT_REASONS = frozenset({"rate_limit", "server_error", "network_error", "timeout"})


class MockEntry:
    """A scripted answer or a scripted failure."""

    __slots__ = (
        "_fields",
        "_input_tokens",
        "_last",
        "_reply_fields",
        "chunks",
        "consume_match",
        "delay_ms",
        "error",
        "match",
    )

    def __init__(self, fields: dict[str, Any]) -> None:
        _refuse(_VALIDATION.of_keys(fields, model_call.SCRIPTED_ANSWER))
        self._fields = fields
        match = fields.get("match")
        self.match = None if match is None else display(match)
        self.consume_match = bool(fields.get("consume_match"))
        self.delay_ms = _count(fields, "delay_ms") or 0
        error = fields.get("error")
        self.error = None if error is None else _read_error(error)
        chunks = fields.get("stream_chunks")
        self.chunks = [display(chunk) for chunk in chunks] if chunks.__class__ is list else None
        blocks = fields.get("blocks")
        if blocks is not None and (blocks.__class__ is not list or len(_dicts(blocks)) < len(blocks)):
            raise runtime_error("llm_mock: blocks must be a list of response blocks")
        _refuse(_VALIDATION.of_values(fields, model_call.SCRIPTED_ANSWER))
        self._input_tokens = _count(fields, "input_tokens")
        self._reply_fields: dict[str, Any] | None = None
        self._last: ChatReply | None = None

    def reply(self, prompt_bytes: int) -> ChatReply:
        """Return the answer to a prompt of this size, which is not to be changed: others of the size get it as well."""
        input_tokens = prompt_bytes if self._input_tokens is None else self._input_tokens
        last = self._last
        if last is None or last.input_tokens != input_tokens:
            if self._reply_fields is None:
                self._reply_fields = self._read_reply()
            last = self._last = ChatReply(input_tokens=input_tokens, **self._reply_fields)
        return last

    def _read_reply(self) -> dict[str, Any]:
        """Return the fields that are the same in every reply of this entry."""
        fields = self._fields
        text = (_text(fields, "text") or "") if self.chunks is None else "".join(self.chunks)
        blocks = fields.get("blocks")
        calls = _dicts(fields.get("tool_calls"))
        if blocks is None:
            calls = [_call(number, call) for number, call in enumerate(calls, 1)]
        output_tokens = _count(fields, "output_tokens")
        cache_write = _count(fields, "cache_write_tokens")
        return {
            "text": text,
            "tool_calls": calls,
            "output_tokens": OUTPUT_TOKENS if output_tokens is None else output_tokens,
            "cache_read_tokens": _count(fields, "cache_read_tokens") or 0,
            "cache_write_tokens": cache_write or _count(fields, "cache_creation_input_tokens") or 0,
            "thinking": _text(fields, "thinking"),
            "thinking_summary": _text(fields, "thinking_summary"),
            "stop_reason": _text(fields, "stop_reason"),
            "model": _text(fields, "model") or MOCK,
            "provider": _text(fields, "provider") or MOCK,
            "blocks": reply_blocks(text, calls) if blocks is None else blocks,
            "logprobs": fields.get("logprobs"),
        }


def reply_blocks(text: str, calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the content blocks of a reply of the mock."""
    blocks: list[dict[str, Any]] = []
    if text:
        blocks.append({"type": "output_text", "text": text, "visibility": "public"})
    blocks += [{**call, "type": "tool_call", "visibility": "internal"} for call in calls]
    return blocks


def _refuse(wrong: str | None) -> None:
    if wrong is not None:
        raise runtime_error(f"llm_mock: {wrong}")


def _call(number: int, call: dict[str, Any]) -> dict[str, Any]:
    arguments = call.get("arguments")
    return {
        "id": f"mock_call_{number}",
        "type": "tool_call",
        "name": display(call.get("name", "")),
        "arguments": {} if arguments is None else arguments,
    }


def _dicts(value: object) -> list[dict[str, Any]]:
    """Return the dicts in a list, or an empty list if the value is not a list."""
    items: list[Any] = value if isinstance(value, list) else []
    return [item for item in items if isinstance(item, dict)]


def _text(fields: dict[str, Any], name: str) -> str | None:
    value = fields.get(name)
    return None if value is None else display(value)


def _count(fields: dict[str, Any], name: str) -> int | None:
    value = fields.get(name)
    return value if value.__class__ is int else None


class MockError:
    """A scripted failure: a categorised error, or an error dict if the entry specifies more than a category."""

    __slots__ = ("_category", "_fields", "_message")

    def __init__(self, category: str, message: str, fields: dict[str, Any] | None) -> None:
        self._category = category
        self._message = message
        self._fields = fields

    def make(self) -> ScriptError:
        """Return the error to raise."""
        if self._fields is None:
            return categorised(self._category, self._message)
        return thrown(dict(self._fields))


def _read_error(error: object) -> MockError:
    if isinstance(error, str):
        return MockError(GENERIC, error, None)
    if error.__class__ is not dict:
        raise runtime_error(f"llm_mock: error must be a dict {_ERROR_SHAPE}")
    fields: dict[str, Any] = error
    status, wait_ms = fields.get("status"), fields.get("retry_after_ms")
    category, kind, reason = _text(fields, "category"), _text(fields, "kind"), _text(fields, "reason")
    if category is not None and category not in CATEGORIES:
        raise runtime_error(f"llm_mock: unknown error category `{category}`")
    if kind is not None and kind not in KINDS:
        raise runtime_error(f"llm_mock: unknown error kind `{kind}`")
    if status is not None and (status.__class__ is not int or not _LOWEST_STATUS <= status <= _HIGHEST_STATUS):
        raise runtime_error("llm_mock: error.status must be an HTTP status code")
    if wait_ms is not None and (wait_ms.__class__ is not int or wait_ms < 0):
        raise runtime_error("llm_mock: error.retry_after_ms must be a non-negative int")
    if category is None and status is None and kind is None and reason is None:
        raise runtime_error(
            "llm_mock: error.category is required unless error.status, error.kind, or error.reason is set"
        )
    message = _text(fields, "message")
    if message is None:
        message = _default_message(status, kind, reason)
    category = category or _category(status, kind, reason)
    if status is None and kind is None and reason is None:
        if wait_ms is not None:
            message += f"\nretry-after: {json_float(wait_ms / 1000)}\n"
        return MockError(category, message, None)
    guessed_kind, guessed_reason = classify(message, category)
    reason = reason or guessed_reason
    if kind is None:
        kind = guessed_kind if fields.get("reason") is None else TRANSIENT if reason in _TRANSIENT_REASONS else TERMINAL
    found = {"category": category, "kind": kind, "reason": reason, "message": message}
    more = {"status": status, "retry_after_ms": wait_ms}
    return MockError(category, message, found | {key: value for key, value in more.items() if value is not None})


def _default_message(status: int | None, kind: str | None, reason: str | None) -> str:
    parts = "/".join([part for part in (kind, reason) if part is not None])
    return f"{'' if status is None else f'HTTP {status} '}mock LLM error{f' ({parts})' if parts else ''}"


def _category(status: int | None, kind: str | None, reason: str | None) -> str:
    """Return the category of a failure whose entry does not specify one."""
    found = category_of_status(status) if status is not None else None
    if found is None and reason is not None:
        found = category_of_reason(reason)
    return found or ("server_error" if kind == TRANSIENT else GENERIC)
