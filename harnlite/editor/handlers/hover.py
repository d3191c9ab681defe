"""Hover: what there is to read about the place under the pointer."""

from __future__ import annotations

import re

from lsprotocol import types

from harnlite.diagnostics.explanations import explanation_of
from harnlite.diagnostics.source import Span
from harnlite.editor.hovers.names import name_text
from harnlite.editor.hovers.tokens import attribute_text, literal_text, operator_text, option_text, word_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from harnlite.diagnostics.explanations import Explanation
    from harnlite.editor.texts.documents import Document
    from harnlite.editor.texts.workspace import Workspace

    Told = tuple[str, Span]
    Teller = Callable[[Workspace, Document, int], Told | None]

_CODE = re.compile(r"\bHARN-[A-Z]+-\d+\b")
_LARGE = 20_000
"""A longer text is not judged just to say what is wrong at one place of it."""
_RULE = "\n\n---\n\n"


def hover(files: Workspace, params: types.HoverParams) -> types.Hover | None:
    """Return what there is to read about a place: what stands there, then what is wrong with it."""
    document = files.document(params.text_document.uri)
    offset = document.offset(params.position)
    told = next((found for tell in _TELLERS if (found := tell(files, document, offset)) is not None), None)
    pages = list(_pages(files, document, offset))
    if told is None and not pages:
        return None
    first, where = told or (pages[0][0].text, pages[0][1])
    more = pages if told is not None else pages[1:]
    text = _RULE.join((first, *(_in_short(page) for page, _ in more)))
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text), document.range(where))


def _code(_files: Workspace, document: Document, offset: int) -> Told | None:
    """Return the page of a code that is written here."""
    start = document.text.rfind("\n", 0, offset) + 1
    for found in _CODE.finditer(document.text, start, offset + 20):
        if found.start() <= offset <= found.end():
            page = explanation_of(found[0])
            return None if page is None else (page.text, Span(found.start(), found.end()))
    return None


def _in_short(page: Explanation) -> str:
    """Return what a page says, without reasons and examples."""
    return f"### {page.code} {page.name}\n\n{page.summary}\n\n{page.section('Fix')}"


def _pages(files: Workspace, document: Document, offset: int) -> Iterator[tuple[Explanation, Span]]:
    """Yield the pages about what is wrong at a place, as far as that is known already."""
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


_TELLERS: tuple[Teller, ...] = (_code, attribute_text, option_text, name_text, literal_text, word_text, operator_text)
