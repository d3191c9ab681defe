"""The text of an answer that a person sees: without thinking, tool calls, sentinels and other protocol text."""

from __future__ import annotations

_FENCE = "```"
_DROP, _UNWRAP, _RESPOND = "drop", "unwrap", "respond"
_TAGS = (
    ("<think>", ("</think>",), _DROP),
    ("<tool_call>", ("</tool_call>",), _DROP),
    ("<|tool_call|>", ("<|/tool_call|>", "</|tool_call|>", "<|end_tool_call|>"), _DROP),
    ("<done>", ("</done>",), _DROP),
    ("<tool_result", ("</tool_result>",), _DROP),
    ("<assistant_prose>", ("</assistant_prose>",), _UNWRAP),
    ("<user_response>", ("</user_response>",), _RESPOND),
)
_RESULT = "[result of "
_SENTINEL_LINES = frozenset({"##DONE##", "DONE", "PLAN_READY"})
_TRAILING = ("##DONE##", "PLAN_READY")
_SUSPICIOUS = ("<", "[result of ", "DONE", "PLAN_READY", _FENCE, "\n\n\n")
_PLANNING_KEYS = frozenset({"plan", "steps", "tasks"})


def sanitised(text: str) -> str:
    """Return the part of a model's text that a person should see."""
    for mark in _SUSPICIOUS:
        if mark in text:
            return _Scan().run(text)
    return text.strip()


class _Scan:
    """A scan of a text, line by line; tags count only at the start of a line outside of code fences."""

    __slots__ = ("_kept", "_responses")

    def __init__(self) -> None:
        self._kept: list[str] = []
        self._responses: list[str] = []

    def run(self, text: str) -> str:
        """Return the visible part of a text."""
        self._walk(text)
        shown = "\n\n".join(self._responses) if self._responses else "".join(self._kept)
        shown = shown.strip()
        while shown.endswith(_TRAILING):
            for word in _TRAILING:
                shown = shown.removesuffix(word).rstrip()
        while "\n\n\n" in shown:
            shown = shown.replace("\n\n\n", "\n\n")
        return shown

    def _walk(self, text: str) -> None:
        at, size = 0, len(text)
        fenced = False
        while at < size:
            end = text.find("\n", at) + 1 or size
            line = text[at:end]
            words = line.lstrip(" \t")
            if words.startswith(_FENCE):
                after = None if fenced else _end_of_plan(text, at, end)
                if after is not None:
                    at = after
                    continue
                fenced = not fenced
            elif not fenced:
                after = self._element(text, at + len(line) - len(words), words)
                if after is not None:
                    at = after
                    continue
                if words.strip() in _SENTINEL_LINES:
                    at = end
                    continue
            self._kept.append(line)
            at = end

    def _element(self, text: str, start: int, words: str) -> int | None:
        """Process the element that begins here and return its end, or None if no element begins here."""
        if words.startswith(_RESULT):
            name, mark, _ = words[len(_RESULT) :].partition("]")
            closing = f"[end of {name} result]"
            found = text.find(closing, start) if mark else -1
            return None if found < 0 else found + len(closing)
        for opening, closings, action in _TAGS:
            if words.startswith(opening):
                inner_end, after = _closed(text, start, closings)
                inner = text[start + len(opening) : inner_end]
                if action == _RESPOND:
                    self._responses.append(inner.strip())
                elif action == _UNWRAP:
                    self._walk(inner)
                return after
        return None


def _closed(text: str, start: int, closings: tuple[str, ...]) -> tuple[int, int]:
    """Return the end of an element's content and of the element itself: the end of the text if it is not closed."""
    for closing in closings:
        found = text.find(closing, start)
        if found >= 0:
            return found, found + len(closing)
    return len(text), len(text)


def _end_of_plan(text: str, start: int, line_end: int) -> int | None:
    """Return the end of the code fence that begins here if it contains planning JSON, otherwise None."""
    if text[start:line_end].strip() != f"{_FENCE}json":
        return None
    closing = text.find(f"\n{_FENCE}", line_end - 1)
    if closing < 0:
        return None
    from harnlite.formats.json.reading import JsonError, read_json

    try:
        value = read_json(text[line_end:closing].strip())
    except JsonError:
        return None
    if not isinstance(value, dict) or not _PLANNING_KEYS.intersection(value):
        return None
    return text.find("\n", closing + 1) + 1 or len(text)
