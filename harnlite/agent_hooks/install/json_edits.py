"""Changes of a JSON text that keep everything else as it is: an item or a member more, or one less."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from harnlite.agent_hooks.install.json_text import Items, Members

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harnlite.agent_hooks.install.json_text import Member, Node

_INDENT = re.compile(r"\n([ \t]+)\S")
_DEFAULT_INDENT = "  "


class TextEdit:
    """A piece of a text and what replaces it."""

    __slots__ = ("new", "old", "start")

    def __init__(self, start: int, old: str, new: str) -> None:
        self.start = start
        self.old = old
        self.new = new


class Style:
    """How a JSON text is laid out: its line ends and its indentation. A text on one line stays on one line."""

    __slots__ = ("indent", "is_flat", "newline", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.newline = "\r\n" if "\r\n" in text else "\n"
        found = _INDENT.search(text)
        self.indent = found[1] if found else _DEFAULT_INDENT
        self.is_flat = "\n" not in text.strip()

    def margin(self, place: int) -> str:
        """Return the white space with which the line of a place begins."""
        line = self.text[self.text.rfind("\n", 0, place) + 1 : place]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def written(self, value: object, margin: str | None) -> str:
        """Return a value as JSON text whose further lines begin with a margin; without one it has one line."""
        if margin is None:
            return json.dumps(value, ensure_ascii=False)
        text = json.dumps(value, indent=self.indent, ensure_ascii=False)
        return text.replace("\n", self.newline + margin)


def applied(text: str, edits: Iterable[TextEdit]) -> str:
    """Return a text after edits that do not overlap."""
    for edit in sorted(edits, key=lambda one: one.start, reverse=True):
        text = text[: edit.start] + edit.new + text[edit.start + len(edit.old) :]
    return text


def reverted(text: str, edits: Iterable[TextEdit]) -> str:
    """Return the text to which edits were applied."""
    for edit in sorted(edits, key=lambda one: one.start):
        text = text[: edit.start] + edit.old + text[edit.start + len(edit.new) :]
    return text


def with_item(style: Style, items: Items, value: object) -> list[TextEdit]:
    """Return the edits that append a value to an array."""
    return _appended(style, items, items.nodes, "", value)


def with_member(style: Style, members: Members, key: str, value: object) -> list[TextEdit]:
    """Return the edits that append a key and its value to an object."""
    return _appended(style, members, members.members, f"{json.dumps(key, ensure_ascii=False)}: ", value)


def without(style: Style, container: Items | Members, child: Node | Member) -> list[TextEdit]:
    """Return the edits that remove an item of an array or a member of an object, with a comma beside it."""
    children = _children(container)
    place = next(index for index, one in enumerate(children) if one is child)
    if len(children) == 1:
        start, end = container.start + 1, container.end - 1
    elif place > 0:
        start, end = children[place - 1].end, child.end
    else:
        start, end = child.start, children[1].start
    return [TextEdit(start, style.text[start:end], "")]


def _children(container: Items | Members) -> Sequence[Node | Member]:
    return container.nodes if isinstance(container, Items) else container.members


def _appended(
    style: Style, container: Items | Members, children: Sequence[Node | Member], head: str, value: object
) -> list[TextEdit]:
    text = style.text
    inside = text[container.start + 1 : container.end - 1]
    if not children:
        if style.is_flat:
            return [TextEdit(container.start + 1, inside, head + style.written(value, None))]
        margin = style.margin(container.start)
        inner = margin + style.indent
        if inside.strip():  # a comment
            start, old = container.start + 1 + len(inside.rstrip()), inside[len(inside.rstrip()) :]
        else:
            start, old = container.start + 1, inside
        new = f"{style.newline}{inner}{head}{style.written(value, inner)}{style.newline}{margin}"
        return [TextEdit(start, old, new)]
    last = children[-1]
    if "\n" not in inside:
        return [TextEdit(last.end, "", f", {head}{style.written(value, None)}")]
    margin = style.margin(last.start)
    new = f"{style.newline}{margin}{head}{style.written(value, margin)}"
    rest = text[last.end : container.end - 1]
    if not rest.strip():
        return [TextEdit(last.end, "", f",{new}")]
    # A comment stays after the item that it is about.
    return [TextEdit(last.end, "", ","), TextEdit(last.end + len(rest.rstrip()), "", new)]
