"""Determine whether the value of a statement is used or discarded."""

from __future__ import annotations

from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.analysis.linting.context.linted_file import Linting

_BRANCHES = (nodes.IfExpr, nodes.MatchExpr, nodes.TryExpr, nodes.RetryExpr, nodes.DeadlineExpr)
_DROPPING = (
    nodes.FnDecl,
    nodes.WhileStmt,
    nodes.ForStmt,
    nodes.GuardStmt,
    nodes.DeferStmt,
    nodes.MutexStmt,
)
_FUNCTIONS = (
    nodes.FnDecl,
    nodes.ClosureExpr,
    nodes.ToolDecl,
    nodes.SpawnExpr,
    nodes.ParallelExpr,
    nodes.PipelineDecl,
    nodes.DeferStmt,
)


class Outcome:
    """The use of the value of a statement: whether it is discarded, and the `fn` whose last value it is.

    `is_branch` is true if it is the value of a branch, such as a branch of an `if`, which is discarded as a whole.
    """

    __slots__ = ("function", "is_branch", "is_dropped")

    def __init__(self, *, is_dropped: bool, is_branch: bool = False, function: nodes.FnDecl | None = None) -> None:
        self.is_dropped = is_dropped
        self.is_branch = is_branch
        self.function = function


def outcome_of(linting: Linting, statement: nodes.Stmt) -> Outcome:
    """Return how the value of a statement is used."""
    parents = linting.parents
    node: nodes.Node = statement
    while True:
        block = parents[node]
        if not isinstance(block, nodes.Block):
            return Outcome(is_dropped=isinstance(block, nodes.Module), is_branch=node is not statement)
        owner = parents[block]
        if block.statements[-1] is not node:
            is_dropped = not isinstance(owner, nodes.OverrideDecl)
            return Outcome(is_dropped=is_dropped, is_branch=node is not statement)
        if isinstance(owner, _DROPPING) or (isinstance(owner, nodes.TryExpr) and owner.finally_body is block):
            function = owner if isinstance(owner, nodes.FnDecl) and not owner.is_gen else None
            return Outcome(is_dropped=True, is_branch=node is not statement, function=function)
        if isinstance(owner, nodes.MatchArm):
            owner = parents[owner]
        if not isinstance(owner, _BRANCHES):
            return Outcome(is_dropped=False)
        above = parents[owner]
        while isinstance(above, nodes.IfExpr) and above.otherwise is owner:
            owner, above = above, parents[above]
        if not isinstance(above, nodes.ExprStmt):
            return Outcome(is_dropped=False)
        node = above


def is_known_unreachable(linting: Linting, statement: nodes.Stmt) -> bool:
    """Return whether the static check has reported a statement as unreachable."""
    return any(one.message == "unreachable code" and one.span.start == statement.start for one in linting.checks)


def is_tried(linting: Linting, node: nodes.Node) -> bool:
    """Return whether a node is inside a `try`, `retry` or `deadline`; it may be there only for its error."""
    parents = linting.parents
    while not isinstance(node, (nodes.Module, *_FUNCTIONS)):
        above = parents[node]
        if isinstance(above, nodes.TryExpr) and above.body is node:
            return True
        if isinstance(above, (nodes.RetryExpr, nodes.DeadlineExpr)) and above.body is node:
            return True
        node = above
    return False
