"""Imports and exports: the declaration that an imported name refers to, across any number of files."""

from __future__ import annotations

from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnlite.editor.texts.documents import Document
    from harnlite.editor.texts.workspace import Workspace

CROSSING = (nodes.FnDecl, nodes.StructDecl, nodes.EnumDecl, nodes.InterfaceDecl, nodes.TypeDecl)
"""The declarations that other files can import."""
_Crossing = nodes.FnDecl | nodes.StructDecl | nodes.EnumDecl | nodes.InterfaceDecl | nodes.TypeDecl

_IMPORT = "import"
"""Files without this word have no imports, so they need not be parsed to find any."""


class Origin:
    """A declaration and its file."""

    __slots__ = ("decl", "document")

    def __init__(self, document: Document, decl: _Crossing) -> None:
        self.document = document
        self.decl = decl


def imports_of(document: Document) -> Iterator[nodes.ImportDecl]:
    """Yield the imports of a file."""
    statements = document.module.statements if _IMPORT in document.text else ()
    return (node for node in statements if isinstance(node, nodes.ImportDecl))


def crossing_of(document: Document) -> Iterator[_Crossing]:
    """Yield the importable declarations of a file."""
    return (node for node in document.module.statements if isinstance(node, CROSSING) and node.name.text)


def exported(files: Workspace, document: Document) -> dict[str, Origin]:
    """Return the names that an import of a whole file brings in."""
    return _exported(files, document, frozenset())


def _exported(files: Workspace, document: Document, visited: frozenset[str]) -> dict[str, Origin]:
    if document.path in visited:
        return {}
    visited |= {document.path}
    declared = list(crossing_of(document))
    public = [decl for decl in declared if decl.is_pub]
    forwarding = [node for node in imports_of(document) if node.is_pub]
    found = {decl.name.text: Origin(document, decl) for decl in (public if public or forwarding else declared)}
    for node in forwarding:
        found = {**_brought(files, document, node, visited), **found}
    return found


def _brought(
    files: Workspace, document: Document, node: nodes.ImportDecl, visited: frozenset[str]
) -> dict[str, Origin]:
    target = files.imported(document, node.path)
    if target is None:
        return {}
    if node.names is None:
        return _exported(files, target, visited)
    found = ((name.text, _named(files, target, name.text, visited)) for name in node.names)
    return {name: origin for name, origin in found if origin is not None}


def _named(files: Workspace, document: Document, name: str, visited: frozenset[str]) -> Origin | None:
    own = next((decl for decl in crossing_of(document) if decl.name.text == name), None)
    return Origin(document, own) if own is not None else _exported(files, document, visited).get(name)


def brought_in(files: Workspace, document: Document) -> dict[str, Origin]:
    """Return all imported names of a file; of two imports with the same name, the first one counts."""
    found: dict[str, Origin] = {}
    for node in imports_of(document):
        found = {**_brought(files, document, node, frozenset({document.path})), **found}
    return found


def builtin_of(files: Workspace, name: str) -> Origin | None:
    """Return the declaration of a builtin; the name of a builtin in a namespace is dotted."""
    if name not in files.declarations.entries:
        return None
    found = (node for node in files.builtins.module.statements if isinstance(node, nodes.FnDecl))
    decl = next((node for node in found if node.name.text == name), None)
    return None if decl is None else Origin(files.builtins, decl)


def origin_of(files: Workspace, document: Document, name: str) -> Origin | None:
    """Return the declaration that an imported name of a file refers to."""
    for node in imports_of(document):
        if node.names is None or any(ident.text == name for ident in node.names):
            found = _brought(files, document, node, frozenset({document.path})).get(name)
            if found is not None:
                return found
    return None
