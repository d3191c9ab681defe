"""HARN-LNT-021: a `finally` block is exited early, which discards the error that is being thrown."""

from __future__ import annotations

from harnlite.analysis.linting.context.rule import Rule
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnlite.analysis.linting.context.linted_file import Linting

_FUNCTIONS = (
    nodes.FnDecl,
    nodes.ImplDecl,
    nodes.ClosureExpr,
    nodes.ToolDecl,
    nodes.SpawnExpr,
    nodes.ParallelExpr,
    nodes.DeferStmt,
)
_LOOPS = (nodes.WhileStmt, nodes.ForStmt)


def _try(linting: Linting, node: nodes.TryExpr) -> None:
    if node.finally_body is not None:
        for leaving in _leaving(node.finally_body):
            word = linting.text(leaving).split(maxsplit=1)[0]
            message = f"`{word}` in a `finally` discards a pending error or result"
            linting.report(RULE, leaving, message)


def _leaving(body: nodes.Block) -> Iterator[nodes.Stmt]:
    """Yield the statements that exit a block: `return`, and `break` and `continue` for a loop around it."""
    pending: list[tuple[nodes.Node, bool]] = [(body, False)]
    while pending:
        node, in_loop = pending.pop()
        if isinstance(node, nodes.ReturnStmt) or (
            isinstance(node, (nodes.BreakStmt, nodes.ContinueStmt)) and not in_loop
        ):
            yield node
        if not isinstance(node, _FUNCTIONS):
            in_loop = in_loop or isinstance(node, _LOOPS)
            pending += [(child, in_loop) for child in node.children()]


RULE = Rule(
    "HARN-LNT-021",
    "unsafe-finally",
    "a `finally` block is exited early",
    visits={nodes.TryExpr: _try},
)
