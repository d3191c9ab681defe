"""Operators: raw Python where the kinds are certain, a guard in front of the helper where they are not."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from harnlite.compiler.inference import NUMBERS, kind_of
from harnlite.compiler.magnitude import fits, is_natural
from harnlite.syntax import nodes

if TYPE_CHECKING:
    from typing import Any

    from harnlite.compiler.emitter import Emitter

    At = dict[str, Any]

LOAD = ast.Load()
RING = {"+": ast.Add(), "-": ast.Sub(), "*": ast.Mult()}
HELPERS = {
    "+": "add",
    "-": "subtract",
    "*": "multiply",
    "/": "divide",
    "%": "modulo",
    "**": "power",
    "==": "equal",
    "<": "less",
    ">": "greater",
    "<=": "less_equal",
    ">=": "greater_equal",
    "in": "contains",
}
ORDER = {"<": ast.Lt(), ">": ast.Gt(), "<=": ast.LtE(), ">=": ast.GtE()}
SINGLETONS = frozenset({"nil", "bool"})
COMPARABLE = frozenset({"int", "float", "string"})
IS, IS_NOT, EQ, NOT_EQ, AND, OR, NOT = ast.Is(), ast.IsNot(), ast.Eq(), ast.NotEq(), ast.And(), ast.Or(), ast.Not()
DEEP = 60
MOST_LEAVES = 8


def name(text: str, at: At) -> ast.Name:
    """Read a Python name."""
    return ast.Name(text, LOAD, **at)


def constant(value: object, at: At) -> ast.Constant:
    """Write a constant."""
    return ast.Constant(value, **at)  # type: ignore[arg-type]


def class_of(value: ast.expr, at: At) -> ast.Attribute:
    """Read the class of a value."""
    return ast.Attribute(value, "__class__", LOAD, **at)


def compare(left: ast.expr, op: ast.cmpop, right: ast.expr, at: At) -> ast.Compare:
    """Compare two values the Python way."""
    return ast.Compare(left, [op], [right], **at)


def binary(left: ast.expr, op: ast.operator, right: ast.expr, at: At) -> ast.BinOp:
    """Combine two values the Python way."""
    return ast.BinOp(left, op, right, **at)


def choose(test: ast.expr, then: ast.expr, otherwise: ast.expr, at: At) -> ast.IfExp:
    """Take one of two values."""
    return ast.IfExp(test, then, otherwise, **at)


def named(c: Emitter, value: ast.expr, at: At) -> tuple[ast.expr, ast.expr]:
    """Return how to evaluate a value the first time, and how to read it again."""
    if value.__class__ is ast.Constant or c.is_fixed_name(value):
        return value, value
    temp = c.temp()
    return ast.NamedExpr(ast.Name(temp, ast.Store(), **at), value, **at), ast.Name(temp, LOAD, **at)


def wrap(c: Emitter, value: ast.expr, at: At) -> ast.expr:
    """Keep an int within 64 bits."""
    first, again = named(c, value, at)
    length = ast.Call(ast.Attribute(first, "bit_length", LOAD, **at), [], [], **at)
    return choose(compare(length, ast.Lt(), constant(64, at), at), again, c.call("wrap", [again], at), at)


def write_binary(c: Emitter, node: nodes.BinaryExpr) -> ast.expr:
    """Write an operator that evaluates both sides."""
    at = c.where(node)
    if node.op in RING and not c.plain:
        leaves = ring_leaves(c, node)
        if leaves:
            return _ring_tree(c, node, leaves, at)
    depth = c.depth
    if depth > DEEP and node.left.__class__ is nodes.BinaryExpr:
        c.depth = 0
        left = c.hold(c.expr(node.left), at)
        c.depth = depth
        right_out = len(c.out)
        right = c.expr(node.right)
        if len(c.out) > right_out:
            right = c.hold(right, at)
    else:
        c.depth = depth + 1
        left, right = c.ordered((node.left, node.right), c.expr)
        c.depth = depth
    if c.plain:
        return plain(c, node.op, left, right, at)
    left_kind, right_kind = kind_of(c, node.left), kind_of(c, node.right)
    if left_kind == right_kind == "int":
        quick = _certain(c, node, left, right, at)
        if quick is not None:
            return quick
    return combine(c, node.op, left, left_kind, right, right_kind, at)


def _certain(c: Emitter, node: nodes.BinaryExpr, left: ast.expr, right: ast.expr, at: At) -> ast.expr | None:
    """Write an operator on ints that needs no care, because of what the ints can be."""
    if node.op in RING:
        return binary(left, RING[node.op], right, at) if fits(c, node) else None
    if node.op in {"/", "%"} and is_natural(c, node.left):
        divisor = node.right
        if isinstance(divisor, nodes.LiteralExpr) and divisor.value > 0:  # type: ignore[operator]
            return binary(left, ast.FloorDiv() if node.op == "/" else ast.Mod(), right, at)
    return None


def ring_leaves(c: Emitter, node: nodes.BinaryExpr) -> list[nodes.Expr]:
    """Return the operands of a tree of + - * that may all be ints, if one guard can serve the whole tree.

    What is evaluated after an operator has worked must not be able to fail or act, since that operator may fail first.
    """
    leaves: list[nodes.Expr] = []
    worked = False
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
            if worked and not isinstance(current, (nodes.LiteralExpr, nodes.NameExpr)):
                return []
            if len(leaves) == MOST_LEAVES or kind_of(c, current) not in {None, "int"}:
                return []
            leaves.append(current)
    return leaves if len(leaves) > 2 else []  # noqa: PLR2004 - a single operator needs no tree


def _ring_tree(c: Emitter, node: nodes.BinaryExpr, leaves: list[nodes.Expr], at: At) -> ast.expr:
    values = c.ordered(leaves, c.expr)
    again: dict[int, ast.expr] = {}
    evaluated: list[ast.expr] = []
    classes: list[ast.expr] = []
    for leaf, value in zip(leaves, values, strict=True):
        if kind_of(c, leaf) == "int" and (value.__class__ is ast.Constant or c.is_fixed_name(value)):
            again[id(leaf)] = value
            continue
        first, read = named(c, value, at)
        again[id(leaf)] = read
        if first is not read:
            evaluated.append(first)
        else:
            classes.append(class_of(read, at))
    fast = _raw_tree(node, again, at)
    if not fits(c, node):
        fast = wrap(c, fast, at)
    if not classes and not evaluated:
        return fast
    c.helpers["int"] = None
    test: ast.expr
    if len(evaluated) <= 2:  # noqa: PLR2004 - the first comparison of a chain always evaluates both its sides
        classes = [*(class_of(value, at) for value in evaluated), *classes]
        test = ast.Compare(classes[0], [IS] * len(classes), [*classes[1:], name("_int", at)], **at)
    else:
        classes += [class_of(again[id(leaf)], at) for leaf in leaves if again[id(leaf)].__class__ is ast.Name]
        equal = ast.Compare(classes[0], [IS] * len(classes), [*classes[1:], name("_int", at)], **at)
        test = ast.BoolOp(AND, [ast.Tuple(evaluated, LOAD, **at), equal], **at)
    return choose(test, fast, _helper_tree(c, node, again), at)


def _raw_tree(node: nodes.Expr, values: dict[int, ast.expr], at: At) -> ast.expr:
    found = values.get(id(node))
    if found is not None:
        return found
    assert isinstance(node, nodes.BinaryExpr)  # noqa: S101 - everything else is a leaf
    return binary(_raw_tree(node.left, values, at), RING[node.op], _raw_tree(node.right, values, at), at)


def _helper_tree(c: Emitter, node: nodes.Expr, values: dict[int, ast.expr]) -> ast.expr:
    found = values.get(id(node))
    if found is not None:
        return found
    assert isinstance(node, nodes.BinaryExpr)  # noqa: S101 - everything else is a leaf
    left, right = _helper_tree(c, node.left, values), _helper_tree(c, node.right, values)
    return plain(c, node.op, left, right, c.where(node))


def plain(c: Emitter, op: str, left: ast.expr, right: ast.expr, at: At) -> ast.expr:
    """Write one helper call per operator."""
    if op == "!=":
        return ast.UnaryOp(NOT, c.call("equal", [left, right], at), **at)
    if op == "not in":
        return ast.UnaryOp(NOT, c.call("contains", [left, right], at), **at)
    return c.call(HELPERS[op], [left, right], at)


def combine(
    c: Emitter,
    op: str,
    left: ast.expr,
    left_kind: str | None,
    right: ast.expr,
    right_kind: str | None,
    at: At,
) -> ast.expr:
    """Write an operator by the kinds of its sides."""
    if op in RING:
        return _ring(c, op, left, left_kind, right, right_kind, at)
    if op in ORDER:
        return _order(c, op, left, left_kind, right, right_kind, at)
    if op == "==":
        return _equality(c, left, left_kind, right, right_kind, at)
    if op == "!=":
        return _negated(_equality(c, left, left_kind, right, right_kind, at), at)
    if op in {"/", "%"}:
        return _division(c, op, left, left_kind, right, right_kind, at)
    return plain(c, op, left, right, at)


def _negated(value: ast.expr, at: At) -> ast.expr:
    if isinstance(value, ast.Compare) and len(value.ops) == 1:
        flipped = {ast.Is: IS_NOT, ast.Eq: NOT_EQ}.get(type(value.ops[0]))
        if flipped is not None:
            value.ops[0] = flipped
            return value
    return ast.UnaryOp(NOT, value, **at)


def _guard(
    c: Emitter,
    left: ast.expr,
    left_kind: str | None,
    right: ast.expr,
    right_kind: str | None,
    at: At,
) -> tuple[ast.expr | None, ast.expr, ast.expr]:
    """Return the test that both sides are ints, and both sides to be read after it."""
    integer = name("_int", at)
    c.helpers["int"] = None
    if left_kind == "int" and right_kind == "int":
        return None, left, right
    if right_kind == "int" and (right.__class__ is ast.Constant or c.is_fixed_name(right)):
        first, again = named(c, left, at)
        return compare(class_of(first, at), IS, integer, at), again, right
    if left_kind == "int" and (left.__class__ is ast.Constant or c.is_fixed_name(left)):
        first, again = named(c, right, at)
        return compare(class_of(first, at), IS, integer, at), left, again
    first_left, left = named(c, left, at)
    first_right, right = named(c, right, at)
    test = ast.Compare(class_of(first_left, at), [IS, IS], [class_of(first_right, at), integer], **at)
    return test, left, right


def _ring(
    c: Emitter,
    op: str,
    left: ast.expr,
    left_kind: str | None,
    right: ast.expr,
    right_kind: str | None,
    at: At,
) -> ast.expr:
    if left_kind in NUMBERS and right_kind in NUMBERS:
        raw = binary(left, RING[op], right, at)
        return wrap(c, raw, at) if left_kind == right_kind == "int" else raw
    if op == "+" and left_kind == right_kind == "string":
        return _concatenation(c, binary(left, RING[op], right, at), at)
    if left_kind in {"string", "list", "dict"} or right_kind in {"string", "list", "dict"}:
        return plain(c, op, left, right, at)
    if left_kind == "float" or right_kind == "float":
        return _float_ring(c, op, left, left_kind, right, right_kind, at)
    test, left, right = _guard(c, left, left_kind, right, right_kind, at)
    fast = wrap(c, binary(left, RING[op], right, at), at)
    return fast if test is None else choose(test, fast, plain(c, op, left, right, at), at)


def _float_ring(
    c: Emitter,
    op: str,
    left: ast.expr,
    left_kind: str | None,
    right: ast.expr,
    right_kind: str | None,
    at: At,
) -> ast.expr:
    first_left, left = named(c, left, at)
    first_right, right = named(c, right, at)
    unknown, known = (first_right, first_left) if left_kind == "float" else (first_left, first_right)
    float_name = c.helper("float", at)
    if known.__class__ is ast.NamedExpr or right_kind == left_kind:
        test = ast.Compare(class_of(first_left, at), [IS, IS], [class_of(first_right, at), float_name], **at)
    else:
        test = compare(class_of(unknown, at), IS, float_name, at)
    return choose(test, binary(left, RING[op], right, at), plain(c, op, left, right, at), at)


def _concatenation(c: Emitter, value: ast.expr, at: At) -> ast.expr:
    first, again = named(c, value, at)
    length = ast.Call(c.helper("len", at), [first], [], **at)
    limit = c.helper("most", at)
    return choose(compare(length, ast.LtE(), limit, at), again, c.call("too_large", [], at), at)


def _order(
    c: Emitter,
    op: str,
    left: ast.expr,
    left_kind: str | None,
    right: ast.expr,
    right_kind: str | None,
    at: At,
) -> ast.expr:
    if (left_kind in NUMBERS and right_kind in NUMBERS) or left_kind == right_kind == "string":
        return compare(left, ORDER[op], right, at)
    if not {left_kind, right_kind} <= {None, "int", "float"}:
        return plain(c, op, left, right, at)
    if "float" in {left_kind, right_kind}:
        first_left, left = named(c, left, at)
        first_right, right = named(c, right, at)
        test = ast.Compare(class_of(first_left, at), [IS, IS], [class_of(first_right, at), c.helper("float", at)], **at)
        return choose(test, compare(left, ORDER[op], right, at), plain(c, op, left, right, at), at)
    test_int, left, right = _guard(c, left, left_kind, right, right_kind, at)
    fast = compare(left, ORDER[op], right, at)
    return fast if test_int is None else choose(test_int, fast, plain(c, op, left, right, at), at)


def _equality(
    c: Emitter,
    left: ast.expr,
    left_kind: str | None,
    right: ast.expr,
    right_kind: str | None,
    at: At,
) -> ast.expr:
    if left.__class__ is ast.Constant and right.__class__ is not ast.Constant:
        left, left_kind, right, right_kind = right, right_kind, left, left_kind
    if right.__class__ is ast.Constant and right_kind in SINGLETONS:
        return compare(left, IS, right, at)
    if right_kind == "nil" or left_kind == "nil":
        return compare(left, IS, right, at)
    if left_kind in COMPARABLE and right_kind in COMPARABLE:
        return compare(left, EQ, right, at)
    if "string" in {left_kind, right_kind}:
        return compare(left, EQ, right, at)
    if right.__class__ is ast.Constant and right_kind == "int":
        if right.value not in {0, 1}:  # type: ignore[attr-defined]
            return compare(left, EQ, right, at)
        first, again = named(c, left, at)
        not_bool = compare(class_of(again, at), IS_NOT, c.helper("bool", at), at)
        return ast.BoolOp(AND, [compare(first, EQ, right, at), not_bool], **at)
    if not {left_kind, right_kind} <= {None, "int", "float"}:
        return plain(c, "==", left, right, at)
    test, left, right = _guard(c, left, left_kind, right, right_kind, at)
    fast = compare(left, EQ, right, at)
    return fast if test is None else choose(test, fast, plain(c, "==", left, right, at), at)


def _division(
    c: Emitter,
    op: str,
    left: ast.expr,
    left_kind: str | None,
    right: ast.expr,
    right_kind: str | None,
    at: At,
) -> ast.expr:
    kinds = {left_kind, right_kind}
    if op == "/" and kinds <= NUMBERS and "float" in kinds:
        first, again = named(c, right, at)
        if first is again:
            test: ast.expr = first
            return choose(test, binary(left, ast.Div(), right, at), plain(c, op, left, right, at), at)
        first_left, left = named(c, left, at)
        if first_left is not left:
            first = ast.Subscript(ast.Tuple([first_left, first], LOAD, **at), constant(1, at), LOAD, **at)
        return choose(first, binary(left, ast.Div(), again, at), plain(c, op, left, again, at), at)
    if op == "/" and kinds == {None, "float"}:
        first_left, left = named(c, left, at)
        first_right, right = named(c, right, at)
        is_float = ast.Compare(class_of(first_left, at), [IS, IS], [class_of(first_right, at), c.helper("float", at)], **at)
        safe = ast.BoolOp(AND, [is_float, right], **at)
        return choose(safe, binary(left, ast.Div(), right, at), plain(c, op, left, right, at), at)
    if not kinds <= {None, "int"}:
        return plain(c, op, left, right, at)
    first_left, left = named(c, left, at)
    first_right, right = named(c, right, at)
    tests: list[ast.expr] = []
    python = ast.FloorDiv() if op == "/" else ast.Mod()
    zero = constant(0, at)
    if kinds == {"int"}:
        tests.append(compare(first_left, ast.GtE(), zero, at))
    else:
        c.helpers["int"] = None
        tests.append(
            ast.Compare(class_of(first_left, at), [IS, IS], [class_of(first_right, at), name("_int", at)], **at),
        )
        first_right = right
        tests.append(compare(left, ast.GtE(), zero, at))
    if not (right.__class__ is ast.Constant and right.value > 0):  # type: ignore[attr-defined]
        if kinds == {"int"} and first_right is not right:
            tests = [ast.Compare(first_left, [ast.GtE(), ast.Lt()], [zero, first_right], **at)]
            return _positive_division(c, op, python, (tests, first_left, left, first_right, right), at)
        tests.append(compare(right, ast.Gt(), zero, at))
    test = tests[0] if len(tests) == 1 else ast.BoolOp(AND, tests, **at)
    return choose(test, binary(left, python, right, at), plain(c, op, left, right, at), at)


def _positive_division(
    c: Emitter,
    op: str,
    python: ast.operator,
    sides: tuple[list[ast.expr], ast.expr, ast.expr, ast.expr, ast.expr],
    at: At,
) -> ast.expr:
    """Divide ints whose right side must be evaluated after the left one, whatever the left one's sign is."""
    _tests, first_left, left, first_right, right = sides
    both = ast.Tuple([first_left, first_right], LOAD, **at)
    zero = constant(0, at)
    positive = ast.BoolOp(AND, [both, compare(left, ast.GtE(), zero, at), compare(right, ast.Gt(), zero, at)], **at)
    return choose(positive, binary(left, python, right, at), plain(c, op, left, right, at), at)


