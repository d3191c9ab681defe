"""Folding ranges: brackets, multi-line strings and comments, imports, and regions."""

from __future__ import annotations

import re

from lsprotocol import types

from harnlite.diagnostics.source import Span
from harnlite.editor.texts.lexemes import COMMENT, pairs_of
from harnlite.syntax import nodes
from harnlite.syntax.visitor import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnlite.editor.texts.documents import Document
    from harnlite.editor.texts.workspace import Workspace
    from harnlite.syntax.tokens import Token

_STRINGS = frozenset({nodes.LiteralExpr, nodes.TemplateExpr})
_REGION = re.compile(r"//\s*#?(end)?region\b")


def folding_ranges(files: Workspace, params: types.FoldingRangeParams) -> list[types.FoldingRange]:
    """Return the folding ranges of a file; of several that start on one line, only the longest."""
    document = files.document(params.text_document.uri)
    found: dict[int, types.FoldingRange] = {}
    for folds in (_brackets, _strings, _comments, _regions, _imports):
        for fold in folds(document):
            known = found.get(fold.start_line)
            if fold.start_line < fold.end_line and (known is None or known.end_line < fold.end_line):
                found[fold.start_line] = fold
    return [found[line] for line in sorted(found)]


def _lines(document: Document, start: int, end: int, kind: types.FoldingRangeKind | None = None) -> types.FoldingRange:
    return types.FoldingRange(document.ruler.place(start)[0], document.ruler.place(end)[0], kind=kind)


def _closed(document: Document, start: int, closing: int) -> types.FoldingRange:
    """Return the range from a start to its closing token, whose line stays visible if the token starts it."""
    fold = _lines(document, start, closing)
    if not document.text[document.ruler.starts[fold.end_line] : closing].strip(" \t)]}"):
        fold.end_line -= 1
    return fold


def _brackets(document: Document) -> Iterator[types.FoldingRange]:
    text = document.text
    for opening, closing in pairs_of(document.lexemes):
        if text.find("\n", opening.end, closing.start) >= 0:
            yield _closed(document, opening.start, closing.start)


def _strings(document: Document) -> Iterator[types.FoldingRange]:
    for node in walk(document.module) if '"""' in document.text else ():
        if (
            node.__class__ in _STRINGS
            and document.text.startswith('"""', node.start)
            and document.text.find("\n", node.start, node.end) >= 0
        ):
            yield _closed(document, node.start, node.end - len('"""'))


def _comments(document: Document) -> Iterator[types.FoldingRange]:
    """Yield multi-line comments, and blocks of line comments that have lines of their own."""
    text = document.text
    block: Span | None = None
    for comment in _comments_of(document):
        alone = not text[text.rfind("\n", 0, comment.start) + 1 : comment.start].strip()
        if not alone or not comment.text.startswith("//") or _REGION.match(comment.text):
            if "\n" in comment.text:
                yield _lines(document, comment.start, comment.end, types.FoldingRangeKind.Comment)
            continue
        if (
            block is not None
            and not text[block.end : comment.start].strip()
            and text.count("\n", block.end, comment.start) == 1
        ):
            block.end = comment.end
            continue
        if block is not None:
            yield _lines(document, block.start, block.end, types.FoldingRangeKind.Comment)
        block = Span(comment.start, comment.end)
    if block is not None:
        yield _lines(document, block.start, block.end, types.FoldingRangeKind.Comment)


def _comments_of(document: Document) -> Iterator[Token]:
    return (lexeme for lexeme in document.lexemes if lexeme.kind == COMMENT)


def _regions(document: Document) -> Iterator[types.FoldingRange]:
    """Yield the regions between `// region` and `// endregion`, or `// #region` and `// #endregion`."""
    begun: list[int] = []
    for comment in _comments_of(document):
        mark = _REGION.match(comment.text)
        if mark is not None and mark[1] is None:
            begun.append(comment.start)
        elif mark is not None and begun:
            yield _lines(document, begun.pop(), comment.start, types.FoldingRangeKind.Region)


def _imports(document: Document) -> Iterator[types.FoldingRange]:
    """Yield the groups of consecutive imports."""
    first: nodes.Stmt | None = None
    last: nodes.Stmt | None = None
    for statement in document.module.statements:
        if isinstance(statement, nodes.ImportDecl):
            first, last = first or statement, statement
        elif first is not None and last is not None:
            yield _lines(document, first.start, last.end, types.FoldingRangeKind.Imports)
            first = None
    if first is not None and last is not None:
        yield _lines(document, first.start, last.end, types.FoldingRangeKind.Imports)
