"""HARN-LNT-004: code can never run, in cases that the static check does not report."""

from __future__ import annotations

from harnlite.analysis.linting.context.discarded_values import is_known_unreachable
from harnlite.analysis.linting.context.rule import Rule
from harnlite.diagnostics.diagnostic import Label
from harnlite.diagnostics.source import Span
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.analysis.linting.context.linted_file import Linting

_ENDING_CALLS = frozenset({"exit", "throw_error", "unreachable"})


def _match(linting: Linting, node: nodes.MatchExpr) -> None:
    """Report arms below an arm that matches everything."""
    for index, arm in enumerate(node.arms[:-1]):
        if arm.guard is None and isinstance(arm.pattern, (nodes.WildcardPattern, nodes.BindPattern)):
            text = linting.text(arm.pattern)
            label = Label(Span(arm.pattern.start, arm.pattern.end), "this arm matches everything")
            for below in node.arms[index + 1 :]:
                message = f"this arm is never reached: `{text}` above matches everything"
                linting.report(RULE, below.pattern, message, labels=[label], tags=("unnecessary",))
            return


def _block(linting: Linting, node: nodes.Block | nodes.Module) -> None:
    """Report statements after a call that never returns."""
    statements = node.statements
    for index, statement in enumerate(statements[:-1]):
        if isinstance(statement, nodes.ExprStmt) and _never_returns(linting, statement.value):
            _report_rest(linting, statement, statements[index + 1 :])
            return


def _never_returns(linting: Linting, value: nodes.Expr) -> bool:
    callee = value.callee if isinstance(value, nodes.CallExpr) else None
    if not isinstance(callee, nodes.NameExpr) or callee.name not in _ENDING_CALLS:
        return False
    return linting.resolution.bindings.get(callee) is None


def _report_rest(linting: Linting, last: nodes.ExprStmt, rest: Sequence[nodes.Stmt]) -> None:
    reached = next((one for one in rest if not isinstance(one, (nodes.Decl, nodes.ImportDecl))), None)
    if reached is None or is_known_unreachable(linting, reached):
        return
    label = Label(Span(last.start, last.end), "this call never returns")
    message = "this code is never reached"
    linting.report(RULE, Span(reached.start, rest[-1].end), message, labels=[label], tags=("unnecessary",))


RULE = Rule(
    "HARN-LNT-004",
    "unreachable-code",
    "code can never run",
    visits={nodes.MatchExpr: _match, nodes.Block: _block, nodes.Module: _block},
)
