"""Hover: the documentation of the code under the pointer."""

from __future__ import annotations

import re

from lsprotocol import types

from harnlite.diagnostics.explanations import explanation_of
from harnlite.diagnostics.source import Span
from harnlite.editor.hovers.names import name_text
from harnlite.editor.hovers.templates import template_text
from harnlite.editor.hovers.tokens import attribute_text, literal_text, operator_text, option_text, word_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from harnlite.diagnostics.explanations import Explanation
    from harnlite.editor.texts.documents import Document
    from harnlite.editor.texts.workspace import Workspace

    HoverText = tuple[str, Span]
    Finder = Callable[[Workspace, Document, int], HoverText | None]

_CODE = re.compile(r"\bHARN-[A-Z]+-\d+\b")
_LARGE = 20_000
"""A longer text is not checked just to show the findings at one place."""
_RULE = "\n\n---\n\n"


def hover(files: Workspace, params: types.HoverParams) -> types.Hover | None:
    """Return the hover text for a place: the documentation of the code there, then the findings."""
    document = files.document(params.text_document.uri)
    offset = document.offset(params.position)
    described = next((found for find in _FINDERS if (found := find(files, document, offset)) is not None), None)
    pages = list(_pages(files, document, offset))
    if described is None and not pages:
        return None
    first, where = described or (pages[0][0].text, pages[0][1])
    more = pages if described is not None else pages[1:]
    text = _RULE.join((first, *(_in_short(page) for page, _ in more)))
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text), document.range(where))


def _code(_files: Workspace, document: Document, offset: int) -> HoverText | None:
    """Return the page of a diagnostic code that is written here."""
    start = document.text.rfind("\n", 0, offset) + 1
    for found in _CODE.finditer(document.text, start, offset + 20):
        if found.start() <= offset <= found.end():
            page = explanation_of(found[0])
            return None if page is None else (page.text, Span(found.start(), found.end()))
    return None


def _in_short(page: Explanation) -> str:
    """Return a page without its reasons and examples."""
    return f"### {page.code} {page.name}\n\n{page.summary}\n\n{page.section('Fix')}"


def _pages(files: Workspace, document: Document, offset: int) -> Iterator[tuple[Explanation, Span]]:
    """Yield the pages of the findings at a place, unless a check would take too long."""
    if len(document.text) > _LARGE and files.known_findings(document) is None:
        return
    seen = set()
    for found in files.findings_of(document):
        start, end = found.span.start, found.span.end
        line_end = document.text.find("\n", start, end)
        if found.code and found.code not in seen and start <= offset <= (end if line_end < 0 else line_end):
            seen.add(found.code)
            page = explanation_of(found.code)
            if page is not None:
                yield page, found.span


_FINDERS: tuple[Finder, ...] = (
    _code,
    template_text,
    attribute_text,
    option_text,
    name_text,
    literal_text,
    word_text,
    operator_text,
)
