"""Upper bounds for ints that are certain from the source; ints that cannot exceed 64 bits need no wrapping.

A counter starts with a small value and changes in small steps. Its bound follows from the longest possible run: 2**44
steps take about six days in a tight loop that does nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnlite.compiler.builtin_kinds import low_of_range
from harnlite.compiler.inference import kind_of
from harnlite.syntax import nodes

if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.analysis.names.scopes import Binding
    from harnlite.compiler.emitter import Emitter

WORD_BITS = 63
STEP_BITS = 16
START_BITS = 40
MOST_LOW_BITS = 56
RUN_BITS = 44
LENGTH_BITS = 40
UNKNOWN = 64
DEEPEST = 12
SIZED = frozenset({"list", "string", "dict"})
RAISING: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: max(a, b) + 1,
    "-": lambda a, b: max(a, b) + 1,
    "*": lambda a, b: a + b,
}


def fits(c: Emitter, node: nodes.Expr) -> bool:
    """Return whether it is certain that an int expression stays within 64 bits."""
    return bits_of(c, node) <= WORD_BITS


def int_of(node: object) -> int | None:
    """Return the value of an int literal, or None for another node."""
    if isinstance(node, nodes.LiteralExpr) and node.kind == "int" and isinstance(node.value, int):
        return node.value
    return None


def bits_of(c: Emitter, node: object, depth: int = 0) -> int:
    """Return the maximum number of bits of an int expression, or UNKNOWN."""
    literal = int_of(node)
    if literal is not None:
        return literal.bit_length()
    if depth > DEEPEST:
        return UNKNOWN
    if isinstance(node, nodes.NameExpr):
        binding = c.bindings.get(node)
        return UNKNOWN if binding is None else variable_bits(c, binding)
    if isinstance(node, nodes.BinaryExpr):
        left, right = bits_of(c, node.left, depth + 1), bits_of(c, node.right, depth + 1)
        if node.op in RAISING:
            return RAISING[node.op](left, right)
        if node.op == "%" and kind_of(c, node) == "int":
            return min(left, right)
        return left if node.op == "/" and kind_of(c, node) == "int" and left < UNKNOWN else UNKNOWN
    return _length_bits(c, node) if isinstance(node, nodes.CallExpr) else UNKNOWN


def _length_bits(c: Emitter, node: nodes.CallExpr) -> int:
    """Return the maximum number of bits of a call, which is known for the builtin `len`; a range can be very long."""
    callee = node.callee
    if not isinstance(callee, nodes.NameExpr) or callee.name != "len" or c.bindings.get(callee) is not None:
        return UNKNOWN
    if kind_of(c, node) != "int":
        return UNKNOWN
    return LENGTH_BITS if node.args and kind_of(c, node.args[0]) in SIZED else WORD_BITS


def variable_bits(c: Emitter, binding: Binding) -> int:
    """Return the maximum number of bits of an int variable, or UNKNOWN."""
    found = c.view.bits.get(binding)
    if found is None:
        c.view.bits[binding] = UNKNOWN
        found = c.view.bits[binding] = _counted_bits(c, binding)
    return found


def _counted_bits(c: Emitter, binding: Binding) -> int:
    if not binding.values or c.keep_globals or binding.kind == "param":
        return UNKNOWN
    most = first = 0
    for value in binding.values:
        if isinstance(value, nodes.ForStmt):
            # No loop runs so often that its variable leaves 64 bits.
            low = bits_of(c, low_of_range(c, value.iterable))
            if low > MOST_LOW_BITS:
                return UNKNOWN
            most = max(most, max(low, RUN_BITS) + 1)
            continue
        step = step_of(c, binding, value)
        if step is not None:
            if bits_of(c, step) > STEP_BITS:
                return UNKNOWN
            most = max(most, bits_of(c, step) + RUN_BITS)
            continue
        start = value.value if isinstance(value, nodes.AssignStmt) and value.op == "=" else value
        if isinstance(value, nodes.AssignStmt) and (value.op != "=" or not isinstance(value.target, nodes.NameExpr)):
            return UNKNOWN
        first = max(first, bits_of(c, start))
    if not most:
        return first
    return UNKNOWN if first > START_BITS else max(most, START_BITS) + 1


def step_of(c: Emitter, binding: Binding, value: object) -> nodes.Expr | None:
    """Return the expression that `x += e` or `x = x + e` adds to a variable, or None."""
    if not isinstance(value, nodes.AssignStmt) or not isinstance(value.target, nodes.NameExpr):
        return None
    if value.op in {"+=", "-="}:
        return value.value
    step = value.value
    if value.op != "=" or not isinstance(step, nodes.BinaryExpr) or step.op not in {"+", "-"}:
        return None
    return step.right if isinstance(step.left, nodes.NameExpr) and c.bindings.get(step.left) is binding else None


def is_natural(c: Emitter, node: object, depth: int = 0) -> bool:
    """Return whether it is certain that an int is not negative and cannot wrap to a negative value."""
    if isinstance(node, nodes.LiteralExpr):
        literal = int_of(node)
        return literal is not None and literal >= 0
    if depth > DEEPEST or bits_of(c, node) > WORD_BITS:
        return False
    if isinstance(node, nodes.NameExpr):
        binding = c.bindings.get(node)
        return binding is not None and _is_natural_variable(c, binding)
    if isinstance(node, nodes.BinaryExpr) and node.op in {"+", "*", "/", "%"}:
        return is_natural(c, node.left, depth + 1) and is_natural(c, node.right, depth + 1)
    # The length of a range of more than 2**63 ints is negative.
    return isinstance(node, nodes.CallExpr) and bits_of(c, node) <= LENGTH_BITS


def _is_natural_variable(c: Emitter, binding: Binding) -> bool:
    found = c.view.naturals.get(binding)
    if found is None:
        c.view.naturals[binding] = False
        found = c.view.naturals[binding] = all(_is_natural_value(c, binding, value) for value in binding.values)
    return found


def _is_natural_value(c: Emitter, binding: Binding, value: object) -> bool:
    if isinstance(value, nodes.ForStmt):
        return is_natural(c, low_of_range(c, value.iterable))
    step = step_of(c, binding, value)
    if step is not None and isinstance(value, nodes.AssignStmt):
        grown = value.value
        op = grown.op if value.op == "=" and isinstance(grown, nodes.BinaryExpr) else value.op
        return op in {"+", "+="} and is_natural(c, step)
    return is_natural(c, value.value if isinstance(value, nodes.AssignStmt) else value)
