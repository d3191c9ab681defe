"""Infer the results of functions without a declared result from their `return` statements, without checking them."""

from __future__ import annotations

from harnlite.analysis.linting.context.closure_results import own_nodes, results_of
from harnlite.analysis.linting.context.constant_values import Function
from harnlite.analysis.types.environment import lookup_type
from harnlite.analysis.types.nominal import EnumInfo, StructInfo
from harnlite.analysis.types.representation import NIL, STRING, Applied, Nominal, Type, join
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.analysis.types.environment import Scope

_LEAVING = (nodes.ReturnStmt, nodes.ThrowStmt)


def returned(decl: nodes.FnDecl, scope: Scope, own: Type | None = None) -> Type | None:
    """Return the result of a function if it constructs every value that it returns; `own` is the type of `self`."""
    body = decl.body
    if body is None or decl.is_gen:
        return None
    known: dict[str, Type | None] = {"self": own}
    for node in own_nodes(body):
        if isinstance(node, nodes.LetStmt) and isinstance(node.pattern, nodes.NamePattern):
            name = node.pattern.name
            kind = _made(node.value, scope)
            known[name] = None if name in known or kind is NIL else kind
    found = [result.node for result in results_of(Function(decl))]
    kinds = [known.get(node.name) if isinstance(node, nodes.NameExpr) else _made(node, scope) for node in found]
    if not kinds:
        return None
    return join(kinds) if isinstance(body.statements[-1], _LEAVING) else join((*kinds, NIL))


def _made(node: nodes.Expr, scope: Scope) -> Type | None:
    maker = _MAKERS.get(type(node))
    return None if maker is None else maker(node, scope)


def _struct(name: str, scope: Scope) -> Type | None:
    info = lookup_type(scope, name)
    return Nominal(info) if isinstance(info, StructInfo) else None


def _call(node: nodes.CallExpr, scope: Scope) -> Type | None:
    return _struct(node.callee.name, scope) if isinstance(node.callee, nodes.NameExpr) else None


def _variant(node: nodes.MethodCallExpr | nodes.PropertyExpr, scope: Scope) -> Type | None:
    info = lookup_type(scope, node.receiver.name) if isinstance(node.receiver, nodes.NameExpr) else None
    return Nominal(info) if isinstance(info, EnumInfo) else None


def _list(node: nodes.ListExpr, scope: Scope) -> Type | None:
    item = join(_made(item, scope) for item in node.items)
    return Applied("list", (item,)) if node.items and item is not None else None


_MAKERS: dict[type, Callable[..., Type | None]] = {
    nodes.StructExpr: lambda node, scope: _struct(node.name.text, scope),
    nodes.CallExpr: _call,
    nodes.MethodCallExpr: _variant,
    nodes.PropertyExpr: _variant,
    nodes.ListExpr: _list,
    nodes.TemplateExpr: lambda _node, _scope: STRING,
    nodes.LiteralExpr: lambda node, _scope: NIL if node.kind == "nil" else None,
}
