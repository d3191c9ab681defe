"""HARN-LNT-015: an expression is used as a statement and has no effect."""

from __future__ import annotations

from harnlite.analysis.linting.context.discarded_values import is_known_unreachable, is_tried, outcome_of
from harnlite.analysis.linting.context.fix_edits import insertion
from harnlite.analysis.linting.context.purity import ACTING
from harnlite.analysis.linting.context.rule import Rule
from harnlite.diagnostics.diagnostic import Edit, Fix
from harnlite.diagnostics.source import Span
from harnlite.syntax import nodes
from harnlite.syntax.visitor import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.analysis.linting.context.linted_file import Linting

_IDLE: frozenset[type] = frozenset(
    {
        nodes.LiteralExpr,
        nodes.TemplateExpr,
        nodes.NameExpr,
        nodes.PropertyExpr,
        nodes.IndexExpr,
        nodes.SliceExpr,
        nodes.BinaryExpr,
        nodes.UnaryExpr,
        nodes.ListExpr,
        nodes.DictExpr,
        nodes.StructExpr,
        nodes.RangeExpr,
        nodes.ClosureExpr,
    }
)
_COMPARING = frozenset({"==", "!=", "<", ">", "<=", ">="})
_ACTING = (*ACTING, nodes.IfExpr, nodes.MatchExpr, nodes.TryExpr, nodes.RetryExpr, nodes.DeadlineExpr)


def _statement(linting: Linting, node: nodes.ExprStmt) -> None:
    value = node.value
    if value.__class__ not in _IDLE or _is_plausible(value) or _is_unknown(linting, value):
        return
    outcome = outcome_of(linting, node)
    if not outcome.is_dropped or is_tried(linting, node) or is_known_unreachable(linting, node):
        return
    if outcome.is_branch and outcome.function is None and not _is_comparison(value):
        return
    advice, fixes = _advice(linting, value)
    if outcome.function is not None:
        advice = ["a named `fn` returns only the value of a `return`"]
        fixes = [Fix("return it", [insertion(value.start, "return ")])]
    linting.report(RULE, node, _message(value), help=advice, fixes=fixes)


def _is_plausible(value: nodes.Expr) -> bool:
    """Return whether an expression is plausible as a statement: `nil` in an empty branch, or one with effects."""
    if isinstance(value, nodes.LiteralExpr):
        return value.kind == "nil"
    return not isinstance(value, nodes.ClosureExpr) and not _is_comparison(value) and _acts(value)


def _is_unknown(linting: Linting, value: nodes.Expr) -> bool:
    """Return whether a value is an undefined name, which another rule reports."""
    if not isinstance(value, nodes.NameExpr) or linting.resolution.bindings.get(value) is not None:
        return False
    return value.name not in linting.declarations.entries


def _is_comparison(value: nodes.Expr) -> bool:
    return isinstance(value, nodes.BinaryExpr) and value.op in _COMPARING


def _acts(value: nodes.Expr) -> bool:
    """Return whether some part of an expression may have an effect."""
    return any(isinstance(part, _ACTING) for part in walk(value))


def _message(value: nodes.Expr) -> str:
    if _is_comparison(value):
        return "the result of this comparison is discarded"
    if isinstance(value, nodes.ClosureExpr):
        return "this closure is never called"
    return "this expression has no effect"


def _advice(linting: Linting, value: nodes.Expr) -> tuple[Sequence[str], Sequence[Fix]]:
    if isinstance(value, nodes.BinaryExpr) and value.op == "==" and _is_target(linting, value.left):
        place = Span(value.op_start, value.op_start + len(value.op))
        return ("write `=` to assign",), (Fix("assign it", [Edit(place, "=")]),)
    if isinstance(value, nodes.NameExpr):
        binding = linting.resolution.bindings.get(value)
        if binding is None or binding.kind == "fn":
            return (f"write `{value.name}()` to call it",), ()
    return (), ()


def _is_target(linting: Linting, node: nodes.Expr) -> bool:
    """Return whether an expression can be assigned to."""
    while isinstance(node, (nodes.PropertyExpr, nodes.IndexExpr)):
        node = node.receiver
    binding = linting.resolution.bindings.get(node)
    return binding is not None and binding.mutable


RULE = Rule(
    "HARN-LNT-015",
    "useless-expression",
    "an expression is used as a statement and has no effect",
    visits={nodes.ExprStmt: _statement},
)
