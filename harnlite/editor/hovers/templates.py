"""Hover texts for the variables and filters in the directives of a template that is a literal."""

from __future__ import annotations

import re

from harnlite.analysis.editing.template_places import template_place
from harnlite.diagnostics.source import Span
from harnlite.editor.hovers.names import fenced
from harnlite.editor.names.filters import FILTERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.analysis.editing.template_places import Variable
    from harnlite.editor.texts.documents import Document
    from harnlite.editor.texts.workspace import Workspace

    HoverText = tuple[str, Span]

_WORD = re.compile(r"\w*")
_LONGEST_VALUE = 60
_MOST_VALUES = 3


def template_text(_files: Workspace, document: Document, offset: int) -> HoverText | None:
    """Return the hover text for a variable, a key or a filter in a directive."""
    text = document.text
    start = offset
    while start > 0 and (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    found = _WORD.match(text, start)
    place = template_place(document.way_to(offset), text, start)
    if place is None or found is None or not found[0]:
        return None
    name = found[0]
    where = Span(start, found.end())
    if place.is_in_filter:
        meaning = FILTERS.get(name)
        return None if meaning is None else (fenced(f"| {name}", meaning), where)
    variable = place.known().get(name)
    if variable is None:
        return None
    head = f"{place.path}{name}"
    return fenced(f"{head}: {variable.type}" if variable.type else head, _values(variable, text)), where


def _values(variable: Variable, text: str) -> str:
    """Return the source of the values that a variable may have."""
    shown = [f"`{_short(text[value.start : value.end])}`" for value in variable.values[:_MOST_VALUES]]
    if not shown:
        return ""
    more = " …" if len(variable.values) > _MOST_VALUES else ""
    return f"{'Value' if len(variable.values) == 1 else 'Values'}: {', '.join(shown)}{more}"


def _short(source: str) -> str:
    """Return source code on one line, shortened if it is long."""
    line = " ".join(source.split())
    return line if len(line) <= _LONGEST_VALUE else f"{line[:_LONGEST_VALUE]}…"
