"""Which structs satisfy which interfaces: those that have all its methods, whether or not anybody says so."""

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
        """Say whether this is an interface."""
        return isinstance(self.decl, nodes.InterfaceDecl)

    def satisfies(self, other: Type) -> bool:
        """Say whether this is a struct, and the other one an interface of which it has all methods."""
        if self.is_interface or not other.is_interface:
            return False
        return bool(other.methods) and self.methods.keys() >= other.methods.keys()

    def method(self, name: str) -> Symbol | None:
        """Return the method of a name."""
        node = self.methods.get(name)
        return None if node is None else declared(self.document, node, self.decl.name.text, METHOD)


def impls_of(document: Document, struct: str) -> Iterator[nodes.ImplDecl]:
    """Yield the impl blocks that give a struct of a file its methods."""
    for node in document.module.statements:
        if isinstance(node, nodes.ImplDecl) and node.name.text == struct:
            yield node


def types_in(documents: Iterable[Document], names: Iterable[str]) -> list[Type]:
    """Return all structs and interfaces of those files in which some names stand."""
    found = {document.path: document for document in documents}
    return [
        Type(document, node)
        for document in found.values()
        if all(name in document.text for name in names)
        for node in document.module.statements
        if isinstance(node, (nodes.StructDecl, nodes.InterfaceDecl))
    ]


def family_of(symbol: Symbol, documents: Iterable[Document]) -> list[Symbol]:
    """Return all methods in some files that must have one name: those of an interface and those that carry it out."""
    family, known = _owners_of(symbol, documents)
    for kind in family:  # grows as it is walked over
        family += [other for other in known if other not in family and _are_related(kind, other)]
    return _methods(family, symbol)


def relatives_of(symbol: Symbol, documents: Iterable[Document]) -> list[Symbol]:
    """Return a method, and those in some files that a call of it may mean, or a call of which may mean it."""
    own, known = _owners_of(symbol, documents)
    return _methods([*own, *(kind for kind in known if any(_are_related(kind, other) for other in own))], symbol)


def _owners_of(symbol: Symbol, documents: Iterable[Document]) -> tuple[list[Type], list[Type]]:
    """Return the type that a method belongs to, and all that have a method of that name."""
    if symbol.kind != METHOD or symbol.document is None:
        return [], []
    known = [kind for kind in types_in((symbol.document, *documents), [symbol.name]) if symbol.name in kind.methods]
    return [kind for kind in known if symbol.is_same(kind.method(symbol.name))], known


def _are_related(one: Type, other: Type) -> bool:
    return one.satisfies(other) or other.satisfies(one)


def _methods(found: Iterable[Type], symbol: Symbol) -> list[Symbol]:
    methods = (kind.method(symbol.name) for kind in found)
    return [method for method in methods if method is not None] or [symbol]
