"""Hover: what there is to read about the place under the pointer."""

from __future__ import annotations

import re

from lsprotocol import types

from harnlite.diagnostics.explanations import explanation_of
from harnlite.diagnostics.source import Span
from harnlite.editor.hovers.names import name_text
from harnlite.editor.hovers.words import attribute_text, literal_text, operator_text, option_text, word_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from harnlite.editor.documents import Document
    from harnlite.editor.workspace import Workspace

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
    text = _RULE.join(([told[0]] if told is not None else []) + [page for page, _ in pages])
    where = told[1] if told is not None else pages[0][1]
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text), document.range(where))


def _code(_files: Workspace, document: Document, offset: int) -> Told | None:
    """Return the page of a code that is written here."""
    start = document.text.rfind("\n", 0, offset) + 1
    for found in _CODE.finditer(document.text, start, offset + 20):
        if found.start() <= offset <= found.end():
            page = explanation_of(found[0])
            return None if page is None else (page.text, Span(found.start(), found.end()))
    return None


def _pages(files: Workspace, document: Document, offset: int) -> Iterator[Told]:
    """Yield the pages about what is wrong at a place, as far as that is known already."""
    known = files.findings.get(document.path)
    if (known is None or known[0] != document.version) and len(document.text) > _LARGE:
        return
    seen = set()
    for found in files.findings_of(document):
        if found.code and found.code not in seen and found.span.start <= offset <= found.span.end:
            seen.add(found.code)
            page = explanation_of(found.code)
            if page is not None:
                yield page.text, found.span


_TELLERS: tuple[Teller, ...] = (_code, attribute_text, option_text, name_text, literal_text, word_text, operator_text)
