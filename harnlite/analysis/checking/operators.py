"""Check the operands of operators and infer the types of their results."""

from __future__ import annotations

from harnlite.analysis.types.annotations import expand
from harnlite.analysis.types.assignability import fits, without_nil
from harnlite.analysis.types.nominal import InterfaceInfo
from harnlite.analysis.types.representation import (
    ANY,
    BOOL,
    DICT,
    DURATION,
    FLOAT,
    INT,
    LIST,
    NEVER,
    STRING,
    UNKNOWN,
    Applied,
    Base,
    Function,
    Literal,
    Nominal,
    Parameter,
    Shape,
    Type,
    Union,
    join,
    text,
)
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from harnlite.analysis.checking.checker import Checker

_NUMBERS = frozenset({"int", "float"})
_ORDERED = frozenset({"int", "float", "string", "duration", "pair"})
_MIXABLE = frozenset({"int", "float", "string"})


def operand_kinds(kind: Type | None) -> list[str] | None:
    """Return the run-time kinds that a value may have, or None if one of them is unknown."""
    kind = expand(kind)
    if isinstance(kind, Base):
        return None if kind is ANY or kind is UNKNOWN or kind is NEVER else [kind.name]
    if isinstance(kind, Applied):
        return [kind.name]
    if kind is None or isinstance(kind, Parameter):
        return None
    if isinstance(kind, Union):
        return _union_kinds(kind)
    if isinstance(kind, Literal):
        return [kind.kind]
    if isinstance(kind, Nominal) and isinstance(kind.info, InterfaceInfo):
        return None
    return ["dict" if isinstance(kind, Shape) else "closure" if isinstance(kind, Function) else "value"]


def _union_kinds(kind: Union) -> list[str] | None:
    kinds: dict[str, None] = {}
    for member in kind.members:
        found = operand_kinds(member)
        if found is None:
            return None
        kinds.update(dict.fromkeys(found))
    return list(kinds)


def _pairs(left: list[str], right: list[str]) -> Iterator[tuple[str, str]]:
    return ((a, b) for a in left for b in right)


def _can_add(a: str, b: str) -> bool:
    return (a in _NUMBERS and b in _NUMBERS) or (a == b and a in ("string", "list", "dict", "duration"))


def _can_subtract(a: str, b: str) -> bool:
    return (a in _NUMBERS and b in _NUMBERS) or a == b == "duration"


def _can_multiply(a: str, b: str) -> bool:
    return (a in _NUMBERS and b in _NUMBERS) or {a, b} in ({"string", "int"}, {"duration", "int"})


def _can_divide(a: str, b: str) -> bool:
    return a in _NUMBERS and b in _NUMBERS


_ARITHMETIC: dict[str, tuple[Callable[[str, str], bool], str]] = {
    "+": (_can_add, "can't add {} and {}"),
    "-": (_can_subtract, "can't use '-' on {} and {} (needs numeric operands)"),
    "*": (_can_multiply, "can't multiply {} and {} (try string * int)"),
    "/": (_can_divide, "can't use '/' on {} and {} (needs numeric operands)"),
    "%": (_can_divide, "can't use '%' on {} and {} (needs numeric operands)"),
    "**": (_can_divide, "can't use '**' on {} and {} (needs numeric operands)"),
}


def arithmetic(
    c: Checker, op: str, left: Type | None, right: Type | None, places: tuple[nodes.Expr, nodes.Expr]
) -> Type | None:
    """Check the operands of an arithmetic operator and return the type of its result."""
    if left is None or right is None:
        return None
    if left is right and (left is INT or left is FLOAT):
        return _number(op, left, right)
    lefts, rights = operand_kinds(left), operand_kinds(right)
    if lefts is None or rights is None:
        return None
    allowed, message = _ARITHMETIC[op]
    if not any(allowed(a, b) for a, b in _pairs(lefts, rights)):
        one, other = places
        labels = [
            c.label(one.start, one.end, f"this is {text(left)}"),
            c.label(other.start, other.end, f"this is {text(right)}"),
        ]
        c.error(message.format(text(left), text(right)), one.start, other.end, labels, _advice(op, lefts, rights))
        return None
    return _result(op, left, right, lefts, rights)


