"""HARN-LNT-016: a condition always has the same result."""

from __future__ import annotations

from harnlite.analysis.linting.context.rule import Rule
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.analysis.linting.context.linted_file import Linting

_CALLABLE = frozenset({"fn"})


def _if(linting: Linting, node: nodes.IfExpr | nodes.TernaryExpr | nodes.GuardStmt) -> None:
    _judge(linting, node.condition)


def _while(linting: Linting, node: nodes.WhileStmt) -> None:
    """Check the condition of a loop; `while true` is assumed to be intended."""
    if not (isinstance(node.condition, nodes.LiteralExpr) and node.condition.value):
        _judge(linting, node.condition)


def _arm(linting: Linting, node: nodes.MatchArm) -> None:
    if node.guard is not None:
        _judge(linting, node.guard)


def _judge(linting: Linting, condition: nodes.Expr) -> None:
    """Check a condition and its operands of `!`, `&&` and `||`."""
    pending = [condition]
    while pending:
        node = pending.pop()
        if isinstance(node, nodes.UnaryExpr) and node.op == "!":
            pending.append(node.operand)
        elif isinstance(node, nodes.BinaryExpr) and node.op in ("&&", "||"):
            pending += (node.right, node.left)
        elif isinstance(node, nodes.LiteralExpr):
            _judge_literal(linting, node)
        elif isinstance(node, nodes.NameExpr):
            _judge_name(linting, node)


def _judge_literal(linting: Linting, node: nodes.LiteralExpr) -> None:
    text = linting.text(node)
    word = "true" if node.value else "false"
    message = "this condition never changes" if text == word else f"`{text}` as a condition is always {word}"
    linting.report(RULE, node, message)


def _judge_name(linting: Linting, node: nodes.NameExpr) -> None:
    binding = linting.resolution.bindings.get(node)
    if binding is not None and binding.kind in _CALLABLE:
        advice = [f"write `{node.name}()` to call it"]
        linting.report(RULE, node, f"`{node.name}` is a function, which is always true as a condition", help=advice)


RULE = Rule(
    "HARN-LNT-016",
    "constant-condition",
    "a condition always has the same result",
    visits={
        nodes.IfExpr: _if,
        nodes.TernaryExpr: _if,
        nodes.GuardStmt: _if,
        nodes.WhileStmt: _while,
        nodes.MatchArm: _arm,
    },
)
