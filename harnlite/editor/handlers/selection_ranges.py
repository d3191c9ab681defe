"""Selection ranges: the nested spans by which a selection grows, from the word to the file."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from operator import attrgetter

from lsprotocol import types

from harnlite.diagnostics.source import Span
from harnlite.editor.texts.lexemes import COMMENT, STRING, pairs_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnlite.editor.texts.documents import Document
    from harnlite.editor.texts.workspace import Workspace
    from harnlite.syntax.tokens import Token

_WORD = re.compile(r"\w+")
_INSIDE = re.compile(r'r?("""|")?(?P<inside>.*?)("""|")?', re.DOTALL)
_START, _END = attrgetter("start"), attrgetter("end")


def selection_ranges(files: Workspace, params: types.SelectionRangeParams) -> list[types.SelectionRange]:
    """Return, for each position, the nested ranges around it, smallest first."""
    document = files.document(params.text_document.uri)
    return [_chain(document, document.offset(position)) for position in params.positions]


def _chain(document: Document, offset: int) -> types.SelectionRange:
    spans = {Span(node.start, node.end) for node in document.way_to(offset)}
    spans.update(_around(document, offset))
    last = Span(0, len(document.text))
    chain = types.SelectionRange(document.range(last))
    for span in sorted(spans, key=lambda span: (span.start - span.end, span.start)):
        inside = last.start <= span.start <= offset <= span.end <= last.end
        if inside and span != last:
            last, chain = span, types.SelectionRange(document.range(span), chain)
    return chain


def _around(document: Document, offset: int) -> Iterator[Span]:
    """Yield the spans around an offset that the tree does not contain: words, strings, comments, brackets, lines."""
    lexemes, statement = document.lexemes, document.statement_at(offset)
    at = bisect_left(lexemes, offset, key=_END)
    while at < len(lexemes) and lexemes[at].start <= offset:
        yield from _inside(document, lexemes[at], offset)
        at += 1
    if statement is not None:
        first, last = (
            bisect_left(lexemes, statement.start, key=_START),
            bisect_right(lexemes, statement.end, key=_START),
        )
        for opening, closing in pairs_of(lexemes[first:last]):
            if opening.start < offset < closing.end:
                yield Span(opening.start, closing.end)
                yield _trimmed(document.text, opening.end, closing.start)


def _inside(document: Document, lexeme: Token, offset: int) -> Iterator[Span]:
    """Yield the span of a word, string or comment, and the spans inside a string or comment."""
    is_text = lexeme.kind in (STRING, COMMENT)
    if is_text or _WORD.match(lexeme.text):
        yield Span(lexeme.start, lexeme.end)
    if not is_text:
        return
    if lexeme.kind == STRING:
        inside = _INSIDE.fullmatch(lexeme.text)
        if inside is not None:
            yield Span(lexeme.start + inside.start("inside"), lexeme.start + inside.end("inside"))
    line = document.ruler.place(offset)[0]
    start = max(document.ruler.starts[line], lexeme.start)
    end = min(document.ruler.line_end(line), lexeme.end)
    yield _trimmed(document.text, start, end)
    for word in _WORD.finditer(document.text, start, end):
        if word.start() <= offset <= word.end():
            yield Span(word.start(), word.end())


def _trimmed(text: str, start: int, end: int) -> Span:
    """Return a span without surrounding whitespace."""
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    return Span(start, start + len(piece.strip()))
