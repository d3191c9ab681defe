"""The inference of the kinds of expressions that are certain from the source.

The inference ignores control flow: a variable has a kind if all values that are ever assigned to it have that kind. A
kind is `int`, `float`, `string`, `bool`, `nil`, `list` or `dict`; None means any kind. Parameters can have any kind,
because their checks accept a float as an int.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnlite.analysis.builtins.method_table import COMPLETE, TABLE
from harnlite.syntax import nodes

if TYPE_CHECKING:
    from harnlite.analysis.builtins.method_table import Method
    from harnlite.analysis.names.scopes import Binding
    from harnlite.compiler.emitter import Emitter

BOTTOM = "bottom"
NUMBERS = frozenset({"int", "float"})
COMPARISONS = frozenset({"==", "!=", "<", ">", "<=", ">=", "in", "not in", "&&", "||"})
FIXED = {
    nodes.ListExpr: "list",
    nodes.DictExpr: "dict",
    nodes.TemplateExpr: "string",
}
RESULT_KINDS = frozenset({"int", "bool", "string", "list", "dict"})
NO_METHODS: dict[str, Method] = {}
OPEN_KINDS = frozenset(
    {"param", "fn", "import", "struct", "enum", "interface", "type", "tool", "skill", "match", "catch", "select"}
)


def join(left: str | None, right: str | None) -> str | None:
    """Return the common kind of two alternatives."""
    if right in (left, BOTTOM):
        return left
    return right if left == BOTTOM else None


def kind_of(c: Emitter, node: nodes.Expr | None) -> str | None:
    """Return the kind of an expression, or None if it is not certain."""
    if node is None:
        return "nil"
    if node.__class__ is nodes.LiteralExpr:
        return None if node.kind == "duration" else node.kind
    if node.__class__ is nodes.NameExpr:
        binding = c.bindings.get(node)
        return None if binding is None else variable_kind(c, binding)
    if node in c.kinds:
        return c.kinds[node]
    kind = _compute(c, node)
    if kind != BOTTOM and not c.guessing:
        c.kinds[node] = kind
    return kind


def _compute(c: Emitter, node: nodes.Expr) -> str | None:
    fixed = FIXED.get(type(node))
    if fixed is not None:
        return fixed
    if isinstance(node, nodes.BinaryExpr):
        return binary_kind(c, node.op, kind_of(c, node.left), kind_of(c, node.right))
    if isinstance(node, nodes.UnaryExpr):
        if node.op == "!":
            return "bool"
        kind = kind_of(c, node.operand)
        return kind if kind in NUMBERS or kind == BOTTOM else None
    if isinstance(node, nodes.TernaryExpr):
        return join(kind_of(c, node.then), kind_of(c, node.otherwise))
    if isinstance(node, nodes.CallExpr):
        return call_kind(c, node)
    if isinstance(node, nodes.MethodCallExpr) and not node.optional:
        return method_kind(c, node)
    return None


def item_kind(c: Emitter, iterable: nodes.Expr) -> str | None:
    """Return the kind of the items in a loop over the result of a built-in method."""
    if not isinstance(iterable, nodes.MethodCallExpr) or iterable.optional:
        return None
    receiver = kind_of(c, iterable.receiver)
    if receiver == BOTTOM:
        return BOTTOM
    row = TABLE.get(receiver or "", NO_METHODS).get(iterable.name.text)
    return "string" if row is not None and row.holds == "list<string>" else None


def method_kind(c: Emitter, node: nodes.MethodCallExpr) -> str | None:
    """Return the kind of the result of a built-in method."""
    receiver = kind_of(c, node.receiver)
    if receiver == BOTTOM:
        return BOTTOM
    row = TABLE.get(receiver or "", NO_METHODS).get(node.name.text)
    if row is None or row.result not in RESULT_KINDS:
        return None
    if COMPLETE in row.traits or row.calls:
        is_spread = any(isinstance(one, nodes.SpreadExpr) for one in node.args)
        return None if is_spread or len(node.args) < len(row.params) else row.result
    return row.result


def call_kind(c: Emitter, node: nodes.CallExpr) -> str | None:
    """Return the kind of the result of a builtin, or None if it is not certain."""
    callee = node.callee
    if not isinstance(callee, nodes.NameExpr) or c.bindings.get(callee) is not None or c.has_wildcard_import:
        return None
    return "int" if callee.name == "len" else "string" if callee.name in {"to_string", "str", "type_of"} else None


def binary_kind(c: Emitter, op: str, left: str | None, right: str | None) -> str | None:
    """Return the kind of the result of a binary operator."""
    del c
    if op in COMPARISONS:
        return "bool"
    if BOTTOM in (left, right):
        return BOTTOM if op in {"+", "-", "*"} else None
    if op == "??":
        return left if left is not None and left != "nil" else None
    if op in {"+", "-", "*", "/", "%"} and left in NUMBERS and right in NUMBERS:
        return "int" if left == right == "int" else "float"
    if op in {"+", "-", "*", "/"} and (left == "float" or right == "float"):
        # With a float operand, the result is a float, or the operator fails.
        return "float"
    if op == "+" and (left == "string" or right == "string"):
        return "string"
    if op == "+" and (left == "list" or right == "list"):
        return "list"
    return None


def variable_kind(c: Emitter, binding: Binding) -> str | None:
    """Return the common kind of all values of a variable."""
    if binding in c.variable_kinds:
        return c.variable_kinds[binding]
    if binding.kind in OPEN_KINDS or not binding.values or c.keep_globals:
        c.variable_kinds[binding] = None
        return None
    return _settle(c, binding)


def _settle(c: Emitter, binding: Binding) -> str | None:
    """Find the kinds of a group of interdependent variables: start from the bottom and iterate to a fixed point."""
    outermost = not c.guessing
    c.variable_kinds[binding] = BOTTOM
    c.guessing.append(binding)
    kind = _joined(c, binding)
    c.variable_kinds[binding] = kind
    if outermost:
        group = list(c.guessing)
        changed = True
        while changed:
            changed = False
            for member in group:
                kind = _joined(c, member)
                if kind != c.variable_kinds[member]:
                    c.variable_kinds[member] = kind
                    changed = True
            for member in c.guessing[len(group) :]:
                group.append(member)
                changed = True
        for member in group:
            if c.variable_kinds[member] == BOTTOM:
                c.variable_kinds[member] = None
        c.guessing.clear()
    return c.variable_kinds[binding]


def _joined(c: Emitter, binding: Binding) -> str | None:
    kind: str | None = BOTTOM
    for value in binding.values:
        kind = join(kind, _value_kind(c, value))
        if kind is None:
            return None
    return kind


def _value_kind(c: Emitter, value: object) -> str | None:
    if isinstance(value, nodes.ForStmt):
        iterable = value.iterable
        return "int" if isinstance(iterable, nodes.RangeExpr) else item_kind(c, iterable)
    if isinstance(value, nodes.AssignStmt):
        if not isinstance(value.target, nodes.NameExpr):
            return BOTTOM
        right = kind_of(c, value.value)
        return right if value.op == "=" else binary_kind(c, value.op[0], kind_of(c, value.target), right)
    if isinstance(value, nodes.Expr):
        return kind_of(c, value)
    return None