def write_unary(c: Emitter, node: nodes.UnaryExpr) -> ast.expr:
    """Write `!x` or `-x`."""
    at = c.where(node)
    if node.op == "!":
        return ast.UnaryOp(NOT, c.condition(node.operand), **at)
    operand = node.operand
    if isinstance(operand, nodes.LiteralExpr) and operand.kind in NUMBERS and operand.value != -(1 << 63):
        return constant(-operand.value, at)  # type: ignore[operator]
    value = c.expr(operand)
    kind = kind_of(c, operand)
    if kind == "float" and not c.plain:
        return ast.UnaryOp(ast.USub(), value, **at)
    return c.call("negate", [value], at)


def write_logic(c: Emitter, node: nodes.BinaryExpr) -> ast.expr:
    """Write `&&` or `||`, which give booleans."""
    at = c.where(node)
    test = c.condition(node)
    if isinstance(test, ast.Constant) or kind_of(c, node.left) == kind_of(c, node.right) == "bool":
        return test
    return choose(test, constant(True, at), constant(False, at), at)


def write_condition_pair(c: Emitter, node: nodes.BinaryExpr) -> ast.expr:
    """Write `&&` or `||` where only the truth of the result matters."""
    at = c.where(node)
    left = c.condition(node.left)
    out: list[ast.stmt] = []
    with c.writing(out):
        right = c.condition(node.right)
    op = AND if node.op == "&&" else OR
    if not out:
        return ast.BoolOp(op, [left, right], **at)
    temp = c.temp()
    place = ast.Name(temp, ast.Store(), **at)
    c.out.append(ast.Assign([place], left, **at))
    out.append(ast.Assign([ast.Name(temp, ast.Store(), **at)], right, **at))
    test: ast.expr = name(temp, at)
    c.out.append(ast.If(test if node.op == "&&" else ast.UnaryOp(NOT, test, **at), out, [], **at))
    return name(temp, at)


def write_default(c: Emitter, node: nodes.BinaryExpr) -> ast.expr:
    """Write `a ?? b`: b only where a is nil."""
    at = c.where(node)
    left = c.expr(node.left)
    out: list[ast.stmt] = []
    with c.writing(out):
        right = c.expr(node.right)
    if not out:
        first, again = named(c, left, at)
        return choose(compare(first, IS_NOT, constant(None, at), at), again, right, at)
    temp = c.temp()
    c.out.append(ast.Assign([ast.Name(temp, ast.Store(), **at)], left, **at))
    out.append(ast.Assign([ast.Name(temp, ast.Store(), **at)], right, **at))
    c.out.append(ast.If(compare(name(temp, at), IS, constant(None, at), at), out, [], **at))
    return name(temp, at)


BINARY = {"&&": write_logic, "||": write_logic, "??": write_default}


def write_operator(c: Emitter, node: nodes.BinaryExpr) -> ast.expr:
    """Write any operator with two sides."""
    return BINARY.get(node.op, write_binary)(c, node)
