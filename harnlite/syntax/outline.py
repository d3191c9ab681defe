"""A syntax tree as text: one line for each node and plain field, indented by depth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnlite.syntax.nodes import Node

if TYPE_CHECKING:
    from harnlite.diagnostics.source import Source

_INDENT = "  "
_PLACE_FIELDS = 2


def outline(root: Node, source: Source) -> str:
    """Return the outline of a tree; positions are `line:column` from 1, and the end is exclusive."""
    lines: list[str] = []
    pending: list[tuple[int, str, object]] = [(0, "", root)]
    while pending:
        depth, label, value = pending.pop()
        head = _INDENT * depth + label
        below: list[tuple[str, object]] = []
        if isinstance(value, Node):
            lines.append(f"{head}{type(value).__name__} {source.position(value.start)}-{source.position(value.end)}")
            below = [(f"{field}: ", getattr(value, field)) for field in type(value).fields[_PLACE_FIELDS:]]
        elif isinstance(value, (list, tuple)) and value:
            lines.append(head.rstrip())
            below = [("- ", item) for item in value]
        else:
            lines.append(f"{head}{value!r}")
        pending.extend((depth + 1, name, item) for name, item in reversed(below) if item is not None)
    return "\n".join(lines) + "\n"
