"""Which structs satisfy which interfaces: those that have all its methods, whether or not anybody says so."""

from __future__ import annotations

from harnlite.editor.names.symbols import METHOD, Symbol, declared
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from harnlite.editor.documents import Document
    from harnlite.editor.workspace import Workspace

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

    def satisfies(self, interface: Type) -> bool:
        """Say whether this is a struct that has all methods of an interface."""
        return not self.is_interface and bool(interface.methods) and self.methods.keys() >= interface.methods.keys()

    def method(self, name: str) -> Symbol | None:
        """Return the method of a name."""
        node = self.methods.get(name)
        return None if node is None else declared(self.document, node, self.decl.name.text, METHOD)


def impls_of(document: Document, struct: str) -> Iterator[nodes.ImplDecl]:
    """Yield the impl blocks that give a struct of a file its methods."""
    for node in document.module.statements:
        if isinstance(node, nodes.ImplDecl) and node.name.text == struct:
            yield node


def types_in(files: Workspace, document: Document, names: Iterable[str]) -> list[Type]:
    """Return all structs and interfaces of the files in which some names stand, those of one file first."""
    found = {other.path: other for other in (document, *files.files())}
    return [
        Type(other, node)
        for other in found.values()
        if all(name in other.text for name in names)
        for node in other.module.statements
        if isinstance(node, (nodes.StructDecl, nodes.InterfaceDecl))
    ]


def family_of(files: Workspace, symbol: Symbol) -> list[Symbol]:
    """Return all methods that must have one name: a method of an interface and those that carry it out."""
    if symbol.kind != METHOD or symbol.document is None:
        return [symbol]
    known = [kind for kind in types_in(files, symbol.document, [symbol.name]) if symbol.name in kind.methods]
    family = [kind for kind in known if symbol.is_same(kind.method(symbol.name))]
    for kind in family:  # grows as it is walked over
        family += [other for other in known if other not in family and (other.satisfies(kind) or kind.satisfies(other))]
    return [found for kind in family if (found := kind.method(symbol.name)) is not None] or [symbol]
