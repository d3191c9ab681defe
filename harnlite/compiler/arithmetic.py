"""Arithmetic: plain Python where the kinds are known, else a guard with a call of the helper as the fallback."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from harnlite.compiler.inference import kind_of
from harnlite.compiler.kinds import NUMBERS
from harnlite.compiler.likely_kinds import is_likely_float
from harnlite.compiler.magnitude import fits, int_of, is_natural
from harnlite.compiler.python_shapes import (
    LOAD,
    Name,
    all_of,
    binary,
    choose,
    compare,
    constant,
    named,
    same_class,
    tuple_display,
    wrap,
)
from harnlite.syntax import nodes

if TYPE_CHECKING:
    from harnlite.compiler.emitter import Emitter
    from harnlite.compiler.python_shapes import At

RING = {"+": ast.Add(), "-": ast.Sub(), "*": ast.Mult()}
QUOTIENTS = {"/": ast.FloorDiv(), "%": ast.Mod()}
HELPERS = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "%": "modulo", "**": "power"}
CONTAINERS = frozenset({"string", "list", "dict"})
KINDS_OF_CLASSES = {"str": "string"}
INTS = frozenset({None, "int"})
LEAST_INT = -(1 << 63)
MOST_LEAVES = 8
MOST_TERMS = 4 * MOST_LEAVES


class Sides:
    """The two operands of an operator: their Python expressions and their kinds."""

    __slots__ = ("at", "is_natural", "left", "left_kind", "likely_float", "right", "right_kind")

    def __init__(
        self,
        left: ast.expr,
        left_kind: str | None,
        right: ast.expr,
        right_kind: str | None,
        at: At,
    ) -> None:
        self.left = left
        self.left_kind = left_kind
        self.right = right
        self.right_kind = right_kind
        self.at = at
        self.likely_float = False
        self.is_natural = False

    @property
    def kinds(self) -> set[str | None]:
        """Return the kinds of both operands."""
        return {self.left_kind, self.right_kind}

    def flipped(self) -> Sides:
        """Return the operands in the opposite order."""
        return Sides(self.right, self.right_kind, self.left, self.left_kind, self.at)

    def by_helper(self, c: Emitter, helper: str) -> ast.expr:
        """Compile the operator to a call of its helper."""
        return c.call(helper, [self.left, self.right], self.at)

    def guarded(self, c: Emitter, label: str) -> list[ast.expr]:
        """Return tests that both operands have a Python class; then both operands can be read again."""
        at = self.at
        first_left, self.left = named(c, self.left, at)
        first_right, self.right = named(c, self.right, at)
        tested = [
            first
            for first, again, kind in (
                (first_left, self.left, self.left_kind),
                (first_right, self.right, self.right_kind),
            )
            if kind != KINDS_OF_CLASSES.get(label, label) or first is not again
        ]
        return [same_class(tested, c.helper(label, at), at)] if tested else []


def write_certain(c: Emitter, node: nodes.BinaryExpr, sides: Sides, *, is_wrapped: bool = True) -> ast.expr | None:
    """Compile an operator on ints to plain Python if the range of the ints allows it; return None otherwise."""
    if node.op in RING:
        raw = binary(sides.left, RING[node.op], sides.right, sides.at)
        return wrap(c, raw, sides.at, overflow(c, node)) if is_wrapped and not fits(c, node) else raw
    if node.op in QUOTIENTS and is_natural(c, node.left) and _is_positive(node.right):
        return binary(sides.left, QUOTIENTS[node.op], sides.right, sides.at)
    return None


def _is_positive(node: nodes.Expr) -> bool:
    literal = int_of(node)
    return literal is not None and literal > 0


def write_ring(c: Emitter, op: str, sides: Sides) -> ast.expr:
    """Compile + - * according to the kinds of the operands."""
    at, kinds = sides.at, sides.kinds
    if kinds <= NUMBERS:
        raw = binary(sides.left, RING[op], sides.right, at)
        return wrap(c, raw, at) if kinds == {"int"} else raw
    if op == "+" and kinds == {"string"}:
        return c.sized(binary(sides.left, RING[op], sides.right, at), at)
    if op == "+" and kinds == {"string", None}:
        # Operators of other strings and values fail in the helper.
        test = sides.guarded(c, "str")
        joined = c.sized(binary(sides.left, RING[op], sides.right, at), at)
        return choose(all_of(test, at), joined, sides.by_helper(c, HELPERS[op]), at) if test else joined
    if kinds & CONTAINERS:
        return sides.by_helper(c, HELPERS[op])
    label = "float" if "float" in kinds or sides.likely_float else "int"
    test = sides.guarded(c, label)
    fast: ast.expr = binary(sides.left, RING[op], sides.right, at)
    if label == "int":
        fast = wrap(c, fast, at)
    return choose(all_of(test, at), fast, sides.by_helper(c, HELPERS[op]), at)


def write_division(c: Emitter, op: str, sides: Sides) -> ast.expr:
    """Compile / or % according to the kinds; Python's floor division is correct if no operand is negative."""
    at, kinds = sides.at, sides.kinds
    if op == "/" and kinds == {"float"}:
        quotient = _float_quotient(c, sides)
        if quotient is not None:
            return quotient
    if op == "/" and ("float" in kinds or sides.likely_float) and not kinds & CONTAINERS:
        test = all_of([*sides.guarded(c, "float"), sides.right], at)
        return choose(test, binary(sides.left, ast.Div(), sides.right, at), sides.by_helper(c, "divide"), at)
    divisor = sides.right.value if isinstance(sides.right, ast.Constant) else None
    if not kinds <= INTS or (isinstance(divisor, int) and divisor <= 0):
        return sides.by_helper(c, HELPERS[op])
    tests = (
        _int_division(sides, c)
        if kinds == {"int"}
        else [*sides.guarded(c, "int"), *_signs(sides, sides.left, sides.right)]
    )
    fast = binary(sides.left, QUOTIENTS[op], sides.right, at)
    return choose(all_of(tests, at), fast, sides.by_helper(c, HELPERS[op]), at)