def _advice(op: str, lefts: list[str], rights: list[str]) -> list[str]:
    if op == "+" and "string" in (*lefts, *rights):
        return ['put the value into the string ("${value}"), or convert it with to_string(value)']
    return []


def _number(op: str, left: Type, right: Type) -> Type | None:
    if left is FLOAT or right is FLOAT:
        return FLOAT
    return None if op == "**" else INT


def _result(op: str, left: Type, right: Type, lefts: list[str], rights: list[str]) -> Type | None:
    if len(lefts) != 1 or len(rights) != 1:
        return None
    a, b = lefts[0], rights[0]
    if a in _NUMBERS and b in _NUMBERS:
        return _number(op, FLOAT if a == "float" else INT, FLOAT if b == "float" else INT)
    if "duration" in (a, b):
        return DURATION
    if "string" in (a, b):
        return STRING
    if a == "list":
        same = isinstance(left, Applied) and isinstance(right, Applied) and left.args and right.args
        return left if same and text(left) == text(right) else LIST
    return DICT


def _compare(c: Checker, node: nodes.BinaryExpr) -> Type:
    left, right = c.infer(node.left), c.infer(node.right)
    if left is None or right is None:
        return BOOL
    lefts, rights = operand_kinds(left), operand_kinds(right)
    if lefts is None or rights is None or len(lefts) != 1 or len(rights) != 1:
        return BOOL
    a, b = lefts[0], rights[0]
    if (a in _NUMBERS and b in _NUMBERS) or (a == b and a in _ORDERED):
        return BOOL
    if a in _MIXABLE and b in _MIXABLE:
        message = f"Comparing {text(left)} with {text(right)} using '{node.op}' may give unexpected results"
    else:
        message = f"Comparison '{node.op}' may not be meaningful for types {text(left)} and {text(right)}"
    c.warning(message, node.start, node.end)
    return BOOL


def _equality(c: Checker, node: nodes.BinaryExpr) -> Type:
    c.infer(node.left)
    c.infer(node.right)
    return BOOL


def _logic(c: Checker, node: nodes.BinaryExpr) -> Type:
    c.condition(node)
    return BOOL


def _add_like(c: Checker, node: nodes.BinaryExpr) -> Type | None:
    left, right = c.infer(node.left), c.infer(node.right)
    if left is None or right is None:
        return None
    return arithmetic(c, node.op, left, right, (node.left, node.right))


def _coalesce(c: Checker, node: nodes.BinaryExpr) -> Type | None:
    left = c.infer(node.left)
    right = c.infer(node.right)
    if left is None or right is None or left is ANY or left is UNKNOWN:
        return None
    rest = without_nil(left)
    if rest is NEVER or rest is None:
        return right
    if rest is left and not fits(left, right):
        return None  # the script provides a default for nil, so the type without nil is not reliable
    return rest if fits(rest, right) and right is not NEVER and text(rest) == text(right) else join((rest, right))


_BINARY: dict[str, Callable[[Checker, nodes.BinaryExpr], Type | None]] = {
    **dict.fromkeys(_ARITHMETIC, _add_like),
    **dict.fromkeys(("<", ">", "<=", ">="), _compare),
    **dict.fromkeys(("==", "!=", "in", "not in"), _equality),
    **dict.fromkeys(("&&", "||"), _logic),
    "??": _coalesce,
}


def _binary(c: Checker, node: nodes.BinaryExpr) -> Type | None:
    return _BINARY[node.op](c, node)


def _unary(c: Checker, node: nodes.UnaryExpr) -> Type | None:
    if node.op == "!":
        c.condition(node.operand)
        return BOOL
    kind = c.infer(node.operand)
    return kind if kind is INT or kind is FLOAT or kind is DURATION else None


EXPRESSIONS: dict[type, Callable[..., Type | None]] = {nodes.BinaryExpr: _binary, nodes.UnaryExpr: _unary}
