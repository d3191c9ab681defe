"""Go to definition: the declaration of the symbol under the cursor."""

from __future__ import annotations

from harnlite.diagnostics.source import Span
from harnlite.editor.names.members import possible_members
from harnlite.editor.names.spots import Reading, Spot, name_at
from harnlite.editor.names.symbols import NAMESPACE, symbol_at
from harnlite.resources import module_file
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from lsprotocol import types

    from harnlite.editor.names.symbols import Symbol
    from harnlite.editor.texts.documents import Document
    from harnlite.editor.texts.workspace import Workspace

_REMINDER_PROVIDERS = "providers"
"""The folder of the standard library that has one file for each canonical reminder provider."""


def definition(files: Workspace, params: types.TextDocumentPositionParams) -> list[types.Location]:
    """Return the locations of the declarations of the symbol under the cursor."""
    document = files.document(params.text_document.uri)
    offset = document.offset(params.position)
    symbol = symbol_at(files, document, offset)
    if symbol is None:
        return [*_members(files, document, offset), *_reminder_provider(files, document, offset)]
    if symbol.kind == NAMESPACE:
        return [files.builtins.location(node.name) for node in _in_namespace(files, symbol.name)][:1]
    own = _own_parameter(document.statement_at(offset), symbol)
    if own is not None:
        return [document.location(own)]
    return [place] if (place := location_of(symbol)) is not None else []


def _own_parameter(around: nodes.Stmt | None, symbol: Symbol) -> nodes.Ident | None:
    """Return the pipeline's own parameter, if the symbol is a parameter with the same name of an extended pipeline."""
    home = None if symbol.binding is None else symbol.binding.frame.node
    if home is around or not isinstance(home, nodes.PipelineDecl) or not isinstance(around, nodes.PipelineDecl):
        return None
    return next((param.name for param in around.params if param.name.text == symbol.name), None)


def location_of(symbol: Symbol) -> types.Location | None:
    """Return the location of the declaration of a symbol."""
    if symbol.document is None or symbol.span is None:
        return None
    return symbol.document.location(symbol.span)


def _in_namespace(files: Workspace, namespace: str) -> Iterator[nodes.FnDecl]:
    for node in files.builtins.module.statements:
        if isinstance(node, nodes.FnDecl) and node.name.text.startswith(f"{namespace}."):
            yield node


def _members(files: Workspace, document: Document, offset: int) -> Iterator[types.Location]:
    """Yield the possible declarations of a name after a dot: members of several types, or keys of a dict literal."""
    span = name_at(document, offset)
    spot = None if span is None else Spot(Reading(files), document, span)
    if spot is not None and isinstance(spot.parent, (nodes.PropertyExpr, nodes.MethodCallExpr)):
        for member in possible_members(spot.type_of(spot.parent.receiver), spot.name):
            home, found = files.file(member.source.path or ""), getattr(member.node, "name", None)
            if home is not None and isinstance(found, nodes.Ident):
                yield home.location(found)
        for entry in _entries(spot, spot.parent.receiver):
            if isinstance(entry.key, nodes.LiteralExpr) and entry.key.value == spot.name:
                yield document.location(entry.key)


def _entries(spot: Spot, node: nodes.Node) -> Iterator[nodes.DictEntry]:
    """Yield the entries of the dict literals that a name or path refers to."""
    if isinstance(node, nodes.DictExpr):
        yield from (entry for entry in node.entries if isinstance(entry, nodes.DictEntry) and not entry.computed)
    elif isinstance(node, nodes.NameExpr):
        binding = spot.reading.resolution(spot.document, node.start, node.name).bindings.get(node)
        for value in binding.values if binding is not None else ():
            if isinstance(value, nodes.DictExpr):
                yield from _entries(spot, value)
    elif isinstance(node, nodes.PropertyExpr):
        for entry in _entries(spot, node.receiver):
            if isinstance(entry.key, nodes.LiteralExpr) and entry.key.value == node.name.text:
                yield from _entries(spot, entry.value)


def _reminder_provider(files: Workspace, document: Document, offset: int) -> Iterator[types.Location]:
    """Yield the file of the canonical reminder provider that a string names."""
    node = document.way_to(offset)[-1]
    if isinstance(node, nodes.LiteralExpr) and node.kind == "string":
        file = module_file(f"{_REMINDER_PROVIDERS}/{node.value}")
        target = None if file is None else files.file(file)
        if target is not None:
            declared = (node for node in target.module.statements if isinstance(node, nodes.FnDecl))
            own = next((node.name for node in declared if node.is_pub), None)
            yield target.location(own or Span(0, 0))
