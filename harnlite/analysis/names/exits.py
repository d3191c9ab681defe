"""The ways in which functions give values: what the resolver notes in the frame of a function."""

from __future__ import annotations

from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.analysis.names.resolver import Resolver

JUMPING = (nodes.CallExpr, nodes.PipeExpr, nodes.IfExpr, nodes.MatchExpr)


def note_return(r: Resolver, node: nodes.ReturnStmt) -> None:
    """Note a value that a function returns, and visit it."""
    if node.value is not None:
        r.frame.may_jump |= isinstance(node.value, JUMPING)
        r.visit(node.value)
    r.frame.returned.append(node.value)


def note_propagation(r: Resolver, node: nodes.PropagateExpr) -> None:
    """Note that a function may return an error by `?`, and visit the operand."""
    r.frame.propagates = True
    r.visit(node.value)


def note_yield(r: Resolver, node: nodes.YieldStmt | nodes.EmitStmt) -> None:
    """Note that a function yields or emits, and visit the value."""
    r.frame.has_yield = True
    if node.value is not None:
        r.visit(node.value)
