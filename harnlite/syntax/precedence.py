"""The precedence of binary operators, and the conversion of a flat sequence of operands and operators to a tree."""

from __future__ import annotations

from harnlite.syntax.nodes import BinaryExpr, Expr

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from harnlite.syntax.tokens import Token

LEVELS = {
    "OR": 1,
    "AND": 2,
    "EQ": 3,
    "NE": 3,
    "LT": 4,
    "GT": 4,
    "LE": 4,
    "GE": 4,
    "IN": 4,
    "NOTIN": 4,
    "PLUS": 5,
    "MINUS": 5,
    "COALESCE": 6,
    "STAR": 7,
    "SLASH": 7,
    "PERCENT": 7,
    "POWER": 8,
}
"""The precedence of each operator; `**` associates to the right, all others to the left."""

_RIGHT = LEVELS["POWER"]


def climb(run: Sequence[Expr | Token]) -> Expr:
    """Return the tree for a sequence of operands with operators between them."""
    operands: list[Any] = [run[0]]
    waiting: list[Token] = []
    levels: list[int] = []
    for index in range(1, len(run), 2):
        operator: Any = run[index]
        level = LEVELS[operator.kind]
        while levels and (levels[-1] > level or (levels[-1] == level != _RIGHT)):
            levels.pop()
            _reduce(operands, waiting.pop())
        waiting.append(operator)
        levels.append(level)
        operands.append(run[index + 1])
    while waiting:
        _reduce(operands, waiting.pop())
    tree: Expr = operands[0]
    return tree


def _reduce(operands: list[Expr], operator: Token) -> None:
    right = operands.pop()
    left = operands[-1]
    operands[-1] = BinaryExpr(left.start, right.end, operator.text, left, right, operator.start)
