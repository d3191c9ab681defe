"""The parts that replies of Chat Completions and Responses have in common: counts of tokens and tool arguments."""

from __future__ import annotations

from harnlite.formats.json.reading import JsonError, read_json
from harnlite.llm.dialects.vendor_errors import unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_NOT_JSON = (
    "The tool call was not carried out: its arguments are not a JSON object ({reason}). "
    "Repeat the call with arguments that are valid JSON."
)


def count(fields: object, *names: str) -> int:
    """Return the first of these fields that is a count, or 0."""
    if not isinstance(fields, dict):
        return 0
    for name in names:
        value = fields.get(name)
        if value.__class__ is int and value >= 0:
            return value
        if value.__class__ is float and value >= 0 and value.is_integer():
            return int(value)
    return 0


def usage_of(usage: object) -> dict[str, int]:
    """Return the counts of a reply: cached tokens are part of the input, and thinking is part of the output."""
    if not isinstance(usage, dict):
        return {}
    read = count(usage, "prompt_tokens", "input_tokens")
    written = count(usage, "completion_tokens", "output_tokens")
    details = usage.get("prompt_tokens_details", usage.get("input_tokens_details"))
    thought = count(usage.get("completion_tokens_details", usage.get("output_tokens_details")), "reasoning_tokens")
    # Some hosts count the tokens of thinking apart; the total shows it.
    if thought and count(usage, "total_tokens") == read + written + thought:
        written += thought
    cached = count(details, "cached_tokens") or count(usage, "prompt_cache_hit_tokens", "cached_tokens")
    return {
        "input_tokens": read,
        "output_tokens": written,
        "cache_read_tokens": min(cached, read),
        "cache_write_tokens": count(details, "cache_write_tokens", "cache_creation_tokens"),
    }


def read_call(provider: str, call_id: object, name: object, arguments: object) -> dict[str, Any]:
    """Return a tool call as `{id, type, name, arguments}`.

    Arguments that are not a JSON object reject the call, and the model is told why: a tool must not run with other
    arguments than the model wrote.
    """
    if not isinstance(name, str) or not name:
        raise unreadable(provider, "a tool call has no name")
    call: dict[str, Any] = {
        "id": call_id if isinstance(call_id, str) else "",
        "type": "tool_call",
        "name": name,
        "arguments": {},
    }
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
