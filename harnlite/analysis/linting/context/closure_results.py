"""Results of functions and closures: the expressions whose values they may return."""

from __future__ import annotations

from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnlite.analysis.linting.context.constant_values import Function

OWN_BODIES = (
    nodes.ClosureExpr,
    nodes.FnDecl,
    nodes.ImplDecl,
    nodes.ToolDecl,
    nodes.PipelineDecl,
    nodes.SpawnExpr,
    nodes.ParallelExpr,
)
"""Nodes with their own body; a `return` in it does not belong to the enclosing function."""
_YIELDING = (nodes.YieldStmt, nodes.EmitStmt)


class Result:
    """One expression whose value a function may return; `is_only` if it certainly returns this value."""

    __slots__ = ("is_only", "node")

    def __init__(self, node: nodes.Expr) -> None:
        self.node = node
        self.is_only = False


def results_of(function: Function) -> list[Result]:
    """Return the possible results of a function, in the order of its text; none for a generator."""
    body = function.node.body
    if body is None:
        return []
    returned: list[nodes.Expr] = []
    exits = 0
    for node in own_nodes(body):
        if isinstance(node, _YIELDING):
            return []
        if isinstance(node, nodes.ReturnStmt):
            exits += 1
            if node.value is not None:
                returned.append(node.value)
        exits += isinstance(node, nodes.ThrowStmt)
    last = body.statements[-1] if body.statements else None
    if isinstance(function.node, nodes.ClosureExpr) and isinstance(last, nodes.ExprStmt):
        exits += 1
        returned.append(last.value)
    found = [Result(node) for value in returned for node in _branches(value)]
    if exits == 1 and len(found) == 1:
        # With a single exit at the outermost level, this is certainly the result.
        found[0].is_only = isinstance(last, nodes.ReturnStmt) or (
            isinstance(last, nodes.ExprStmt) and last.value is found[0].node
        )
    return sorted(found, key=lambda result: result.node.start)


def own_nodes(body: nodes.Block) -> Iterator[nodes.Node]:
    """Yield the nodes below a body, except those inside nested functions."""
    pending: list[nodes.Node] = list(body.statements)
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, OWN_BODIES):
            pending += node.children()


def _branches(value: nodes.Expr) -> Iterator[nodes.Expr]:
    """Yield the expressions of which one produces the value."""
    pending: list[nodes.Node | None] = [value]
    while pending:
        node = pending.pop()
        if isinstance(node, nodes.Block):
            last = node.statements[-1] if node.statements else None
            pending.append(last.value if isinstance(last, nodes.ExprStmt) else None)
        elif isinstance(node, (nodes.IfExpr, nodes.TernaryExpr)):
            pending += [node.then, node.otherwise]
        elif isinstance(node, nodes.MatchExpr):
            pending += [arm.body for arm in node.arms]
        elif isinstance(node, nodes.TryExpr) and node.catch_body is not None:
            pending += [node.body, node.catch_body]
        elif isinstance(node, (nodes.RetryExpr, nodes.DeadlineExpr)):
            pending.append(node.body)
        elif isinstance(node, nodes.BinaryExpr) and node.op == "??":
            pending += [node.left, node.right]
        elif isinstance(node, nodes.Expr):
            yield node
