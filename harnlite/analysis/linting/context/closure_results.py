"""What a closure gives back: the expressions whose values may be its result."""

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
"""What has a body of its own, whose returns are not those of the function around it."""
_YIELDING = (nodes.YieldStmt, nodes.EmitStmt)


class Result:
    """One expression whose value a closure may give back; the only one, if nothing else can be."""

    __slots__ = ("is_only", "node")

    def __init__(self, node: nodes.Expr) -> None:
        self.node = node
        self.is_only = False


def results_of(function: Function) -> list[Result]:
    """Return what a function may give back, in the order of its text; nothing for one that makes a generator."""
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
        # A single exit on the outermost level: whatever happens, this is the result.
        found[0].is_only = isinstance(last, nodes.ReturnStmt) or (
            isinstance(last, nodes.ExprStmt) and last.value is found[0].node
        )
    return sorted(found, key=lambda result: result.node.start)


def own_nodes(body: nodes.Block) -> Iterator[nodes.Node]:
    """Yield what is below a body, functions inside it left out."""
    pending: list[nodes.Node] = list(body.statements)
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, OWN_BODIES):
            pending += node.children()


def _branches(value: nodes.Expr) -> Iterator[nodes.Expr]:
    """Yield the expressions one of which gives the value."""
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
