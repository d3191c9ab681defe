"""HARN-LNT-007: a value is compared with itself."""

from __future__ import annotations

from harnlite.analysis.rule import Rule
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.analysis.linting import Linting

_COMPARISONS = frozenset({"==", "!=", "<", ">", "<=", ">="})


def _binary(linting: Linting, node: nodes.BinaryExpr) -> None:
    if node.op in _COMPARISONS and is_plain(node.left) and is_same(node.left, node.right):
        linting.report(RULE, node, f"`{linting.text(node.left)}` is compared with itself")


def is_plain(node: nodes.Expr) -> bool:
    """Say whether an expression is a name, or properties of one: it gives the same value each time."""
    while isinstance(node, nodes.PropertyExpr):
        node = node.receiver
    return isinstance(node, nodes.NameExpr)


def is_same(left: nodes.Node, right: nodes.Node) -> bool:
    """Say whether two plain expressions read the same place."""
    if isinstance(left, nodes.PropertyExpr) and isinstance(right, nodes.PropertyExpr):
        return left.name.text == right.name.text and is_same(left.receiver, right.receiver)
    return isinstance(left, nodes.NameExpr) and isinstance(right, nodes.NameExpr) and left.name == right.name


RULE = Rule(
    "HARN-LNT-007",
    "self-comparison",
    "a value is compared with itself",
    visits={nodes.BinaryExpr: _binary},
)
