"""The choice of the code for each operator."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from harnlite.compiler.arithmetic import (
    HELPERS,
    LEAST_INT,
    QUOTIENTS,
    RING,
    Sides,
    is_divisibility,
    is_not_least,
    ring_leaves,
    write_certain,
    write_division,
    write_ring,
    write_ring_tree,
)
from harnlite.compiler.comparisons import ORDER, ORDER_HELPERS, write_equality, write_order
from harnlite.compiler.inference import kind_of
from harnlite.compiler.kinds import NUMBERS
from harnlite.compiler.likely_kinds import is_likely_float
from harnlite.compiler.logic import DEEP, write_default, write_left, write_logic
from harnlite.compiler.magnitude import fits, is_natural
from harnlite.compiler.python_shapes import (
    EQ,
    NOT_EQ,
    binary,
    choose,
    compare,
    constant,
    named,
    negated,
    unary,
)
from harnlite.syntax import nodes

if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.compiler.emitter import Emitter

LAZY: dict[str, Callable[[Emitter, nodes.BinaryExpr], ast.expr]] = {
    "&&": write_logic,
    "||": write_logic,
    "??": write_default,
}
BY_KIND: dict[str, Callable[[Emitter, str, Sides], ast.expr]] = {
    **dict.fromkeys(RING, write_ring),
    **dict.fromkeys(QUOTIENTS, write_division),
    **dict.fromkeys(ORDER, write_order),
    "==": write_equality,
    "!=": write_equality,
}
BY_HELPER = {**HELPERS, **ORDER_HELPERS, "==": "equal", "in": "contains"}
NEGATED = {"!=": "==", "not in": "in"}


def write_operator(c: Emitter, node: nodes.BinaryExpr) -> ast.expr:
    """Compile a binary operator."""
    lazy = LAZY.get(node.op)
    if lazy is not None:
        return lazy(c, node)
    at = c.where(node)
    is_root, c.unwrapped = c.unwrapped is node, None
    if node.op in RING and not c.plain:
        leaves = ring_leaves(c, node)
        if leaves:
            return write_ring_tree(c, node, leaves, at, is_wrapped=not is_root)
    if node.op in {"==", "!="} and not c.plain and is_divisibility(c, node):
        rest = node.left
        assert isinstance(rest, nodes.BinaryExpr)  # noqa: S101 - the test above has checked it
        left, right = c.expr(rest.left), c.expr(rest.right)
        remainder = binary(left, QUOTIENTS["%"], right, at)
        return compare(remainder, EQ if node.op == "==" else NOT_EQ, constant(0, at), at)
    left, right = _operands(c, node)
    if c.plain:
        return combine(c, node.op, Sides(left, None, right, None, at))
    sides = Sides(left, kind_of(c, node.left), right, kind_of(c, node.right), at)
    if sides.left_kind is None and sides.right_kind is None:
        sides.likely_float = is_likely_float(c, node.left) or is_likely_float(c, node.right)
    if sides.left_kind == sides.right_kind == "int":
        certain = write_certain(c, node, sides, is_wrapped=not is_root)
        if certain is not None:
            return certain
        sides.is_natural = is_natural(c, node.left)
    return combine(c, node.op, sides)


def _operands(c: Emitter, node: nodes.BinaryExpr) -> list[ast.expr]:
    """Compile both operands; in a deep chain, hold the left operand in a temporary."""
    depth = c.depth
    if depth > DEEP and node.left.__class__ is nodes.BinaryExpr:
        return [write_left(c, node), c.expr(node.right)]
    c.depth = depth + 1
    sides = c.ordered((node.left, node.right))
    c.depth = depth
    return sides


def combine(c: Emitter, op: str, sides: Sides) -> ast.expr:
    """Return the code of an operator whose operands are already compiled."""
    by_kind = None if c.plain else BY_KIND.get(op)
    if by_kind is not None:
        return by_kind(c, op, sides)
    if op in NEGATED:
        return negated(sides.by_helper(c, BY_HELPER[NEGATED[op]]), sides.at)
    return sides.by_helper(c, BY_HELPER[op])


def write_unary(c: Emitter, node: nodes.UnaryExpr) -> ast.expr:
    """Compile `!x` or `-x`."""
    at = c.where(node)
    operand = node.operand
    if node.op == "!":
        return negated(c.condition(operand), at)
    if isinstance(operand, nodes.LiteralExpr) and operand.kind in NUMBERS:
        number = operand.value
        if isinstance(number, (int, float)) and number != LEAST_INT:
            return constant(-number, at)
    value = c.expr(operand)
    kind = None if c.plain else kind_of(c, operand)
    if kind == "float" or (kind == "int" and fits(c, operand)):
        return unary(ast.USub(), value, at)
    if kind != "int":
        return c.call("negate", [value], at)
    first, again = named(c, value, at)
    return choose(
        is_not_least(first, at),
        unary(ast.USub(), again, at),
        c.call("negate", [again], at),
        at,
    )
