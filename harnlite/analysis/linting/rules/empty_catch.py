"""HARN-LNT-011: errors are caught but not handled."""

from __future__ import annotations

import re

from harnlite.analysis.linting.context.discarded_values import outcome_of
from harnlite.analysis.linting.context.rule import Rule
from harnlite.analysis.linting.context.suppressions import WRITTEN
from harnlite.diagnostics.source import Span
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.analysis.linting.context.linted_file import Linting


def _try(linting: Linting, node: nodes.TryExpr) -> None:
    """Report a `catch` without statements, unless it has a comment or its value is used."""
    body = node.catch_body
    if body is None or body.statements or re.sub(WRITTEN, "", linting.text(body)).strip("{} \t\r\n;"):
        return
    statement = linting.parents[node]
    if not isinstance(statement, nodes.ExprStmt) or not outcome_of(linting, statement).is_dropped:
        return
    start = linting.source.text.rfind("catch", node.body.end, body.start)
    hidden = "error" if node.catch_type is None else f"`{linting.text(node.catch_type)}`"
    advice = ["handle the error, or explain in a comment why it is ignored"]
    linting.report(RULE, Span(max(start, node.body.end), body.end), f"this hides every {hidden}", help=advice)


RULE = Rule(
    "HARN-LNT-011",
    "empty-catch",
    "errors are caught but not handled",
    visits={nodes.TryExpr: _try},
)
