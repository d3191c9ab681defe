"""The likely kinds of expressions whose kinds are not certain; a guard tests for the likely kind first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnlite.compiler.inference import deep_kind
from harnlite.compiler.kinds import ARITHMETIC
from harnlite.syntax import nodes

if TYPE_CHECKING:
    from harnlite.compiler.emitter import Emitter

MOST_GUESSES = 4


def is_likely_float(c: Emitter, node: nodes.Expr, depth: int = 0) -> bool:
    """Return whether an expression of any kind most likely is a float, judged by types of fields and parameters."""
    if node.__class__ is nodes.LiteralExpr:
        return False
    if isinstance(node, nodes.PropertyExpr):
        return node.name.text in c.float_fields
    if depth > MOST_GUESSES:
        return False
    if isinstance(node, nodes.NameExpr):
        binding = c.bindings.get(node)
        if binding is None:
            return False
        if isinstance(binding.decl, nodes.Param):
            return isinstance(binding.decl.type, nodes.NamedType) and binding.decl.type.name == "float"
        only = binding.values[0] if len(binding.values) == 1 else None
        return isinstance(only, nodes.Expr) and is_likely_float(c, only, depth + 1)
    if isinstance(node, nodes.BinaryExpr) and node.op in ARITHMETIC:
        return any(
            deep_kind(c, side) == "float" or is_likely_float(c, side, depth + 1) for side in (node.left, node.right)
        )
    return False
