"""Occurrences of a symbol."""

from __future__ import annotations

import re

from harnlite.diagnostics.source import Span
from harnlite.editor.names.modules import CROSSING, imports_of
from harnlite.editor.names.spots import Reading, Spot
from harnlite.editor.names.symbols import BUILTIN, FIELD, IMPORT, METHOD, MODULE, NAMESPACE, VARIANT, symbol_of
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from harnlite.editor.names.symbols import Symbol
    from harnlite.editor.texts.documents import Document
    from harnlite.editor.texts.workspace import Workspace

_EVERYWHERE = frozenset({BUILTIN, FIELD, METHOD, MODULE, NAMESPACE, VARIANT})


class Occurrence:
    """An occurrence of a symbol; `way` contains the nodes around it, from the file to the innermost."""

    __slots__ = ("document", "is_declaration", "is_write", "span", "way")

    def __init__(
        self,
        document: Document,
        span: Span,
        way: Sequence[nodes.Node],
        *,
        is_write: bool = False,
        is_declaration: bool = False,
    ) -> None:
        self.document = document
        self.span = span
        self.way = way
        self.is_write = is_write
        self.is_declaration = is_declaration

    @property
    def parent(self) -> nodes.Node | None:
        """Return the parent node of the name."""
        return self.way[-2] if len(self.way) > 1 else None


def occurrences(files: Workspace, symbol: Symbol, here: Document, *, everywhere: bool) -> Iterator[Occurrence]:
    """Yield the occurrences of a symbol in one file, or in all files that can see it."""
    documents = _documents(files, symbol, here) if everywhere else [here]
    if symbol.kind == MODULE:
        yield from _imports_of(symbol, files, documents)
        return
    reading = Reading(files, thorough=not is_local(symbol))
    for document in documents:
        if symbol.kind == BUILTIN and document is symbol.document and symbol.span is not None:
            yield Occurrence(document, symbol.span, (), is_write=True, is_declaration=True)
        else:
            yield from _occurrences_in(reading, symbol, document)


def crosses(symbol: Symbol) -> bool:
    """Return whether other files can refer to a symbol."""
    if symbol.kind in _EVERYWHERE:
        return True
    document = symbol.document
    return (
        symbol.kind != IMPORT
        and document is not None
        and isinstance(symbol.node, CROSSING)
        and any(node is symbol.node for node in document.module.statements)
    )


def _documents(files: Workspace, symbol: Symbol, here: Document) -> Iterable[Document]:
    own = symbol.document or here
    if not crosses(symbol):
        return [own]
    found = {document.path: document for document in (own, here, *files.files())}
    return found.values()


def _occurrences_in(reading: Reading, symbol: Symbol, document: Document) -> Iterator[Occurrence]:
    name = symbol.name.rpartition(".")[2]
    start, end = _bounds(symbol, document)
    word = re.escape(name)
    whole_word = re.compile(rf"{word}\b(?<!\w{word})")  # Python finds a pattern sooner that starts with plain letters
    for found in whole_word.finditer(document.text, start, end):
        spot = Spot(reading, document, Span(found.start(), found.end()))
        meant = symbol_of(spot)
        if meant is not None and meant.is_same(symbol):
            declares = spot.is_binding or (spot.span == symbol.span and meant.document is document)
            yield Occurrence(
                document, spot.span, spot.way, is_write=declares or spot.is_assigned, is_declaration=declares
            )


def is_local(symbol: Symbol) -> bool:
    """Return whether a symbol is visible in one top-level statement only."""
    if symbol.binding is None or symbol.binding.frame.kind == "module":
        return False
    return not (isinstance(symbol.binding.frame.node, nodes.PipelineDecl) and _has_extensions(symbol.document))


def _has_extensions(document: Document | None) -> bool:
    """Return whether a file has pipelines that extend others and so see their names."""
    statements = document.module.statements if document is not None else ()
    return any(isinstance(node, nodes.PipelineDecl) and node.extends is not None for node in statements)


def _bounds(symbol: Symbol, document: Document) -> tuple[int, int]:
    """Return the part of a text in which a symbol can occur; a local symbol occurs in its statement only."""
    if is_local(symbol) and symbol.span is not None:
        statement = document.statement_at(symbol.span.start)
        if statement is not None:
            return statement.start, statement.end
    return 0, len(document.text)


def _imports_of(symbol: Symbol, files: Workspace, documents: Iterable[Document]) -> Iterator[Occurrence]:
    """Yield the import paths that refer to a file."""
    for document in documents:
        for node in imports_of(document):
            target = files.imported(document, node.path)
            if target is not None and symbol.document is not None and target.path == symbol.document.path:
                yield Occurrence(document, path_span(node), (document.module, node))


def path_span(node: nodes.ImportDecl) -> Span:
    """Return the span of the path of an import, without its quotes."""
    return Span(node.path_start + 1, node.end - 1)
