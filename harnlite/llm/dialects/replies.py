"""The parts of a reply, and the errors for replies that do not have the form of the vendor's API."""

from __future__ import annotations

import re

from harnlite.formats.json.reading import JsonError, read_json
from harnlite.llm.backend import ChatReply
from harnlite.llm.errors import GENERIC, categorised, category_of_response, classify, http_error_message
from harnlite.values.errors import ScriptError, thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.llm.backend import ChatRequest
    from harnlite.llm.dialects.content import Block

_NOT_JSON = (
    "The tool call was not carried out: its arguments are not a JSON object ({reason}). "
    "Repeat the call with arguments that are valid JSON."
)
_REFUSED_REQUESTS = (400, 413, 415, 422)
"""The statuses for a request that the vendor will refuse again."""

_TOKENS = re.compile(r"(?:prompt is too long: |token count \(?|resulted in |requested )(\d+)")


class ReplyParts:
    """The parts of a reply, in the vendor's order."""

    __slots__ = ("_blocks", "_request", "_texts", "_thoughts", "calls", "fields")

    def __init__(self, request: ChatRequest) -> None:
        self._request = request
        self._blocks: list[Block] = []
        self._texts: list[str] = []
        self._thoughts: list[str] = []
        self.calls: list[dict[str, Any]] = []
        self.fields: dict[str, Any] = {}
        """Further fields of the reply: token counts, the stop reason, the model, log probabilities."""

    def text(self, text: str, **more: object) -> None:
        """Add text for the user."""
        if not text and not more:
            return
        self._texts.append(text)
        last = self._blocks[-1] if self._blocks else None
        if last is not None and last["type"] == "output_text" and not more and len(last) == 3:  # noqa: PLR2004 - no other keys
            last["text"] += text
        else:
            self._blocks.append({"type": "output_text", "text": text, "visibility": "public", **more})

    def thinking(self, text: str, provider: str, native: dict[str, Any] | None) -> None:
        """Add thinking, with the block that has to be sent back to the provider or None."""
        if text:
            self._thoughts.append(text)
        if native is not None:
            self._blocks.append({"type": "reasoning", "provider": provider, "native": native, "visibility": "private"})

    def call(self, call_id: str, name: str, arguments: object, **more: object) -> None:
        """Add a tool call. Arguments that cannot be read reject it, and the model is told why."""
        call = tool_call(call_id, name, arguments)
        self.calls.append(call)
        self._blocks.append({**call, "visibility": "internal", **more})

    def native(self, provider: str, block: dict[str, Any]) -> None:
        """Add a block that only the provider understands."""
        self._blocks.append({**block, "provider": provider, "visibility": "internal"})

    def reply(self) -> ChatReply:
        """Return the reply."""
        fields = {"model": self._request.model, **{key: value for key, value in self.fields.items() if value}}
        return ChatReply(
            text="".join(self._texts),
            tool_calls=self.calls,
            thinking="\n\n".join(self._thoughts) or None,
            blocks=self._blocks,
            provider=self._request.provider,
            **fields,
        )


def tool_call(call_id: str, name: str, arguments: object) -> dict[str, Any]:
    """Return a tool call of a reply; its arguments are a dict, or a JSON text of one."""
    call: dict[str, Any] = {"id": call_id, "type": "tool_call", "name": name, "arguments": {}}
    reason = "they are not an object"
    if isinstance(arguments, str):
        try:
            arguments = read_json(arguments) if arguments.strip() else {}
        except JsonError as error:
            reason = str(error)
    if isinstance(arguments, dict):
        call["arguments"] = arguments
    elif arguments is not None:
        call["rejection"] = _NOT_JSON.format(reason=reason)
    return call


# Reading


def invalid(provider: str, what: str) -> ScriptError:
    """Return the error for a reply that does not have the form of the API; it is transient."""
    return categorised("server_error", f"{provider} sent a reply that is not valid: {what}")


def fields_in(provider: str, value: object, what: str) -> dict[str, Any]:
    """Return a value that must be an object; raise the error for an invalid reply otherwise."""
    if isinstance(value, dict):
        return value
    raise invalid(provider, f"`{what}` is not an object")


def items_in(provider: str, value: object, what: str) -> list[dict[str, Any]]:
    """Return a value that must be a list of objects; raise the error for an invalid reply otherwise."""
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        return value
    raise invalid(provider, f"`{what}` is not a list of objects")


def text_in(provider: str, fields: dict[str, Any], name: str) -> str:
    """Return a field that is a text if it is given; raise the error for an invalid reply otherwise."""
    value = fields.get(name)
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    raise invalid(provider, f"`{name}` is not a text")


def count_in(fields: dict[str, Any], name: str) -> int:
    """Return a count of tokens, 0 if there is none."""
    value = fields.get(name)
    return value if value.__class__ is int and value > 0 else 0


# Failures


def http_failure(
    provider: str, status: int, body: str, *, retry_after: str | None = None, category: str | None = None
) -> ScriptError:
    """Return the error for an HTTP error response.

    `category` is that of errors which the vendor reports with a status of another category.
    """
    tokens = _TOKENS.search(body)
    offending = int(tokens[1]) if tokens is not None else None
    message = http_error_message(provider, status, body, offending_tokens=offending, retry_after=retry_after)
    if category is None:
        found = category_of_response(status, body)
        if status in _REFUSED_REQUESTS and found == GENERIC and classify(body, found)[1] == "unknown":
            message = f"{provider} HTTP {status} [invalid_request]: {body}"
        return categorised(found, message)
    kind, reason = classify("", category)
    message = f"{provider} HTTP {status} [{reason}]: {body}"
    return thrown({"category": category, "kind": kind, "reason": reason, "message": message, "status": status})