def _signs(sides: Sides, left: ast.expr, right: ast.expr) -> list[ast.expr]:
    """Return tests that the quotient of two ints is that of Python: none is negative, and the right one is not zero."""
    at = sides.at
    tests: list[ast.expr] = [compare(left, ast.GtE(), constant(0, at), at)]
    if not isinstance(sides.right, ast.Constant):
        tests.append(compare(right, ast.Gt(), constant(0, at), at))
    return tests


def _int_division(sides: Sides, c: Emitter) -> list[ast.expr]:
    """Return tests that evaluate both operands, which are ints, and check their signs."""
    at = sides.at
    first_left, sides.left = named(c, sides.left, at)
    first_right, sides.right = named(c, sides.right, at)
    if first_right is sides.right:
        return _signs(sides, first_left, sides.right)
    if first_left is not sides.left:
        return [tuple_display([first_left, first_right], LOAD, at), *_signs(sides, sides.left, sides.right)]
    tests = _signs(sides, sides.left, first_right)
    tests.reverse()
    return tests[:1] if sides.is_natural else tests


def _float_quotient(c: Emitter, sides: Sides) -> ast.expr | None:
    """Compile the quotient of two floats, of which the left one can be read twice or the right one never is zero."""
    at, right = sides.at, sides.right
    if isinstance(right, ast.Constant) and right.value:
        return binary(sides.left, ast.Div(), right, at)
    if not (isinstance(sides.left, ast.Constant) or c.is_fixed_name(sides.left)):
        return None
    test, sides.right = named(c, right, at)
    return choose(test, binary(sides.left, ast.Div(), sides.right, at), sides.by_helper(c, "divide"), at)


def is_not_least(value: ast.expr, at: At) -> ast.expr:
    """Return the test that an int is not the least one, whose negative and absolute value are no ints."""
    return compare(value, ast.Gt(), constant(LEAST_INT, at), at)


def is_divisibility(c: Emitter, node: nodes.BinaryExpr) -> bool:
    """Return whether a comparison is `x % n == 0` with an int x and a positive n: the sign of x makes no difference."""
    rest = node.left
    if not isinstance(rest, nodes.BinaryExpr) or rest.op != "%" or int_of(node.right) != 0:
        return False
    return _is_positive(rest.right) and kind_of(c, rest.left) == "int"


