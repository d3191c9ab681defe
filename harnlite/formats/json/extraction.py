"""Extraction of JSON from an answer that also contains other text."""

from __future__ import annotations

from harnlite.values.iteration import polled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import deque
else:
    from _collections import deque

_FENCE = "```"
_MOST_OPEN = 10_000


def json_part(text: str) -> str:
    """Return the part of a text that looks like JSON: a fenced block, else braces, else brackets, else all of it."""
    _, _, fenced = text.partition(_FENCE)
    _, line_end, inside = fenced.partition("\n")
    body, closed, _ = (inside if line_end else fenced).partition(_FENCE)
    if closed:
        return body.strip()
    return _balanced(text, "{", "}") or _balanced(text, "[", "]") or text.strip()


def _balanced(text: str, opening: str, closing: str) -> str | None:
    """Return the first part from an opening character to its matching closing character."""
    # Of more open brackets, which no reader of JSON accepts, the innermost are kept.
    stack: deque[int] = deque((), _MOST_OPEN)
    best: tuple[int, int] | None = None
    quoted = escaped = False
    first = text.find(opening)
    for index in polled(range(first, len(text))) if first >= 0 else ():
        char = text[index]
        if quoted:
            quoted = escaped or char != '"'
            escaped = char == "\\" and not escaped
        elif char == '"' and stack:
            quoted = True
        elif char == opening:
            stack.append(index)
        elif char == closing and stack:
            start = stack.pop()
            if not stack:
                return text[start : index + 1]
            if best is None or start < best[0]:
                best = (start, index + 1)
    return text[slice(*best)] if best else None
