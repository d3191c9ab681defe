"""The system prompt of a call, composed from its parts."""

from __future__ import annotations

from harnlite.values.display import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

BEFORE, AFTER = "before", "after"
LEADING = ("system_preamble", "system_prefix", "system_context", "system_prompt_parts")
TRAILING = ("system_appendix", "system_suffix")
OPTIONS = (*LEADING, *TRAILING)
_TEXT_KEYS = ("content", "text", "prompt", "parts")
_SEPARATOR = "\n\n"


class SystemParts:
    """The primary system prompt, and the texts before it, after it and at the end; nothing changes them."""

    __slots__ = ("after", "before", "end", "primary")

    def __init__(self, before: list[str], primary: str | None, after: list[str], end: list[str]) -> None:
        self.before = before
        self.primary = primary
        self.after = after
        self.end = end

    def text(self, guidance: str | None = None, reminders: Sequence[str] = ()) -> str | None:
        """Return the whole system prompt, or None if it is empty."""
        parts = [*self.before, self.primary, guidance, *self.after, *reminders, *self.end]
        return _SEPARATOR.join([part for part in parts if part and not part.isspace()]) or None


_NO_PARTS = SystemParts([], None, [], [])


class LastText:
    """The system prompt that was composed last. Most calls of a loop have the same parts, and share the text."""

    __slots__ = ("_guidance", "_last", "_parts", "_reminders", "_text")

    def __init__(self) -> None:
        self._last: SystemParts | None = None
        self._guidance: str | None = None
        self._parts: tuple[object, ...] | None = None
        self._reminders: Sequence[str] = ()
        self._text: str | None = None

    def of(self, parts: SystemParts, guidance: str | None, reminders: Sequence[str] = ()) -> str | None:
        """Return the whole system prompt, or None if it is empty."""
        if parts is self._last and guidance is self._guidance and reminders is self._reminders:
            return self._text
        self._last, self._guidance = parts, guidance
        given = (parts.before, parts.primary, guidance, parts.after, parts.end)
        if reminders is not self._reminders or given != self._parts:
            self._parts, self._reminders = given, reminders
            self._text = parts.text(guidance, reminders)
        return self._text


def system_parts(system: object, options: dict[str, Any]) -> SystemParts:
    """Return the primary system prompt, which defaults to the option `system`, and the parts around it."""
    if system is None:
        system = options.get("system")
        if system is None and options.keys().isdisjoint(OPTIONS):
            return _NO_PARTS
    before: list[str] = []
    after: list[str] = []
    end: list[str] = []
    groups = () if options.keys().isdisjoint(OPTIONS) else ((LEADING, BEFORE, after), (TRAILING, AFTER, end))
    for names, position, last in groups:
        for name in names:
            value = options.get(name)
            if value is not None:
                _add_part(value, position, {BEFORE: before, AFTER: last})
    primary = None if system is None else _SEPARATOR.join(_texts(system)) or None
    return SystemParts(before, primary, after, end)


def _add_part(part: object, position: str, groups: dict[str, list[str]]) -> None:
    """Add the texts of a part to the group of its position."""
    if part.__class__ is list:
        for item in part:
            _add_part(item, position, groups)
        return
    if part.__class__ is dict and part.get("position") in groups:
        position = part["position"]
    groups[position].extend(_texts(part))


def _texts(part: object) -> list[str]:
    """Return the texts of a part, which may be a string, a list, or a dict with a title."""
    if part is None:
        return []
    if part.__class__ is list:
        return [text for item in part for text in _texts(item)]
    if part.__class__ is not dict:
        text = display(part)
        return [text] if text and not text.isspace() else []
    return _titled(part)


def _titled(part: dict[str, Any]) -> list[str]:
    if part.get("enabled") is not None and not part["enabled"]:
        return []
    content = next((part[key] for key in _TEXT_KEYS if part.get(key) is not None), None)
    texts = _texts(content)
    title = part.get("title")
    if texts and title is not None:
        texts[0] = f"## {display(title)}\n{texts[0]}"
    return texts
