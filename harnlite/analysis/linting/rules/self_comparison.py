"""HARN-LNT-007: a value is compared with itself."""

from __future__ import annotations

from harnlite.analysis.linting.context.rule import Rule
from harnlite.syntax import nodes
from harnlite.syntax.visitor import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.analysis.linting.context.linted_file import Linting

_COMPARISONS = frozenset({"==", "!=", "<", ">", "<=", ">="})
_STILL = (
    nodes.NameExpr,
    nodes.LiteralExpr,
    nodes.PropertyExpr,
    nodes.IndexExpr,
    nodes.BinaryExpr,
    nodes.UnaryExpr,
    nodes.Ident,
)


def _binary(linting: Linting, node: nodes.BinaryExpr) -> None:
    if node.op in _COMPARISONS and is_same(node.left, node.right) and is_plain(node.left):
        linting.report(RULE, node, f"`{linting.text(node.left)}` is compared with itself")


def is_plain(node: nodes.Node) -> bool:
    """Say whether an expression names something and gives the same value each time it is looked at."""
    parts = list(walk(node))
    return all(isinstance(part, _STILL) for part in parts) and any(isinstance(part, nodes.NameExpr) for part in parts)


def is_same(left: nodes.Node, right: nodes.Node) -> bool:
    """Say whether two plain expressions are written alike, blanks and parentheses aside."""
    if left.__class__ is not right.__class__ or _told(left) != _told(right):
        return False
    ours, others = left.children(), right.children()
    return len(ours) == len(others) and all(map(is_same, ours, others))


def _told(node: nodes.Node) -> object:
    """Return what a node says beside the nodes below it."""
    if isinstance(node, nodes.LiteralExpr):
        return node.kind, node.value
    if isinstance(node, (nodes.BinaryExpr, nodes.UnaryExpr)):
        return node.op
    return node.name if isinstance(node, nodes.NameExpr) else node.text if isinstance(node, nodes.Ident) else None


RULE = Rule(
    "HARN-LNT-007",
    "self-comparison",
    "a value is compared with itself",
    visits={nodes.BinaryExpr: _binary},
)
