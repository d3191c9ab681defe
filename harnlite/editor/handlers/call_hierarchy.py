"""Call hierarchy: the callers and callees of a function; passing a function by name counts as a call."""

from __future__ import annotations

import os

from lsprotocol import types

from harnlite.diagnostics.source import Span
from harnlite.editor.names.conformance import relatives_of
from harnlite.editor.names.occurrences import occurrences
from harnlite.editor.names.spots import Reading, Spot
from harnlite.editor.names.symbols import (
    BUILTIN,
    FUNCTION,
    METHOD,
    PIPELINE,
    SKILL,
    TOOL,
    declared,
    symbol_at,
    symbol_of,
)
from harnlite.syntax import nodes
from harnlite.syntax.visitor import visit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harnlite.editor.names.symbols import Symbol
    from harnlite.editor.texts.documents import Document
    from harnlite.editor.texts.workspace import Workspace

_CALLED = frozenset({BUILTIN, FUNCTION, METHOD, PIPELINE, SKILL, TOOL})
_CALLERS = (nodes.FnDecl, nodes.PipelineDecl, nodes.ToolDecl, nodes.SkillDecl, nodes.OverrideDecl)


class Caller:
    """A function, or a file as the caller in its top-level statements; `name` is the span of the name in `node`."""

    __slots__ = ("document", "kind", "label", "name", "node")

    def __init__(self, document: Document, node: nodes.Node, name: Span, label: str, kind: types.SymbolKind) -> None:
        self.document = document
        self.node = node
        self.name = name
        self.label = label
        self.kind = kind

    @property
    def key(self) -> tuple[str, int, bool]:
        """Return the identity of the caller."""
        return self.document.path, self.name.start, self.kind == types.SymbolKind.File

    @property
    def item(self) -> types.CallHierarchyItem:
        """Return the caller in the form that editors read."""
        document = self.document
        where, name = document.range(self.node), document.range(self.name)
        detail = None if self.kind == types.SymbolKind.File else os.path.basename(document.path)
        return types.CallHierarchyItem(self.label, self.kind, document.uri, where, name, detail=detail)


def prepare(files: Workspace, params: types.CallHierarchyPrepareParams) -> list[types.CallHierarchyItem] | None:
    """Return the function under the cursor."""
    document = files.document(params.text_document.uri)
    caller = _called(symbol_at(files, document, document.offset(params.position)))
    return None if caller is None else [caller.item]


def incoming(
    files: Workspace, params: types.CallHierarchyIncomingCallsParams
) -> list[types.CallHierarchyIncomingCall] | None:
    """Return the callers of a function, with the ranges of the calls."""
    document = files.document(params.item.uri)
    symbol = _symbol_of(files, document, params.item)
    if symbol is None:
        return None
    callers: dict[tuple[str, int, bool], tuple[Caller, list[types.Range]]] = {}
    for meant in relatives_of(symbol, files.files()):
        for found in occurrences(files, meant, document, everywhere=True):
            if not found.is_declaration and not isinstance(found.parent, nodes.ImportDecl):
                caller = _around(found.document, found.way)
                callers.setdefault(caller.key, (caller, []))[1].append(found.document.range(found.span))
    return [types.CallHierarchyIncomingCall(caller.item, places) for caller, places in callers.values()]


def outgoing(
    files: Workspace, params: types.CallHierarchyOutgoingCallsParams
) -> list[types.CallHierarchyOutgoingCall] | None:
    """Return the functions that a function calls, with the ranges of the calls."""
    document = files.document(params.item.uri)
    symbol = _symbol_of(files, document, params.item)
    caller = _whole(document) if symbol is None else _called(symbol)
    if caller is None or (symbol is None and params.item.kind != types.SymbolKind.File):
        return None
    reading = Reading(files, thorough=symbol is None)
    called: dict[tuple[str, int, bool], tuple[Caller, list[types.Range]]] = {}
    for name in _names_in(caller.node):
        span = Span(name.start, name.end)
        other = _called(symbol_of(Spot(reading, document, span)))
        if other is not None:
            called.setdefault(other.key, (other, []))[1].append(document.range(span))
    return [types.CallHierarchyOutgoingCall(other.item, places) for other, places in called.values()]


def _symbol_of(files: Workspace, document: Document, item: types.CallHierarchyItem) -> Symbol | None:
    if item.kind == types.SymbolKind.File:
        return None
    return symbol_at(files, document, document.offset(item.selection_range.start))


def _called(symbol: Symbol | None) -> Caller | None:
    """Return the caller of a symbol, if the symbol is callable and has a declaration."""
    if symbol is None or symbol.document is None or symbol.span is None or symbol.node is None:
        return None
    node: nodes.Node | None = symbol.node if symbol.kind in _CALLED else None
    if isinstance(symbol.node, nodes.NamePattern):
        way = symbol.document.way_to(symbol.span.start)
        node = way[-2] if len(way) > 1 and _is_closure(way[-2]) else None
    kind = types.SymbolKind.Method if symbol.kind == METHOD else types.SymbolKind.Function
    return None if node is None else Caller(symbol.document, node, symbol.span, symbol.name, kind)


def _is_closure(node: nodes.Node) -> bool:
    """Return whether a statement binds a variable to a closure."""
    if not isinstance(node, nodes.LetStmt):
        return False
    return isinstance(node.pattern, nodes.NamePattern) and isinstance(node.value, nodes.ClosureExpr)


def _around(document: Document, way: Sequence[nodes.Node]) -> Caller:
    """Return the function around a place, or the file."""
    for node, outside in zip(way[:0:-1], way[-2::-1], strict=True):
        name = node.pattern if isinstance(node, nodes.LetStmt) and _is_closure(node) else node
        symbol = declared(document, name) if isinstance(node, _CALLERS) or name is not node else None
        if symbol is not None and symbol.span is not None:
            kind = types.SymbolKind.Method if isinstance(outside, nodes.ImplDecl) else types.SymbolKind.Function
            return Caller(document, node, symbol.span, symbol.name, kind)
    return _whole(document)


def _whole(document: Document) -> Caller:
    return Caller(document, document.module, Span(0, 0), os.path.basename(document.path), types.SymbolKind.File)


def _names_in(caller: nodes.Node) -> Iterator[nodes.Node]:
    """Return the names that a function uses, except those in nested functions."""
    found: list[nodes.Node] = []

    def inside(node: nodes.Node) -> bool:
        return node is caller

    def base(node: nodes.PipelineDecl) -> bool:
        if node is caller and node.extends is not None:
            found.append(node.extends)
        return node is caller

    visit(
        caller,
        {
            **dict.fromkeys(_CALLERS, inside),
            nodes.LetStmt: lambda node: node is caller or not _is_closure(node),
            nodes.PipelineDecl: base,
            nodes.NameExpr: found.append,
            nodes.MethodCallExpr: lambda node: found.append(node.name),
        },
    )
    return iter(found)
