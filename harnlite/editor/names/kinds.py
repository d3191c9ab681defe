"""The kinds of names, which editors use for highlighting."""

from __future__ import annotations

import os
from functools import cached_property

from harnlite.analysis.builtins.declarations import GLOBAL_VALUES
from harnlite.analysis.names.scopes import has_const
from harnlite.analysis.types.hoisting import bound_names
from harnlite.analysis.types.representation import BASES, CONTAINERS
from harnlite.editor.names.modules import brought_in
from harnlite.editor.names.token_types import MODIFIERS
from harnlite.editor.names.wording import is_deprecated
from harnlite.resources import folder
from harnlite.syntax import nodes
from harnlite.syntax.visitor import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from harnlite.analysis.names.scopes import Binding
    from harnlite.editor.names.modules import Origin
    from harnlite.editor.texts.documents import Document
    from harnlite.editor.texts.workspace import Workspace

    Kind = tuple[str, int]

DECLARATION, READONLY, DEPRECATED, LIBRARY, DOCUMENTATION = (1 << bit for bit in range(len(MODIFIERS)))

_DECLARED: dict[type[nodes.Node], str] = {
    nodes.FnDecl: "function",
    nodes.PipelineDecl: "function",
    nodes.OverrideDecl: "function",
    nodes.ToolDecl: "function",
    nodes.StructDecl: "struct",
    nodes.EnumDecl: "enum",
    nodes.InterfaceDecl: "interface",
    nodes.TypeDecl: "type",
    nodes.SkillDecl: "variable",
    nodes.TypeParam: "typeParameter",
    nodes.AssociatedType: "type",
    nodes.Variant: "enumMember",
    nodes.Param: "parameter",
    nodes.Field: "property",
    nodes.SkillField: "property",
}
"""The kind of a declared name, by the declaration."""

_BOUND = {
    "param": "parameter",
    "fn": "function",
    "tool": "function",
    "struct": "struct",
    "enum": "enum",
    "interface": "interface",
    "type": "type",
}
"""The kind of a name, by its binding, if it is not a variable."""

_TYPES = (nodes.StructDecl, nodes.EnumDecl, nodes.InterfaceDecl, nodes.TypeDecl)
_CONSTANT = frozenset({"let", "const", "skill"})
_GLOBALS: Mapping[str, Kind] = {
    **dict.fromkeys(GLOBAL_VALUES, ("variable", READONLY | LIBRARY)),
    "Result": ("enum", LIBRARY),
}
_WRITTEN_TYPES = frozenset(BASES) | CONTAINERS
_NOT_A_NAME = frozenset({"nil"})


def kinds_of(
    files: Workspace, document: Document, roots: Iterable[nodes.Node], around: int | None = None
) -> tuple[dict[int, Kind], bool]:
    """Return the kinds of the names below some nodes of a file, by offset, and whether other names depend on the nodes.

    The names of type parameters, and of types that are declared inside a block, have their kinds in the whole file. If
    the nodes are in one top-level statement, `around` is an offset in that statement.
    """
    namer = _Namer(files, document, around)
    for root in roots:
        namer.name(root)
    return namer.found, bool(namer.type_params) or namer.has_inner_types


def circumstances_of(files: Workspace, document: Document) -> object:
    """Return what the kinds of names depend on besides the statements of their block, as a comparable value."""
    brought: object = None
    if any(isinstance(node, nodes.ImportDecl) for node in document.module.statements):
        namer = _Namer(files, document)
        brought = {name: namer.imported(name) for name in namer.brought}
    return has_const(document.module, document.text), brought, declared_by(document.module.statements)


def declared_by(statements: Iterable[nodes.Stmt]) -> list[object]:
    """Return what the statements of a block declare, in order, as comparable values."""
    found: list[object] = []
    for node in statements:
        if isinstance(node, nodes.LetStmt):
            found.append((node.kind, *bound_names((node,))))
        elif isinstance(node, nodes.Decl):
            name = getattr(node, "name", None)
            found.append((type(node), name and name.text, _deprecation(node)))
    return found


