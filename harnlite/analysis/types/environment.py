"""Scopes of the type checker: the values and types that each name is bound to, block by block."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container
    from typing import TypeAlias

    from harnlite.analysis.types.nominal import AliasInfo, EnumInfo, InterfaceInfo, Signature, StructInfo
    from harnlite.analysis.types.representation import Parameter, Type
    from harnlite.diagnostics.source import Source
    from harnlite.syntax.nodes import FnDecl

    TypeInfo: TypeAlias = StructInfo | EnumInfo | InterfaceInfo | AliasInfo | Parameter

FN, CLOSURE = "fn", "closure"  # barriers: a fn sees all bindings of the enclosing blocks, a closure only those above it


class Binding:
    """One name in one block."""

    __slots__ = (
        "annotated",
        "end",
        "home",
        "info",
        "inner",
        "kind",
        "mutable",
        "name",
        "nilable",
        "root",
        "signature",
        "start",
        "type",
        "widened",
    )

    def __init__(self, name: str, kind: str, type_: Type | None = None, start: int = 0, end: int = 0) -> None:
        self.name = name
        self.kind = kind
        self.type = type_
        self.start = start
        self.end = end
        self.mutable = False
        self.annotated = False
        self.nilable = False
        self.widened: Type | None = None
        self.home: FnHome | None = None
        self.signature: Signature | None = None
        self.info: StructInfo | EnumInfo | None = None
        self.inner: dict[str, Binding] | None = None
        self.root: Binding | None = None


class FnHome:
    """The declaration of a fn, with its scope and source."""

    __slots__ = ("decl", "scope", "source")

    def __init__(self, decl: FnDecl, scope: Scope, source: Source) -> None:
        self.decl = decl
        self.scope = scope
        self.source = source


class Scope:
    """One block: its values, its types, and the names that are bound later in it."""

    __slots__ = ("barrier", "names", "parent", "pending", "types")

    def __init__(self, parent: Scope | None, barrier: str = "") -> None:
        self.parent = parent
        self.barrier = barrier
        self.names: dict[str, Binding] = {}
        self.types: dict[str, TypeInfo] | None = None
        self.pending: Container[str] = ()


_LATER = Binding("", "later")


def lookup(scope: Scope | None, name: str) -> Binding | None:
    """Return the binding of a name in a scope; the fns of a block also see the names that are bound later in it."""
    crossed = False
    while scope is not None:
        found = scope.names.get(name)
        if found is not None:
            return found
        if crossed and name in scope.pending:
            return _LATER
        crossed = crossed or scope.barrier == FN
        scope = scope.parent
    return None


def lookup_outer(scope: Scope | None, name: str, inner: Binding) -> Binding | None:
    """Return the binding of a name outside the block that contains the inner binding."""
    while scope is not None:
        if scope.names.get(name) is inner:
            return lookup(scope.parent, name)
        scope = scope.parent
    return None


def lookup_type(scope: Scope | None, name: str) -> TypeInfo | None:
    """Return the type declaration of a name if one is visible."""
    while scope is not None:
        if scope.types is not None:
            found = scope.types.get(name)
            if found is not None:
                return found
        scope = scope.parent
    return None


def declare_type(scope: Scope, name: str, info: TypeInfo) -> None:
    """Declare a type in a block."""
    if scope.types is None:
        scope.types = {}
    scope.types[name] = info


def visible_names(scope: Scope | None) -> set[str]:
    """Return all names that are bound in a scope or around it."""
    names: set[str] = set()
    while scope is not None:
        names.update(scope.names)
        scope = scope.parent
    return names
