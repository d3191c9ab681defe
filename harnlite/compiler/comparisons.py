"""Comparisons: plain Python where it is equivalent, else a guard with a call of the helper as the fallback."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from harnlite.compiler.python_shapes import (
    AND,
    EQ,
    IS,
    IS_NOT,
    NOT_EQ,
    Constant,
    all_of,
    boolean,
    choose,
    class_of,
    compare,
    named,
    negated,
)

if TYPE_CHECKING:
    from harnlite.compiler.arithmetic import Sides
    from harnlite.compiler.emitter import Emitter

ORDER = {"<": ast.Lt(), ">": ast.Gt(), "<=": ast.LtE(), ">=": ast.GtE()}
ORDER_HELPERS = {"<": "less", ">": "greater", "<=": "less_equal", ">=": "greater_equal"}
SINGLETONS = frozenset({"nil", "bool"})
COMPARABLE = frozenset({"int", "float", "string"})
NUMERIC = frozenset({None, "int", "float"})
EXACT_FLOAT = 1 << 53
OPPOSITES: dict[type, ast.cmpop] = {ast.Is: IS_NOT, ast.Eq: NOT_EQ}


def write_order(c: Emitter, op: str, sides: Sides) -> ast.expr:
    """Compile < > <= >= according to the kinds of the operands."""
    at, kinds = sides.at, sides.kinds
    if len(kinds) == 1 and kinds <= COMPARABLE:
        return compare(sides.left, ORDER[op], sides.right, at)
    if kinds == {None, "string"}:
        test = sides.guarded(c, "str")
        fast = compare(sides.left, ORDER[op], sides.right, at)
        return choose(all_of(test, at), fast, sides.by_helper(c, ORDER_HELPERS[op]), at)
    if not kinds <= NUMERIC or kinds == {"int", "float"}:
        return sides.by_helper(c, ORDER_HELPERS[op])
    test = sides.guarded(c, "float" if "float" in kinds or sides.likely_float else "int")
    fast = compare(sides.left, ORDER[op], sides.right, at)
    return choose(all_of(test, at), fast, sides.by_helper(c, ORDER_HELPERS[op]), at)


def write_equality(c: Emitter, op: str, sides: Sides) -> ast.expr:
    """Compile == or !=."""
    value = _equality(c, sides)
    if op == "==":
        return value
    if isinstance(value, ast.Compare) and len(value.ops) == 1:
        opposite = OPPOSITES.get(type(value.ops[0]))
        if opposite is not None:
            value.ops[0] = opposite
            return value
    return negated(value, sides.at)


def _equality(c: Emitter, sides: Sides) -> ast.expr:
    at, kinds = sides.at, sides.kinds
    if sides.left.__class__ is Constant and sides.right.__class__ is not Constant:
        sides = sides.flipped()
    left, right = sides.left, sides.right
    if "nil" in kinds or (right.__class__ is Constant and sides.right_kind in SINGLETONS):
        return compare(left, IS, right, at)
    if (len(kinds) == 1 and kinds <= COMPARABLE) or "string" in kinds:
        return compare(left, EQ, right, at)
    if isinstance(right, ast.Constant) and isinstance(right.value, int) and sides.right_kind == "int":
        return _equals_int(c, sides, right.value)
    if not kinds <= NUMERIC or kinds == {"int", "float"}:
        return sides.by_helper(c, "equal")
    test = sides.guarded(c, "float" if "float" in kinds or sides.likely_float else "int")
    return choose(all_of(test, at), compare(sides.left, EQ, sides.right, at), sides.by_helper(c, "equal"), at)


def _equals_int(c: Emitter, sides: Sides, number: int) -> ast.expr:
    """Compare with an int literal: Python's == is equivalent but for booleans and ints beyond a float's precision."""
    at = sides.at
    if abs(number) >= EXACT_FLOAT:
        return sides.by_helper(c, "equal")
    if number not in {0, 1}:
        return compare(sides.left, EQ, sides.right, at)
    first, again = named(c, sides.left, at)
    not_bool = compare(class_of(again, at), IS_NOT, c.helper("bool", at), at)
    return boolean(AND, [compare(first, EQ, sides.right, at), not_bool], at)
