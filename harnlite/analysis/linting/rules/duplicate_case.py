"""HARN-LNT-019: the same case is tested twice, so that the second test never succeeds."""

from __future__ import annotations

from harnlite.analysis.linting.context.rule import Rule
from harnlite.diagnostics.diagnostic import Label
from harnlite.diagnostics.source import Span
from harnlite.syntax import nodes
from harnlite.syntax.visitor import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnlite.analysis.linting.context.linted_file import Linting

_STABLE = (
    nodes.NameExpr,
    nodes.LiteralExpr,
    nodes.BinaryExpr,
    nodes.UnaryExpr,
    nodes.PropertyExpr,
    nodes.Ident,
)
"""Nodes that have the same value on each evaluation."""


def _match(linting: Linting, node: nodes.MatchExpr) -> None:
    """Report values and variants that an earlier arm already matches."""
    seen: dict[object, nodes.Node] = {}
    for arm in node.arms:
        for pattern, key in _keys(arm.pattern):
            if key in seen:
                _report(linting, pattern, seen[key], f"`{linting.text(pattern)}` is already matched by an arm above")
            elif arm.guard is None:
                seen[key] = pattern


def _keys(pattern: nodes.MatchPattern) -> Iterator[tuple[nodes.Node, object]]:
    """Yield the values and variants that a pattern matches completely."""
    if isinstance(pattern, nodes.OrPattern):
        for alternative in pattern.alternatives:
            yield from _keys(alternative)
    elif isinstance(pattern, nodes.ValuePattern) and isinstance(pattern.value, nodes.LiteralExpr):
        # 1 and 1.0 are equal, 1 and true are not.
        kind = pattern.value.kind
        yield pattern, ("number" if kind in ("int", "float") else kind, pattern.value.value)
    elif isinstance(pattern, nodes.VariantPattern):
        args = pattern.args or ()
        if all(isinstance(arg, (nodes.WildcardPattern, nodes.BindPattern)) for arg in args):
            yield pattern, ("variant", pattern.enum.text, pattern.variant.text, len(args))


def _if(linting: Linting, node: nodes.IfExpr) -> None:
    """Report conditions that appear earlier in the same chain of `else if`."""
    if not isinstance(node.otherwise, nodes.IfExpr):
        return
    chained: set[nodes.Node] = linting.note("chained", set)
    if node in chained:
        return
    seen: dict[str, nodes.Node] = {}
    link: nodes.Node | None = node
    while isinstance(link, nodes.IfExpr):
        chained.add(link)
        parts = list(walk(link.condition))
        if all(isinstance(part, _STABLE) for part in parts) and any(isinstance(part, nodes.NameExpr) for part in parts):
            text = linting.text(link.condition)
            if text in seen:
                _report(linting, link.condition, seen[text], "this condition is already tested above")
            seen.setdefault(text, link.condition)
        link = link.otherwise


def _report(linting: Linting, place: nodes.Node, first: nodes.Node, message: str) -> None:
    label = Label(Span(first.start, first.end), "first tested here")
    linting.report(RULE, place, message, labels=[label])


RULE = Rule(
    "HARN-LNT-019",
    "duplicate-case",
    "the same case is tested twice",
    visits={nodes.MatchExpr: _match, nodes.IfExpr: _if},
)
