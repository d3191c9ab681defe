"""Functions and types that imports bring into a file, found without running the imported files."""

from __future__ import annotations

from harnlite.analysis.types.environment import Binding, Scope, declare_type
from harnlite.analysis.types.hoisting import hoist_methods, hoist_names
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Protocol

    from harnlite.analysis.types.environment import TypeInfo
    from harnlite.diagnostics.source import Source

    class ImportResolver(Protocol):
        """A callable that finds the tree of an imported file; it returns the same object each time."""

        def __call__(self, importer: str | None, path: str) -> ImportedModule | None:
            """Return the module that an import path in a file refers to, or None if it cannot be found or parsed."""

    Face = tuple[dict[str, Binding], dict[str, TypeInfo]]


_CROSSING = (nodes.FnDecl, nodes.StructDecl, nodes.EnumDecl, nodes.InterfaceDecl, nodes.TypeDecl)


class ImportedModule:
    """The source and the tree of an imported file."""

    __slots__ = ("module", "source")

    def __init__(self, source: Source, module: nodes.Module) -> None:
        self.source = source
        self.module = module


class Faces:
    """The declarations of the modules that a file imports, directly or indirectly, each computed once."""

    __slots__ = ("resolve", "scopes")

    def __init__(self, resolve: ImportResolver) -> None:
        self.resolve = resolve
        self.scopes: dict[int, tuple[Scope, bool]] = {}

    def scope_of(self, target: ImportedModule) -> tuple[Scope, bool]:
        """Return the top-level scope of a module, and whether all its own imports were found."""
        known = self.scopes.get(id(target.module))
        if known is not None:
            return known
        scope = Scope(None)
        self.scopes[id(target.module)] = scope, True
        statements = target.module.statements
        hoist_names(scope, statements, target.source)
        complete = self.bring_all(scope, statements, target.source.path)
        hoist_methods(scope, statements, target.source)
        self.scopes[id(target.module)] = scope, complete
        return scope, complete

    def bring_all(self, scope: Scope, statements: Sequence[nodes.Stmt], importer: str | None) -> bool:
        """Declare the imported names of a file in a scope; return whether all imported files were found."""
        complete = True
        for statement in statements:
            if isinstance(statement, nodes.ImportDecl):
                target = self.resolve(importer, statement.path)
                if target is None:
                    complete = False
                    _bring_unknown(scope, statement)
                else:
                    complete = self._bring(scope, statement, target) and complete
        return complete

    def _bring(self, scope: Scope, node: nodes.ImportDecl, target: ImportedModule) -> bool:
        inner, complete = self.scope_of(target)
        names = [name.text for name in node.names] if node.names is not None else self.exports(target)
        for name in names:
            binding = inner.names.get(name)
            info = inner.types.get(name) if inner.types else None
            if info is not None:
                if scope.types is None or name not in scope.types:
                    declare_type(scope, name, info)
            elif binding is None and node.names is not None:
                binding = Binding(name, "import")
            if binding is not None:
                scope.names.setdefault(name, binding)
        return complete

    def exports(self, target: ImportedModule) -> list[str]:
        """Return the names that an import of the whole module brings in."""
        declared = [node for node in target.module.statements if isinstance(node, _CROSSING)]
        public = [node for node in declared if node.is_pub]
        forwards = any(isinstance(node, nodes.ImportDecl) and node.is_pub for node in target.module.statements)
        names = [node.name.text for node in (public if public or forwards else declared)]
        for node in target.module.statements:
            if isinstance(node, nodes.ImportDecl) and node.is_pub:
                inner = self.resolve(target.source.path, node.path)
                if node.names is not None:
                    names.extend(name.text for name in node.names)
                elif inner is not None and inner.module is not target.module:
                    names.extend(self._reexports(inner, {id(target.module)}))
        return names

    def offered(self, target: ImportedModule) -> set[str] | None:
        """Return all names that can be imported from a module by name, or None if they are unknown."""
        if not self.scope_of(target)[1]:
            return None
        private = {node.name.text for node in target.module.statements if isinstance(node, _CROSSING)}
        return private.union(self.exports(target))

    def _reexports(self, target: ImportedModule, seen: set[int]) -> Iterator[str]:
        if id(target.module) not in seen:
            seen.add(id(target.module))
            yield from self.exports(target)


class Brought:
    """The names that the imports of a file bring in, and the declarations of their types."""

    __slots__ = ("complete", "names", "types")

    def __init__(self) -> None:
        self.complete = True
        self.names: frozenset[str] = frozenset()
        self.types: dict[str, nodes.Decl] = {}


def brought_by(resolve: ImportResolver, statements: Sequence[nodes.Stmt], importer: str | None) -> Brought:
    """Return the names that the imports of a file bring in, and their types with the types that these refer to."""
    found = Brought()
    if not any(isinstance(statement, nodes.ImportDecl) for statement in statements):
        return found
    faces, scope = Faces(resolve), Scope(None)
    found.complete = faces.bring_all(scope, statements, importer)
    found.names = frozenset((*scope.names, *(scope.types or ())))
    for place in (scope, *(inner for inner, _complete in faces.scopes.values())):
        for name, info in (place.types or {}).items():
            decl = getattr(info, "decl", None)
            if decl is not None:
                found.types.setdefault(name, decl)
    return found


def _bring_unknown(scope: Scope, node: nodes.ImportDecl) -> None:
    for name in node.names or ():
        scope.names.setdefault(name.text, Binding(name.text, "import"))
