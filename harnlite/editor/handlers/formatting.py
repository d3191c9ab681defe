"""Formatting like `harnlite fmt`: of a whole file, of the statements in a range, or of the line being typed."""

from __future__ import annotations

from typing import NamedTuple

from lsprotocol import types

from harnlite.diagnostics.errors import LanguageError
from harnlite.diagnostics.source import Source
from harnlite.editor.edits.workspace_edits import rewritten
from harnlite.editor.texts.lexemes import pairs_of
from harnlite.syntax.printer import format_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.editor.texts.documents import Document
    from harnlite.editor.texts.workspace import Workspace
    from harnlite.syntax.tokens import Token

_INDENT = "  "
_BLANKS = " \t"


def full(files: Workspace, params: types.DocumentFormattingParams) -> list[types.TextEdit]:
    """Return the edits that format a file; none if it has syntax errors."""
    document = files.document(params.text_document.uri)
    return _formatted(document, 0, len(document.text))


def in_range(files: Workspace, params: types.DocumentRangeFormattingParams) -> list[types.TextEdit]:
    """Return the edits that format the top-level statements in a selection."""
    document = files.document(params.text_document.uri)
    return _formatted(document, *_whole_lines(document, params.range))


def on_type(files: Workspace, params: types.DocumentOnTypeFormattingParams) -> list[types.TextEdit]:
    """Return the edits that indent the current line, or that format a statement after its last bracket is typed."""
    document = files.document(params.text_document.uri)
    offset = document.offset(params.position)
    if params.ch == "\n":
        return _indented(document, offset)
    statement = document.statement_at(offset)
    if statement is not None and statement.end == offset and document.text[offset - 1 : offset] == params.ch:
        edits = _formatted(document, *_whole_lines(document, document.range(statement)))
        if edits:
            return edits
    return _indented(document, offset - len(params.ch))


def _formatted(document: Document, start: int, end: int) -> list[types.TextEdit]:
    text = document.text[start:end]
    try:
        return rewritten(document, format_source(Source(text, document.path, document.path)), start, end)
    except LanguageError:
        return []


class _Stretch(NamedTuple):
    """A range of whole lines."""

    start: int
    end: int


def _whole_lines(document: Document, selected: types.Range) -> _Stretch:
    """Return the lines of a selection, extended to whole top-level statements."""
    start, end = document.offset(selected.start), document.offset(selected.end)
    text, statements = document.text, document.module.statements
    is_growing = True
    while is_growing:
        start = text.rfind("\n", 0, start) + 1
        newline = text.find("\n", max(end - 1, start))
        end = newline + 1 if newline >= 0 else len(text)
        touched = [one for one in statements if one.start < end and one.end > start]
        is_growing = bool(touched) and (touched[0].start < start or touched[-1].end > end)
        if is_growing:
            start, end = min(start, touched[0].start), max(end, touched[-1].end)
    while start < end and text[start] in "\r\n":
        start += 1
    return _Stretch(start, end)


# Formatting while the user types


def _indented(document: Document, offset: int) -> list[types.TextEdit]:
    """Return the edit that indents a line by the bracket that it closes or, if it is empty, by the one around it."""
    text, line = document.text, document.ruler.place(offset)[0]
    start, end = document.ruler.starts[line], document.ruler.line_end(line)
    words = text[start:end].lstrip(_BLANKS)
    at = end - len(words)
    if words and at != offset:
        return []
    wanted = _closing_indent(document, at) if words else _inner_indent(document, offset)
    if wanted is None or wanted == text[start:at]:
        return []
    return [types.TextEdit(types.Range(document.position(start), document.position(at)), wanted)]


def _closing_indent(document: Document, at: int) -> str | None:
    """Return the indent of the line with the matching opening bracket."""
    for opening, closing in pairs_of(document.lexemes):
        if closing.start == at:
            return _indent_of(document, opening.start)
    return None


def _inner_indent(document: Document, offset: int) -> str | None:
    """Return the indent after a line that ends with an opening bracket."""
    before: Token | None = None
    for lexeme in document.lexemes:
        if lexeme.start >= offset:
            break
        before = lexeme
    if before is None or before.end > offset or before.text not in ("{", "[", "("):
        return None
    gap = document.text[before.end : offset]
    return _indent_of(document, before.start) + _INDENT if gap.count("\n") == 1 else None


def _indent_of(document: Document, offset: int) -> str:
    line = document.text[document.text.rfind("\n", 0, offset) + 1 : offset]
    return line[: len(line) - len(line.lstrip(_BLANKS))]
