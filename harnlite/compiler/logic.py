"""Short-circuit operators: && || ??."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from harnlite.compiler.inference import kind_of
from harnlite.compiler.python_shapes import (
    AND,
    IS,
    IS_NOT,
    OR,
    assign,
    boolean,
    choose,
    compare,
    constant,
    if_else,
    name,
    named,
    negated,
)
from harnlite.syntax import nodes

if TYPE_CHECKING:
    from harnlite.compiler.emitter import Emitter

DEEP = 60


def write_logic(c: Emitter, node: nodes.BinaryExpr) -> ast.expr:
    """Compile && or || to an expression with a boolean value."""
    at = c.where(node)
    test = write_condition(c, node)
    if _has_only_booleans(c, node):
        return test
    return choose(test, constant(value=True, at=at), constant(value=False, at=at), at)


def _has_only_booleans(c: Emitter, node: nodes.Expr) -> bool:
    """Return whether all operands of a chain of && and || are boolean, so that Python's result is boolean too."""
    pending = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, nodes.BinaryExpr) and part.op in {"&&", "||"}:
            pending += (part.left, part.right)
        elif kind_of(c, part) != "bool":
            return False
    return True


def write_condition(c: Emitter, node: nodes.BinaryExpr) -> ast.expr:
    """Compile && or || if only the truth value of the result is used."""
    at = c.where(node)
    left = c.condition(node.left)
    with c.writing([]) as out:
        right = c.condition(node.right)
    op = AND if node.op == "&&" else OR
    if not out and isinstance(left, ast.BoolOp) and left.op is op and getattr(node.left, "op", "") == node.op:
        # A flat chain instead of a tree that is as deep as the chain is long.
        left.values.append(right)
        return left
    if not out:
        return boolean(op, [left, right], at)
    temp = c.temp()
    c.out.append(assign(temp, left, at))
    out.append(assign(temp, right, at))
    test: ast.expr = name(temp, at)
    c.out.append(if_else(test if node.op == "&&" else negated(test, at), out, [], at))
    return name(temp, at)


def write_left(c: Emitter, node: nodes.BinaryExpr) -> ast.expr:
    """Compile the left operand; hold it in a temporary if the chain is already deep, so that Python can compile it."""
    depth = c.depth
    if depth <= DEEP:
        c.depth = depth + 1
        left = c.expr(node.left)
    else:
        c.depth = 0
        left = c.hold(c.expr(node.left), c.where(node))
    c.depth = depth
    return left


def write_default(c: Emitter, node: nodes.BinaryExpr) -> ast.expr:
    """Compile `a ?? b`, which evaluates b only if a is nil."""
    at = c.where(node)
    left = write_left(c, node)
    with c.writing([]) as out:
        right = c.expr(node.right)
    nil = constant(None, at)
    if not out:
        first, again = named(c, left, at)
        return choose(compare(first, IS_NOT, nil, at), again, right, at)
    temp = c.temp()
    c.out.append(assign(temp, left, at))
    out.append(assign(temp, right, at))
    c.out.append(if_else(compare(name(temp, at), IS, nil, at), out, [], at))
    return name(temp, at)
