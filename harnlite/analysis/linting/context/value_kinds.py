"""Find the built-in type that a value certainly has, from literals, declarations and methods."""

from __future__ import annotations

from harnlite.analysis.builtins.methods import METHODS
from harnlite.analysis.types.representation import Applied, Base
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.analysis.linting.context.linted_file import Linting
    from harnlite.analysis.names.scopes import Binding
    from harnlite.analysis.types.representation import Type

_DEEPEST = 8
VALUE_KINDS = frozenset({"list", "string", "dict", "set"})
_MADE = {"set": "set", "set_add": "set", "set_remove": "set"}
"""The result types of builtins that are declared without one."""


def kind_of(linting: Linting, node: nodes.Expr, depth: int = 0) -> str | None:
    """Return "list", "string", "dict" or "set" if an expression certainly has this type."""
    reader = _READERS.get(node.__class__)
    return reader(linting, node, depth) if reader is not None and depth < _DEEPEST else None


def _literal(_linting: Linting, node: nodes.LiteralExpr, _depth: int) -> str | None:
    return "string" if node.kind == "string" else None


def _name(linting: Linting, node: nodes.NameExpr, depth: int) -> str | None:
    """Return the type of a variable if all its values have this type."""
    binding = linting.resolution.bindings.get(node)
    if binding is None:
        return None
    assumed: dict[Binding, str | None] = linting.note("assumed kinds", dict)
    if binding in assumed:
        return assumed[binding]
    if isinstance(binding.decl, nodes.Param):
        return _param(binding.decl)
    assumed[binding] = None
    given = [value for value in binding.values if not isinstance(value, nodes.AssignStmt)]
    kinds = {kind_of(linting, value, depth + 1) if isinstance(value, nodes.Expr) else None for value in given}
    kind = kinds.pop() if len(kinds) == 1 else None
    if kind is not None:
        assumed[binding] = kind
        later = [value for value in binding.values if isinstance(value, nodes.AssignStmt)]
        kind = kind if all(_keeps(linting, value, kind, depth) for value in later) else None
    del assumed[binding]
    return kind


def _param(node: nodes.Param) -> str | None:
    """Return the declared type of a parameter; calls with another type are errors."""
    kind = node.type
    if node.default is not None or node.rest or not isinstance(kind, nodes.NamedType):
        return None
    return kind.name if kind.name in VALUE_KINDS else None


def _keeps(linting: Linting, node: nodes.AssignStmt, kind: str, depth: int) -> bool:
    """Return whether a variable keeps its type in an assignment."""
    if not isinstance(node.target, nodes.NameExpr) or node.op == "+=":
        return True
    return node.op == "=" and kind_of(linting, node.value, depth + 1) == kind


def _sum(linting: Linting, node: nodes.BinaryExpr, depth: int) -> str | None:
    """Return the type of a sum, which is the type of its left operand."""
    left = kind_of(linting, node.left, depth + 1) if node.op == "+" else None
    return left if left in ("list", "string", "dict") else None


def _call(linting: Linting, node: nodes.CallExpr, _depth: int) -> str | None:
    callee = node.callee
    if not isinstance(callee, nodes.NameExpr) or linting.resolution.bindings.get(callee) is not None:
        return None
    head = linting.declarations.signature(callee.name)
    return _MADE.get(callee.name) or (_named(head.result) if head is not None else None)


def _property(linting: Linting, node: nodes.PropertyExpr, depth: int) -> str | None:
    """Return the type of an entry of a dict literal that is bound once and never changed."""
    binding = linting.resolution.bindings.get(node.receiver)
    made = binding.values[0] if binding is not None and len(binding.values) == 1 else None
    if not isinstance(made, nodes.DictExpr):
        return None
    plain = [one for one in made.entries if isinstance(one, nodes.DictEntry) and not one.computed]
    kinds = {
        kind_of(linting, one.value, depth + 1)
        for one in plain
        if isinstance(one.key, nodes.LiteralExpr) and one.key.value == node.name.text
    }
    return kinds.pop() if len(kinds) == 1 and len(plain) == len(made.entries) else None


def _method(linting: Linting, node: nodes.MethodCallExpr, depth: int) -> str | None:
    receiver = kind_of(linting, node.receiver, depth + 1)
    head = METHODS[receiver].get(node.name.text) if receiver is not None else None
    return _named(head.result) if head is not None else None


def _named(kind: Type | None) -> str | None:
    name = kind.name if isinstance(kind, (Base, Applied)) else None
    return name if name in VALUE_KINDS else None


_READERS: dict[type, Callable[..., str | None]] = {
    nodes.LiteralExpr: _literal,
    nodes.TemplateExpr: lambda _linting, _node, _depth: "string",
    nodes.ListExpr: lambda _linting, _node, _depth: "list",
    nodes.DictExpr: lambda _linting, _node, _depth: "dict",
    nodes.NameExpr: _name,
    nodes.BinaryExpr: _sum,
    nodes.PropertyExpr: _property,
    nodes.CallExpr: _call,
    nodes.MethodCallExpr: _method,
}