class _Namer:
    """A walk over a tree; the kind that an outer node gives to a name has priority over the name's own kind."""

    def __init__(self, files: Workspace, document: Document, around: int | None = None) -> None:
        self.files = files
        self.document = document
        self.declarations = files.declarations
        self.resolution = document.resolution if around is None else document.resolution_at(around)
        self.found: dict[int, Kind] = {}
        self.has_inner_types = False
        self.type_params: set[str] = set()

    @cached_property
    def brought(self) -> dict[str, Origin]:
        """Return the imported names of the file."""
        return brought_in(self.files, self.document)

    @cached_property
    def library(self) -> str:
        """Return the folder of the standard library."""
        return folder("stdlib") + os.sep

    def name(self, root: nodes.Node) -> None:
        """Find the kinds of all names below a node."""
        for node in walk(root):
            visit = _VISITS.get(type(node))
            if visit is not None:
                visit(self, node)

    def put(self, start: int, kind: str, modifiers: int = 0) -> None:
        """Record the kind of a name, unless it has one."""
        self.found.setdefault(start, (kind, modifiers))

    # Kinds by meaning

    def meant(self, node: nodes.Node, name: str) -> Kind:
        """Return the kind of a name that is read."""
        binding = self.resolution.bindings.get(node)
        return self.bound(binding) if binding is not None else self.free(name)

    def bound(self, binding: Binding) -> Kind:
        """Return the kind of a name that this file binds."""
        if binding.kind == "import":
            return self.imported(binding.name)
        modifiers = READONLY if binding.kind in _CONSTANT and not binding.mutable else 0
        return _BOUND.get(binding.kind, "variable"), modifiers | _deprecation(binding.decl)

    def imported(self, name: str) -> Kind:
        """Return the kind of a name that another file declares."""
        origin = self.brought.get(name)
        if origin is None:
            return "variable", 0
        library = LIBRARY if origin.document.path.startswith(self.library) else 0
        return _DECLARED[type(origin.decl)], library | _deprecation(origin.decl)

    def free(self, name: str) -> Kind:
        """Return the kind of a name that this file does not bind."""
        if name in self.brought:
            return self.imported(name)
        if name in self.declarations.entries:
            return "function", LIBRARY
        if name in self.declarations.namespaces:
            return "namespace", LIBRARY
        return _GLOBALS.get(name, ("variable", 0))

    def type(self, name: str) -> Kind:
        """Return the kind of the name of a type."""
        decl = self.resolution.types.get(name)
        if decl is not None:
            return _DECLARED[type(decl)], _deprecation(decl)
        if name in self.type_params:
            return "typeParameter", 0
        if name in self.brought:
            return self.imported(name)
        if name in _GLOBALS:
            return _GLOBALS[name]
        return "type", LIBRARY if name in _WRITTEN_TYPES else 0

    def member(self, receiver: nodes.Expr, name: nodes.Ident, kind: str) -> None:
        """Record the kinds of a name after a dot and of its receiver."""
        modifiers = 0
        if isinstance(receiver, nodes.NameExpr):
            binding = self.resolution.bindings.get(receiver)
            if binding is None and receiver.name in self.declarations.namespaces:
                self.put(receiver.start, "namespace", LIBRARY)
                is_builtin = f"{receiver.name}.{name.text}" in self.declarations.entries
                kind, modifiers = ("function", LIBRARY) if is_builtin else (kind, 0)
            elif self.meant(receiver, receiver.name)[0] == "enum":
                kind, modifiers = "enumMember", READONLY
        self.put(name.start, kind, modifiers)


def _deprecation(decl: nodes.Node) -> int:
    """Return the modifier of a deprecated declaration, else 0."""
    return DEPRECATED if is_deprecated(decl) else 0


# Nodes


def _declaration(n: _Namer, node: Any) -> None:  # noqa: ANN401 - one of the types in _DECLARED
    if isinstance(node, _TYPES) and n.document.statement_at(node.start) is not node:
        n.has_inner_types = True
    constant = READONLY if isinstance(node, nodes.Variant | nodes.SkillDecl) else 0
    n.put(node.name.start, _DECLARED[type(node)], DECLARATION | constant | _deprecation(node))


def _fn(n: _Namer, node: nodes.FnDecl) -> None:
    namespace, _, member = node.name.text.rpartition(".")
    if namespace:
        n.put(node.name.start, "namespace", LIBRARY)
        n.put(node.name.end - len(member), "function", DECLARATION | LIBRARY)
    _declaration(n, node)


def _parallel(n: _Namer, node: nodes.ParallelExpr) -> None:
    if node.as_stream:
        n.put(node.end - len("stream"), "keyword")
    if node.max_concurrent is not None:
        n.put(n.document.text.rfind("max_concurrent", node.source.end, node.max_concurrent.start), "property")