def ring_leaves(c: Emitter, node: nodes.BinaryExpr) -> list[nodes.Expr]:
    """Return the operands of a tree of + - * that may all be ints, if a single guard is enough for the whole tree.

    Unless all operands certainly are ints, those that are evaluated after the first operator must not be able to fail
    or have side effects, because that operator may fail before them.
    """
    leaves: list[nodes.Expr] = []
    worked = has_late = is_open = False
    pending: list[nodes.Expr | None] = [node]
    while pending:
        current = pending.pop()
        if current is None:
            worked = True
        elif isinstance(current, nodes.BinaryExpr) and current.op in RING:
            pending += [None, current.right, current.left]
            if len(pending) > MOST_LEAVES * 3:
                return []
        else:
            kind = kind_of(c, current)
            has_late = has_late or (worked and not isinstance(current, (nodes.LiteralExpr, nodes.NameExpr)))
            is_open = is_open or kind is None
            if kind is None and is_likely_float(c, current):
                return []
            if len(leaves) == MOST_LEAVES or kind not in INTS or (has_late and is_open):
                return []
            leaves.append(current)
    return leaves if len(leaves) > 2 else []  # noqa: PLR2004 - a single operator needs no tree


def write_ring_tree(
    c: Emitter, node: nodes.BinaryExpr, leaves: list[nodes.Expr], at: At, *, is_wrapped: bool = True
) -> ast.expr:
    """Compile a tree of + - * under one guard, wrapped only at its root: the operators form a ring."""
    values = c.ordered(leaves)
    again: dict[int, ast.expr] = {}
    if all(kind_of(c, leaf) == "int" for leaf in leaves):
        again.update((id(leaf), value) for leaf, value in zip(leaves, values, strict=True))
        fast = _raw_tree(node, again, at)
        return wrap(c, fast, at, overflow(c, node)) if is_wrapped and not fits(c, node) else fast
    evaluated: list[ast.expr] = []
    tested: list[ast.expr] = []
    for leaf, value in zip(leaves, values, strict=True):
        is_int = kind_of(c, leaf) == "int"
        first, again[id(leaf)] = named(c, value, at)
        if first is not again[id(leaf)]:
            evaluated.append(first)
        elif not is_int:
            tested.append(value)
    fast = _raw_tree(node, again, at)
    if is_wrapped and not fits(c, node):
        fast = wrap(c, fast, at)
    if not tested and not evaluated:
        return fast
    label = c.helper("int", at)
    if len(evaluated) <= 2:  # noqa: PLR2004 - the first comparison of a chain always evaluates both operands
        test: ast.expr = same_class([*evaluated, *tested], label, at)
    else:
        names = [value for value in again.values() if value.__class__ is Name]
        test = all_of([tuple_display(evaluated, LOAD, at), same_class(names, label, at)], at)
    return choose(test, fast, _helper_tree(c, node, again), at)


def overflow(c: Emitter, node: nodes.Expr) -> str:
    """Return on which side the sum of ints can leave 64 bits: `above`, `below` or `both`.

    A sum of any int and of terms that are not negative cannot be too small.
    """
    terms: list[tuple[nodes.Expr, bool]] = [(node, True)]
    signs: set[bool] = set()
    others = 0
    for term, is_added in terms:  # the list grows during the loop
        if len(terms) > MOST_TERMS:
            return "both"
        if isinstance(term, nodes.BinaryExpr) and term.op in {"+", "-"}:
            terms += [(term.left, is_added), (term.right, is_added is (term.op == "+"))]
        elif _is_product_of_naturals(c, term):
            signs.add(is_added)
        elif is_added and not isinstance(term, nodes.BinaryExpr):
            others += 1
        else:
            return "both"
    return "both" if others > 1 or len(signs) > 1 else "above" if signs == {True} else "below" if signs else "both"


def _is_product_of_naturals(c: Emitter, term: nodes.Expr) -> bool:
    if isinstance(term, nodes.BinaryExpr) and term.op == "*":
        return _is_product_of_naturals(c, term.left) and _is_product_of_naturals(c, term.right)
    return is_natural(c, term)


def _raw_tree(node: nodes.Expr, values: dict[int, ast.expr], at: At) -> ast.expr:
    if id(node) in values or not isinstance(node, nodes.BinaryExpr):
        return values[id(node)]
    return binary(_raw_tree(node.left, values, at), RING[node.op], _raw_tree(node.right, values, at), at)


def _helper_tree(c: Emitter, node: nodes.Expr, values: dict[int, ast.expr]) -> ast.expr:
    if id(node) in values or not isinstance(node, nodes.BinaryExpr):
        return values[id(node)]
    left, right = _helper_tree(c, node.left, values), _helper_tree(c, node.right, values)
    return c.call(HELPERS[node.op], [left, right], c.where(node))
