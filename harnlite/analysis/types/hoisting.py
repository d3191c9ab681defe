"""Declarations of a block: functions and types exist in the whole block, other bindings from their line on."""

from __future__ import annotations

from harnlite.analysis.types.annotations import type_scope
from harnlite.analysis.types.environment import Binding, FnHome, Scope, declare_type, lookup_type
from harnlite.analysis.types.nominal import AliasInfo, EnumInfo, InterfaceInfo, MethodInfo, StructInfo
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from harnlite.diagnostics.source import Source

_LOOKS_AHEAD = frozenset({nodes.FnDecl, nodes.ImplDecl, nodes.ToolDecl, nodes.PipelineDecl, nodes.SkillDecl})
_DECLARES = frozenset(
    {nodes.StructDecl, nodes.EnumDecl, nodes.InterfaceDecl, nodes.TypeDecl, nodes.FnDecl, nodes.ImplDecl}
)
_HOISTED: frozenset[type] = _LOOKS_AHEAD | _DECLARES


def hoist(scope: Scope, statements: Sequence[nodes.Stmt], source: Source) -> None:
    """Declare in a scope the functions, types and methods that exist in the whole block."""
    hoist_names(scope, statements, source)
    hoist_methods(scope, statements, source)


def hoist_methods(scope: Scope, statements: Sequence[nodes.Stmt], source: Source) -> None:
    """Add the methods of the impl blocks of a block to their structs."""
    for statement in statements:
        if isinstance(statement, nodes.ImplDecl):
            _declare_methods(statement, scope, source)


def hoist_names(scope: Scope, statements: Sequence[nodes.Stmt], source: Source) -> None:
    """Declare in a scope the functions and types of a block."""
    found = [statement for statement in statements if statement.__class__ in _HOISTED]
    if not found:
        return
    for statement in found:
        declarer = _TYPES.get(statement.__class__)
        if declarer is not None:
            declarer(statement, scope, source)
    for statement in found:
        if isinstance(statement, nodes.FnDecl):
            _declare_fn(statement, scope, source)
    if any(statement.__class__ in _LOOKS_AHEAD for statement in found):
        scope.pending = frozenset(bound_names(statements))


def _declare_fn(node: nodes.FnDecl, scope: Scope, source: Source) -> None:
    binding = Binding(node.name.text, "fn", None, node.name.start, node.name.end)
    binding.home = FnHome(node, scope, source)
    scope.names[node.name.text] = binding


def _declare_methods(node: nodes.ImplDecl, scope: Scope, source: Source) -> None:
    info = lookup_type(scope, node.name.text)
    if isinstance(info, StructInfo):
        info.has_impl = True
        for method in node.methods:
            info.methods[method.name.text] = MethodInfo(method, scope, source)


def _declare_struct(node: nodes.StructDecl, scope: Scope, source: Source) -> None:
    inner, params = type_scope(node.type_params, scope)
    info = StructInfo(node, inner, source, params)
    declare_type(scope, info.name, info)
    binding = Binding(info.name, "struct", None, node.name.start, node.name.end)
    binding.info = info
    scope.names[info.name] = binding


def _declare_enum(node: nodes.EnumDecl, scope: Scope, source: Source) -> None:
    inner, params = type_scope(node.type_params, scope)
    info = EnumInfo(node.name.text, params, node, inner, source)
    declare_type(scope, info.name, info)
    binding = Binding(info.name, "enum", None, node.name.start, node.name.end)
    binding.info = info
    scope.names[info.name] = binding


def _declare_interface(node: nodes.InterfaceDecl, scope: Scope, source: Source) -> None:
    inner, params = type_scope(node.type_params, scope)
    declare_type(scope, node.name.text, InterfaceInfo(node, inner, source, params))


def _declare_alias(node: nodes.TypeDecl, scope: Scope, source: Source) -> None:
    inner, params = type_scope(node.type_params, scope)
    declare_type(scope, node.name.text, AliasInfo(node, inner, source, params))


_TYPES: dict[type, Callable[..., None]] = {
    nodes.StructDecl: _declare_struct,
    nodes.EnumDecl: _declare_enum,
    nodes.InterfaceDecl: _declare_interface,
    nodes.TypeDecl: _declare_alias,
}


def bound_names(statements: Sequence[nodes.Stmt]) -> Iterator[str]:
    """Yield the names that the statements of a block bind, except declared functions and types."""
    for statement in statements:
        if isinstance(statement, nodes.LetStmt):
            pattern = statement.pattern
            if isinstance(pattern, nodes.NamePattern):
                yield pattern.name
            else:
                yield from (ident.text for ident in pattern_names(pattern))
        elif isinstance(statement, (nodes.ToolDecl, nodes.SkillDecl)):
            yield statement.name.text


def pattern_names(pattern: nodes.Pattern) -> Iterator[nodes.Ident]:
    """Yield the names a pattern binds."""
    if isinstance(pattern, nodes.NamePattern):
        yield nodes.Ident(pattern.start, pattern.end, pattern.name)
    elif isinstance(pattern, nodes.DictPattern):
        yield from (entry.name for entry in pattern.entries)
        if pattern.rest is not None:
            yield pattern.rest
    elif isinstance(pattern, nodes.ListPattern):
        yield from (item.name for item in pattern.items)
        if pattern.rest is not None:
            yield pattern.rest
    elif isinstance(pattern, nodes.PairPattern):
        yield pattern.first
        yield pattern.second