def _methods(n: _Namer, node: nodes.ImplDecl | nodes.InterfaceDecl) -> None:
    for method in node.methods:
        n.put(method.name.start, "method", DECLARATION | _deprecation(method))
    if isinstance(node, nodes.ImplDecl):
        n.put(node.name.start, *n.meant(node.name, node.name.text))
    else:
        n.type_params.update(one.name.text for one in node.associated)
        _declaration(n, node)


def _pipeline(n: _Namer, node: nodes.PipelineDecl) -> None:
    _declaration(n, node)
    if node.extends is not None:
        n.put(node.extends.start, "function")


def _tool(n: _Namer, node: nodes.ToolDecl) -> None:
    _declaration(n, node)
    if node.description is not None:
        n.put(n.document.text.rfind("description", node.start, node.description.start), "property")


def _type_param(n: _Namer, node: nodes.TypeParam) -> None:
    n.type_params.add(node.name.text)
    _declaration(n, node)


def _bound(n: _Namer, node: nodes.WhereBound) -> None:
    n.put(node.param.start, "typeParameter")


def _import(n: _Namer, node: nodes.ImportDecl) -> None:
    for name in node.names or ():
        n.put(name.start, *n.imported(name.text))


def _attribute(n: _Namer, node: nodes.Attribute) -> None:
    n.put(node.name.start, "decorator")
    for arg in node.args:
        if arg.key is not None:
            n.put(arg.start, "property")


def _name(n: _Namer, node: nodes.NameExpr) -> None:
    n.put(node.start, *n.meant(node, node.name))


def _ident(n: _Namer, node: nodes.Ident) -> None:
    binding = n.resolution.bindings.get(node)
    if binding is not None:
        _pattern(n, node)


def _pattern(n: _Namer, node: nodes.Node) -> None:
    """Record a name that a pattern binds."""
    binding = n.resolution.bindings.get(node)
    kind, modifiers = n.bound(binding) if binding is not None else ("variable", 0)
    n.put(node.start, kind, modifiers | DECLARATION)


def _key(n: _Namer, node: nodes.DictEntry) -> None:
    if not node.computed and node.key.start != node.value.start:
        n.put(node.key.start, "property")


def _pattern_key(n: _Namer, node: nodes.DictPatternEntry) -> None:
    if node.key.start != node.name.start:
        n.put(node.key.start, "property")


def _match_key(n: _Namer, node: nodes.DictMatchEntry) -> None:
    if node.key.start != node.pattern.start:
        n.put(node.key.start, "property")


def _struct(n: _Namer, node: nodes.StructExpr) -> None:
    binding = n.resolution.bindings.get(node.name)
    n.put(node.name.start, *(n.bound(binding) if binding is not None else n.type(node.name.text)))


def _variant(n: _Namer, node: nodes.VariantPattern) -> None:
    n.put(node.enum.start, *n.meant(node.enum, node.enum.text))
    n.put(node.variant.start, "enumMember", READONLY)


def _property(n: _Namer, node: nodes.PropertyExpr) -> None:
    n.member(node.receiver, node.name, "property")


def _method_call(n: _Namer, node: nodes.MethodCallExpr) -> None:
    n.member(node.receiver, node.name, "method")


def _type(n: _Namer, node: nodes.NamedType) -> None:
    if node.name not in _NOT_A_NAME and n.document.text.startswith(node.name, node.start):
        n.put(node.start, *n.type(node.name))


_VISITS: dict[type[nodes.Node], Callable[[_Namer, Any], None]] = {
    **dict.fromkeys(_DECLARED, _declaration),
    nodes.FnDecl: _fn,
    nodes.ParallelExpr: _parallel,
    nodes.InterfaceDecl: _methods,
    nodes.ImplDecl: _methods,
    nodes.PipelineDecl: _pipeline,
    nodes.ToolDecl: _tool,
    nodes.TypeParam: _type_param,
    nodes.WhereBound: _bound,
    nodes.ImportDecl: _import,
    nodes.Attribute: _attribute,
    nodes.NameExpr: _name,
    nodes.Ident: _ident,
    nodes.NamePattern: _pattern,
    nodes.BindPattern: _pattern,
    nodes.DictEntry: _key,
    nodes.DictPatternEntry: _pattern_key,
    nodes.DictMatchEntry: _match_key,
    nodes.StructExpr: _struct,
    nodes.VariantPattern: _variant,
    nodes.PropertyExpr: _property,
    nodes.MethodCallExpr: _method_call,
    nodes.NamedType: _type,
}
