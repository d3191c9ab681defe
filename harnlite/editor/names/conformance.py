"""Conformance of structs to interfaces: a struct satisfies an interface if it has all of its methods."""

from __future__ import annotations

from harnlite.editor.names.symbols import METHOD, Symbol, declared
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from harnlite.editor.texts.documents import Document

    Owner = nodes.StructDecl | nodes.InterfaceDecl


class Type:
    """A struct or an interface of a file, and its methods by name."""

    __slots__ = ("decl", "document", "methods")

    def __init__(self, document: Document, decl: Owner) -> None:
        self.document = document
        self.decl = decl
        self.methods: dict[str, nodes.FnDecl] = {}
        found = [decl] if isinstance(decl, nodes.InterfaceDecl) else impls_of(document, decl.name.text)
        for block in found:
            self.methods.update((method.name.text, method) for method in block.methods)

    @property
    def is_interface(self) -> bool:
        """Return whether this is an interface."""
        return isinstance(self.decl, nodes.InterfaceDecl)

    def satisfies(self, other: Type) -> bool:
        """Return whether this is a struct that has all methods of the other type, which is an interface."""
        if self.is_interface or not other.is_interface:
            return False
        return bool(other.methods) and self.methods.keys() >= other.methods.keys()

    def method(self, name: str) -> Symbol | None:
        """Return the method with a name."""
        node = self.methods.get(name)
        return None if node is None else declared(self.document, node, self.decl.name.text, METHOD)


def impls_of(document: Document, struct: str) -> Iterator[nodes.ImplDecl]:
    """Yield the impl blocks of a struct in a file."""
    for node in document.module.statements:
        if isinstance(node, nodes.ImplDecl) and node.name.text == struct:
            yield node


def types_in(documents: Iterable[Document], names: Iterable[str]) -> list[Type]:
    """Return the structs and interfaces of the files that contain all of the names."""
    found = {document.path: document for document in documents}
    return [
        Type(document, node)
        for document in found.values()
        if all(name in document.text for name in names)
        for node in document.module.statements
        if isinstance(node, (nodes.StructDecl, nodes.InterfaceDecl))
    ]


def family_of(symbol: Symbol, documents: Iterable[Document]) -> list[Symbol]:
    """Return the methods that must share a name with this one: those of its interfaces and their implementations."""
    family, known = _owners_of(symbol, documents)
    for kind in family:  # grows during the iteration
        family += [other for other in known if other not in family and _are_related(kind, other)]
    return _methods(family, symbol)


def relatives_of(symbol: Symbol, documents: Iterable[Document]) -> list[Symbol]:
    """Return a method and those related to it: a call of an interface method may call each implementation."""
    own, known = _owners_of(symbol, documents)
    return _methods([*own, *(kind for kind in known if any(_are_related(kind, other) for other in own))], symbol)


def _owners_of(symbol: Symbol, documents: Iterable[Document]) -> tuple[list[Type], list[Type]]:
    """Return the types that a method belongs to, and all types that have a method with its name."""
    if symbol.kind != METHOD or symbol.document is None:
        return [], []
    known = [kind for kind in types_in((symbol.document, *documents), [symbol.name]) if symbol.name in kind.methods]
    return [kind for kind in known if symbol.is_same(kind.method(symbol.name))], known


def _are_related(one: Type, other: Type) -> bool:
    return one.satisfies(other) or other.satisfies(one)


def _methods(found: Iterable[Type], symbol: Symbol) -> list[Symbol]:
    methods = (kind.method(symbol.name) for kind in found)
    return [method for method in methods if method is not None] or [symbol]
