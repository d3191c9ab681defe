"""Constructors for the Python expressions that the compiler generates most often."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from harnlite.compiler.emitter import Emitter

    At = dict[str, Any]

SMALL = (1 << 30) - 1
LOAD, STORE = ast.Load(), ast.Store()
# The constructors of `ast` set each field by name; assigning the dict of a bare node takes at most half as long.
NEW = ast.AST.__new__
IS, IS_NOT, EQ, NOT_EQ, AND, OR, NOT = ast.Is(), ast.IsNot(), ast.Eq(), ast.NotEq(), ast.And(), ast.Or(), ast.Not()


def name(text: str, at: At) -> ast.Name:
    """Return a read of a Python name."""
    node: ast.Name = NEW(ast.Name)
    fields = node.__dict__ = at.copy()
    fields["id"], fields["ctx"] = text, LOAD
    return node


def place(text: str, at: At) -> ast.Name:
    """Return a Python name as an assignment target."""
    node: ast.Name = NEW(ast.Name)
    fields = node.__dict__ = at.copy()
    fields["id"], fields["ctx"] = text, STORE
    return node


def constant(value: object, at: At) -> ast.Constant:
    """Return a constant."""
    node: ast.Constant = NEW(ast.Constant)
    fields = node.__dict__ = at.copy()
    fields["value"], fields["kind"] = value, None
    return node


def class_of(value: ast.expr, at: At) -> ast.Attribute:
    """Return a read of the class of a value."""
    node: ast.Attribute = NEW(ast.Attribute)
    fields = node.__dict__ = at.copy()
    fields["value"], fields["attr"], fields["ctx"] = value, "__class__", LOAD
    return node


def attribute(value: ast.expr, text: str, at: At) -> ast.Attribute:
    """Return a read of a Python attribute."""
    node: ast.Attribute = NEW(ast.Attribute)
    fields = node.__dict__ = at.copy()
    fields["value"], fields["attr"], fields["ctx"] = value, text, LOAD
    return node


def invoke(function: ast.expr, args: list[ast.expr], at: At) -> ast.Call:
    """Return a call of a Python function."""
    node: ast.Call = NEW(ast.Call)
    fields = node.__dict__ = at.copy()
    fields["func"], fields["args"], fields["keywords"] = function, args, []
    return node


def compare(left: ast.expr, op: ast.cmpop, right: ast.expr, at: At) -> ast.Compare:
    """Return a Python comparison of two values."""
    node: ast.Compare = NEW(ast.Compare)
    fields = node.__dict__ = at.copy()
    fields["left"], fields["ops"], fields["comparators"] = left, [op], [right]
    return node


def same_class(values: Sequence[ast.expr], label: ast.expr, at: At) -> ast.Compare:
    """Return a single comparison chain that tests whether all values have the class `label`."""
    first, *others = [class_of(value, at) for value in values]
    return _compared(first, [IS] * len(values), [*others, label], at)


def _compared(left: ast.expr, ops: list[ast.cmpop], rights: list[ast.expr], at: At) -> ast.Compare:
    node: ast.Compare = NEW(ast.Compare)
    fields = node.__dict__ = at.copy()
    fields["left"], fields["ops"], fields["comparators"] = left, ops, rights
    return node


def binary(left: ast.expr, op: ast.operator, right: ast.expr, at: At) -> ast.BinOp:
    """Return a Python binary operation."""
    node: ast.BinOp = NEW(ast.BinOp)
    fields = node.__dict__ = at.copy()
    fields["left"], fields["op"], fields["right"] = left, op, right
    return node


def choose(test: ast.expr, then: ast.expr, otherwise: ast.expr, at: At) -> ast.IfExp:
    """Return a conditional expression."""
    node: ast.IfExp = NEW(ast.IfExp)
    fields = node.__dict__ = at.copy()
    fields["test"], fields["body"], fields["orelse"] = test, then, otherwise
    return node


def all_of(tests: list[ast.expr], at: At) -> ast.expr:
    """Return the conjunction of tests, in order."""
    return tests[0] if len(tests) == 1 else ast.BoolOp(AND, tests, **at)


def negated(value: ast.expr, at: At) -> ast.expr:
    """Return the negation of a test."""
    return ast.UnaryOp(NOT, value, **at)


def assign(text: str, value: ast.expr, at: At) -> ast.Assign:
    """Return an assignment to a Python name."""
    return put(place(text, at), value, at)


def put(target: ast.expr, value: ast.expr, at: At) -> ast.Assign:
    """Return an assignment to a target."""
    node: ast.Assign = NEW(ast.Assign)
    fields = node.__dict__ = at.copy()
    fields["targets"], fields["value"] = [target], value
    return node


def named(c: Emitter, value: ast.expr, at: At) -> tuple[ast.expr, ast.expr]:
    """Return an expression that evaluates a value the first time, and one that reads it again."""
    if value.__class__ is ast.Constant or c.is_fixed_name(value):
        return value, value
    temp = c.temp()
    node: ast.NamedExpr = NEW(ast.NamedExpr)
    fields = node.__dict__ = at.copy()
    fields["target"], fields["value"] = place(temp, at), value
    return node, name(temp, at)


def wrap(c: Emitter, value: ast.expr, at: At, side: str = "both") -> ast.expr:
    """Return an int expression, wrapped to 64 bits; `side` is the one on which it can be too large: above or below."""
    first, again = named(c, value, at)
    if side == "both":
        return choose(_has_64_bits(first, at), again, c.call("wrap", [again], at), at)
    # Python compares ints of one digit fastest.
    op, most = (ast.LtE(), SMALL) if side == "above" else (ast.GtE(), -SMALL)
    slow = choose(_has_64_bits(again, at), again, c.call("wrap", [again], at), at)
    return choose(compare(first, op, constant(most, at), at), again, slow, at)


def _has_64_bits(value: ast.expr, at: At) -> ast.expr:
    return compare(invoke(attribute(value, "bit_length", at), [], at), ast.Lt(), constant(64, at), at)
