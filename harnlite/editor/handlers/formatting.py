"""Lays out a text as `harnlite fmt` does: all of it, the statements around some lines, or the line being written."""

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

TRIGGERS = types.DocumentOnTypeFormattingOptions("}", ["]", ")", "\n"])
_INDENT = "  "
_BLANKS = " \t"


def full(files: Workspace, params: types.DocumentFormattingParams) -> list[types.TextEdit]:
    """Return what has to change in a file; nothing as long as it cannot be read."""
    document = files.document(params.text_document.uri)
    return _laid_out(document, 0, len(document.text))


def in_range(files: Workspace, params: types.DocumentRangeFormattingParams) -> list[types.TextEdit]:
    """Return what has to change in the top-level statements that a selection touches."""
    document = files.document(params.text_document.uri)
    return _laid_out(document, *_whole_lines(document, params.range))


def on_type(files: Workspace, params: types.DocumentOnTypeFormattingParams) -> list[types.TextEdit]:
    """Return how far the line with the cursor has to be indented, and after a statement's last brace all of that."""
    document = files.document(params.text_document.uri)
    offset = document.offset(params.position)
    if params.ch == "\n":
        return _indented(document, offset)
    statement = document.statement_at(offset)
    if statement is not None and statement.end == offset and document.text[offset - 1 : offset] == params.ch:
        edits = _laid_out(document, *_whole_lines(document, document.range(statement)))
        if edits:
            return edits
    return _indented(document, offset - len(params.ch))


def _laid_out(document: Document, start: int, end: int) -> list[types.TextEdit]:
    text = document.text[start:end]
    try:
        return rewritten(document, format_source(Source(text, document.path, document.path)), start, end)
    except LanguageError:
        return []


class _Stretch(NamedTuple):
    """Whole lines of a text."""

    start: int
    end: int


def _whole_lines(document: Document, selected: types.Range) -> _Stretch:
    """Return the lines of a selection, and those of the statements that these lines are a part of."""
    start, end = document.offset(selected.start), document.offset(selected.end)
    text, statements = document.text, document.module.statements
    is_growing = True
    while is_growing:
        start = text.rfind("\n", 0, start) + 1
        behind = text.find("\n", max(end - 1, start))
        end = behind + 1 if behind >= 0 else len(text)
        touched = [one for one in statements if one.start < end and one.end > start]
        is_growing = bool(touched) and (touched[0].start < start or touched[-1].end > end)
        if is_growing:
            start, end = min(start, touched[0].start), max(end, touched[-1].end)
    while start < end and text[start] in "\r\n":
        start += 1
    return _Stretch(start, end)


# While somebody types


def _indented(document: Document, offset: int) -> list[types.TextEdit]:
    """Return the edit that indents a line as the bracket asks that it closes or, if it is empty, stands in."""
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
    """Return the indent of the line that holds the partner of a closing bracket."""
    for opening, closing in pairs_of(document.lexemes):
        if closing.start == at:
            return _indent_of(document, opening.start)
    return None


def _inner_indent(document: Document, offset: int) -> str | None:
    """Return the indent behind a line that ends with an opening bracket."""
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
