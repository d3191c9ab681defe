"""HARN-LNT-022: a function has too many branches."""

from __future__ import annotations

from harnlite.analysis.linting.context.rule import Rule
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.analysis.linting.context.linted_file import Linting

MOST = 25
_ALLOWING = "complexity"
_BRANCHING = (
    nodes.IfExpr,
    nodes.TernaryExpr,
    nodes.WhileStmt,
    nodes.ForStmt,
    nodes.GuardStmt,
    nodes.MatchArm,
    nodes.SelectCase,
)
_NESTED = (nodes.FnDecl, nodes.ClosureExpr)
_DECIDING = frozenset({"&&", "||", "??"})

_SIGNS = ("if", "?", "for", "while", "guard", "->", "from", "&&", "||", "catch")
"""Each decision contains one of these; counting them is a fast first test."""


def _function(linting: Linting, node: nodes.FnDecl | nodes.PipelineDecl | nodes.ToolDecl) -> None:
    if node.body is None or any(one.name.text == _ALLOWING for one in node.attributes):
        return
    text = linting.text(node.body)
    if sum(map(text.count, _SIGNS)) < MOST:
        return
    branches = _branches(node.body)
    if branches > MOST:
        advice = ["move parts of it into separate functions, or annotate it with `@complexity(allow)`"]
        message = f"`{node.name.text}` has {branches} branches, more than {MOST}"
        linting.report(RULE, node.name, message, help=advice)


def _branches(body: nodes.Block) -> int:
    """Return the number of decisions in a body plus one; nested functions are counted separately."""
    branches = 1
    pending: list[nodes.Node] = list(body.statements)
    while pending:
        node = pending.pop()
        if isinstance(node, _NESTED):
            continue
        branches += _decides(node)
        pending += node.children()
    return branches


def _decides(node: nodes.Node) -> bool:
    if isinstance(node, nodes.BinaryExpr):
        return node.op in _DECIDING
    if isinstance(node, nodes.TryExpr):
        return node.catch_body is not None
    return isinstance(node, _BRANCHING)


RULE = Rule(
    "HARN-LNT-022",
    "complexity",
    "a function has too many branches",
    visits={nodes.FnDecl: _function, nodes.PipelineDecl: _function, nodes.ToolDecl: _function},
)
