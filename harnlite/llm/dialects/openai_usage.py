"""The counts of tokens in replies of Chat Completions and Responses."""

from __future__ import annotations


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
