"""Edits for fixes, such as the removal of a statement or of one item of a list."""

from __future__ import annotations

from harnlite.diagnostics.diagnostic import Edit
from harnlite.diagnostics.source import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.diagnostics.source import Source
    from harnlite.syntax.nodes import Node

_BLANKS = " \t"


def replacement(node: Node | Span, text: str) -> Edit:
    """Return the edit that replaces a node with a text."""
    return Edit(Span(node.start, node.end), text)


def insertion(at: int, text: str) -> Edit:
    """Return the edit that inserts a text at an offset."""
    return Edit(Span(at, at), text)


def statement_removal(source: Source, node: Node) -> Edit:
    """Return the edit that removes a statement, with its lines if they contain nothing else."""
    text, start, end = source.text, node.start, node.end
    before, after = len(text[:start].rstrip()), end + len(text[end:]) - len(text[end:].lstrip())
    if text[:before].endswith("{") and text.startswith("}", after):
        return Edit(Span(before, after), "")
    first, last = len(text[:start].rstrip(_BLANKS)), _after_blanks(text, end)
    is_first = not first or text[first - 1] == "\n"
    if text.startswith(";", last):
        last = _after_blanks(text, last + 1)
    elif not is_first:
        return Edit(Span(first, end), "")
    if is_first and _ends_line(text, last):
        last += text.startswith("\r", last)
        return Edit(Span(first, min(last + 1, len(text))), "")
    return Edit(Span(start, last), "")


def _after_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at] in _BLANKS:
        at += 1
    return at


def _ends_line(text: str, at: int) -> bool:
    return at >= len(text) or text[at] == "\n" or text.startswith("\r\n", at)


def item_removal(items: Sequence[Node], index: int) -> Edit:
    """Return the edit that removes one of several items from a list, with its comma."""
    if index + 1 < len(items):
        return Edit(Span(items[index].start, items[index + 1].start), "")
    return Edit(Span(items[index - 1].end, items[index].end), "")
