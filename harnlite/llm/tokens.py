"""Token estimates of texts and messages, and the shortening of long texts."""

from __future__ import annotations

from harnlite.values.interrupts import BUILTINS, poll_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_BYTES_PER_TOKEN = 4
_COUNTED = ("content", "reasoning", "tool_calls")
_LEAST = 200
_MOST_DIAGNOSTICS = 32
_DIAGNOSTICS = ("FAIL", "panic", "error:", "Error:", "ERROR", "error[", "fatal:", "Traceback", "assertion failed")


def text_bytes(value: object) -> int:
    """Return the number of bytes in all strings of a value, without keys."""
    if value.__class__ is str:
        return len(value) if value.isascii() else len(value.encode("utf-8", "surrogatepass"))
    return _bytes_within(value, {})


def _bytes_within(value: object, known: dict[int, int]) -> int:
    """Return the number of bytes in all strings of a value; a shared value counts for each reference to it."""
    if value.__class__ is str:
        return len(value) if value.isascii() else len(value.encode("utf-8", "surrogatepass"))
    items: Iterable[object]
    if value.__class__ is list:
        items = value
    elif value.__class__ is dict:
        items = value.values()
    else:
        return 0
    found = known.get(id(value))
    if found is None:
        found = known[id(value)] = sum([_bytes_within(item, known) for item in items])
    return found


def message_bytes(message: object) -> int:
    """Return the number of bytes in those fields of a message that count as tokens."""
    if message.__class__ is not dict:
        return 0
    return sum(text_bytes(message.get(key)) for key in _COUNTED)


def estimate_tokens(messages: object) -> int:
    """Return the approximate number of tokens in a list of messages, or 0 for any other value."""
    if messages.__class__ is not list:
        return 0
    return sum(map(message_bytes, messages)) // _BYTES_PER_TOKEN


def projected_tokens(texts: Iterable[str]) -> int:
    """Return the sum of the estimated tokens of these texts, each rounded up."""
    return sum(-(-len(text) // _BYTES_PER_TOKEN) for text in texts)


def strings_of(value: object) -> Iterable[str]:
    """Yield every string in a value, including keys."""
    if value.__class__ is str:
        yield value
        return
    if BUILTINS["_hintr"]:
        poll_here()
    if value.__class__ is list:
        for item in value:
            yield from strings_of(item)
    elif value.__class__ is dict:
        for key, item in value.items():
            yield key
            yield from strings_of(item)


def microcompact(text: str, limit: int) -> str:
    """Return a text shortened in the middle to about `limit` characters; lines that report failures are kept."""
    if limit < _LEAST or len(text) <= limit:
        return text
    half = limit // 2
    head, tail = _head(text, half), _tail(text, half)
    middle = text[len(head) : len(text) - len(tail)]
    kept = _diagnostic_lines(middle)
    if kept:
        lines = "\n".join(kept)
        return f"{head}\n\n[diagnostic lines preserved]\n{lines}\n\n[... output compacted ...]\n\n{tail}"
    return f"{head}\n\n[... {len(middle)} characters snipped ...]\n\n{tail}"


def _head(text: str, size: int) -> str:
    """Return the beginning of a text, up to the last line end within `size` characters."""
    end = text.rfind("\n", 0, size)
    return text[: end if end > 0 else size]


def _tail(text: str, size: int) -> str:
    """Return the end of a text, from the first line start within the last `size` characters."""
    start = text.find("\n", len(text) - size)
    return text[start + 1 :] if 0 <= start < len(text) - 1 else text[len(text) - size :]


def _diagnostic_lines(text: str) -> list[str]:
    found = []
    for line in text.splitlines():
        if any(word in line for word in _DIAGNOSTICS):
            found.append(line)
            if len(found) == _MOST_DIAGNOSTICS:
                break
    return found
