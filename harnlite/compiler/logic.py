"""Operators that may leave their right side alone: && || ??."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from harnlite.compiler.inference import kind_of
from harnlite.compiler.python_shapes import AND, IS, IS_NOT, OR, assign, choose, compare, constant, name, named, negated
from harnlite.syntax import nodes

if TYPE_CHECKING:
    from harnlite.compiler.emitter import Emitter

DEEP = 60


def write_logic(c: Emitter, node: nodes.BinaryExpr) -> ast.expr:
    """Write && or ||, which give booleans."""
    at = c.where(node)
    test = write_condition(c, node)
    if _has_only_booleans(c, node):
        return test
    return choose(test, constant(value=True, at=at), constant(value=False, at=at), at)


def _has_only_booleans(c: Emitter, node: nodes.Expr) -> bool:
    """Say whether all that && and || join here is boolean, so that what Python gives for it is, too."""
    pending = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, nodes.BinaryExpr) and part.op in {"&&", "||"}:
            pending += (part.left, part.right)
        elif kind_of(c, part) != "bool":
            return False
    return True


def write_condition(c: Emitter, node: nodes.BinaryExpr) -> ast.expr:
    """Write && or || where only the truth of the result matters."""
    at = c.where(node)
    left = c.condition(node.left)
    with c.writing([]) as out:
        right = c.condition(node.right)
    op = AND if node.op == "&&" else OR
    if not out and isinstance(left, ast.BoolOp) and left.op is op and getattr(node.left, "op", "") == node.op:
        # One chain instead of a tree as deep as the chain is long.
        left.values.append(right)
        return left
    if not out:
        return ast.BoolOp(op, [left, right], **at)
    temp = c.temp()
    c.out.append(assign(temp, left, at))
    out.append(assign(temp, right, at))
    test: ast.expr = name(temp, at)
    c.out.append(ast.If(test if node.op == "&&" else negated(test, at), out, [], **at))
    return name(temp, at)


def write_left(c: Emitter, node: nodes.BinaryExpr) -> ast.expr:
    """Write the left side of an operator; in a chain that has become deep it is held, so that Python can compile it."""
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
    """Write `a ?? b`: b only where a is nil."""
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
    c.out.append(ast.If(compare(name(temp, at), IS, nil, at), out, [], **at))
    return name(temp, at)
