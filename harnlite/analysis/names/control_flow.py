"""Visit loops, branches and blocks, for the resolver."""

from __future__ import annotations

from functools import partial

from harnlite.analysis.names.pattern_names import bind_match_pattern, bind_pattern, opaque
from harnlite.analysis.names.scopes import Scope
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.analysis.names.resolver import Resolver


def visit_while(r: Resolver, node: nodes.WhileStmt) -> None:
    """Visit a `while` loop."""
    r.visit(node.condition)
    r.block(node.body, loop=node)


def visit_for(r: Resolver, node: nodes.ForStmt) -> None:
    """Visit a `for` loop, whose variables are bound in its body."""
    r.visit(node.iterable)

    def bind() -> None:
        bind_pattern(r, node.pattern, "loop")
        if isinstance(node.pattern, nodes.NamePattern):
            binding = r.result.bindings[node.pattern]
            if binding is not None:
                binding.values[-1] = node

    r.block(node.body, loop=node, bind=bind)


def visit_retry(r: Resolver, node: nodes.RetryExpr) -> None:
    """Visit a `retry`, whose body is a loop."""
    r.visit(node.count)
    r.block(node.body, loop=node)


def visit_block(r: Resolver, node: nodes.Block) -> None:
    """Visit a block."""
    r.block(node)


def visit_match(r: Resolver, node: nodes.MatchExpr) -> None:
    """Visit a `match`; each arm has a scope."""
    r.visit(node.subject)
    for arm in node.arms:
        outer = r.scope
        r.scope = Scope(r.frame, outer, outer.loop)
        bind_match_pattern(r, arm.pattern)
        if arm.guard is not None:
            r.visit(arm.guard)
        r.result.scopes[arm.body] = r.scope
        r.statements(arm.body.statements)
        r.scope = outer


def visit_try(r: Resolver, node: nodes.TryExpr) -> None:
    """Visit a `try` with its `catch` and `finally`."""
    r.block(node.body)
    if node.catch_body is not None:
        name = node.catch_name
        r.block(
            node.catch_body,
            bind=None if name is None else lambda: opaque(r.declare(name.text, "catch", name)),
        )
    if node.finally_body is not None:
        r.block(node.finally_body)


def _bind_received(r: Resolver, name: nodes.Ident) -> None:
    opaque(r.declare(name.text, "select", name))


def visit_select(r: Resolver, node: nodes.SelectStmt) -> None:
    """Visit a `select`; each case binds what it receives."""
    for case in node.cases:
        r.visit(case.channel)
    if node.timeout is not None:
        r.visit(node.timeout)
    for case in node.cases:
        r.block(case.body, bind=partial(_bind_received, r, case.name))
    for body in (node.timeout_body, node.default_body):
        if body is not None:
            r.block(body)
