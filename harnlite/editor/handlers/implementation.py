"""Go to implementation: the structs of an interface, the implementations of a method, the impls of a struct."""

from __future__ import annotations

from harnlite.editor.names.conformance import Type, impls_of, types_in
from harnlite.editor.names.symbols import INTERFACE, METHOD, STRUCT, symbol_at
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from lsprotocol import types

    from harnlite.editor.names.symbols import Symbol
    from harnlite.editor.texts.documents import Document
    from harnlite.editor.texts.workspace import Workspace

    Place = tuple[Document, nodes.Ident]


def implementation(files: Workspace, params: types.ImplementationParams) -> list[types.Location]:
    """Return the structs that satisfy an interface, the methods that implement one, or the impl blocks of a struct."""
    document = files.document(params.text_document.uri)
    symbol = symbol_at(files, document, document.offset(params.position))
    if symbol is None or symbol.document is None:
        return []
    return [other.location(name) for other, name in _places(files, symbol, symbol.document)]


def _places(files: Workspace, symbol: Symbol, document: Document) -> Iterator[Place]:
    if symbol.kind == STRUCT:
        yield from ((document, block.name) for block in impls_of(document, symbol.name))
    elif symbol.kind in {INTERFACE, METHOD}:
        block = symbol.node if symbol.kind == INTERFACE else None
        names = (
            [method.name.text for method in block.methods] if isinstance(block, nodes.InterfaceDecl) else [symbol.name]
        )
        known = types_in((document, *files.files()), names)
        interface = next((kind for kind in known if kind.is_interface and _is_meant(kind, symbol)), None)
        for kind in known:
            if interface is not None and kind.satisfies(interface):
                name = kind.decl.name if symbol.kind == INTERFACE else kind.methods[symbol.name].name
                yield kind.document, name


def _is_meant(kind: Type, symbol: Symbol) -> bool:
    if symbol.kind == INTERFACE:
        return kind.decl is symbol.node
    return symbol.is_same(kind.method(symbol.name))
