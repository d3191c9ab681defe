"""The likely kinds of expressions whose kinds are not certain; a guard tests for the likely kind first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnlite.compiler.inference import deep_kind
from harnlite.compiler.kinds import ARITHMETIC, present
from harnlite.syntax import nodes

if TYPE_CHECKING:
    from harnlite.analysis.names.scopes import Binding
    from harnlite.compiler.emitter import Emitter

MOST_GUESSES = 4


def is_likely_float(c: Emitter, node: nodes.Expr, depth: int = 0) -> bool:
    """Return whether an expression of any kind most likely is a float, judged by types of fields and parameters."""
    if node.__class__ is nodes.LiteralExpr:
        return False
    if present(deep_kind(c, node)) == "float":
        return True
    if isinstance(node, nodes.PropertyExpr):
        return node.name.text in c.float_fields
    if depth > MOST_GUESSES:
        return False
    if isinstance(node, nodes.NameExpr):
        return _is_likely_float_variable(c, c.bindings.get(node), depth)
    if isinstance(node, nodes.BinaryExpr) and node.op in ARITHMETIC:
        return is_likely_float(c, node.left, depth + 1) or is_likely_float(c, node.right, depth + 1)
    return False


def _is_likely_float_variable(c: Emitter, binding: Binding | None, depth: int) -> bool:
    if binding is None:
        return False
    if isinstance(binding.decl, nodes.Param):
        return isinstance(binding.decl.type, nodes.NamedType) and binding.decl.type.name == "float"
    only = binding.values[0] if len(binding.values) == 1 else None
    return isinstance(only, nodes.Expr) and is_likely_float(c, only, depth + 1)
