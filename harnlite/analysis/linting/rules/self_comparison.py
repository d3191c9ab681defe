"""HARN-LNT-007: a value is compared with itself."""

from __future__ import annotations

from harnlite.analysis.linting.context.rule import Rule
from harnlite.syntax import nodes
from harnlite.syntax.visitor import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.analysis.linting.context.linted_file import Linting

_COMPARISONS = frozenset({"==", "!=", "<", ">", "<=", ">="})
_STABLE = (
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
    """Return whether an expression contains a name and has the same value on each evaluation."""
    parts = list(walk(node))
    return all(isinstance(part, _STABLE) for part in parts) and any(isinstance(part, nodes.NameExpr) for part in parts)


def is_same(left: nodes.Node, right: nodes.Node) -> bool:
    """Return whether two plain expressions are equal except for blanks and parentheses."""
    if left.__class__ is not right.__class__ or _own_content(left) != _own_content(right):
        return False
    ours, others = left.children(), right.children()
    return len(ours) == len(others) and all(map(is_same, ours, others))


def _own_content(node: nodes.Node) -> object:
    """Return the content of a node without the nodes below it."""
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
