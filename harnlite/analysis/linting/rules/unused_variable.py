"""HARN-LNT-001: a variable is assigned a value that is never read."""

from __future__ import annotations

import itertools

from harnlite.analysis.checking.access import root_of
from harnlite.analysis.linting.context.fix_edits import replacement, statement_removal
from harnlite.analysis.linting.context.purity import ACTING, pure_method
from harnlite.analysis.linting.context.rule import Rule
from harnlite.analysis.linting.context.variable_reads import uses_of
from harnlite.diagnostics.diagnostic import Fix
from harnlite.diagnostics.source import Span
from harnlite.diagnostics.suggest import near_name
from harnlite.syntax import nodes
from harnlite.syntax.visitor import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harnlite.analysis.linting.context.linted_file import Linting
    from harnlite.analysis.names.scopes import Binding

_PERMITS = frozenset(
    {"sync_mutex_acquire", "sync_semaphore_acquire", "sync_gate_acquire", "sync_rwlock_acquire", "timer_start"}
)

_COMPUTING = (
    nodes.BinaryExpr,
    nodes.UnaryExpr,
    nodes.ListExpr,
    nodes.SpreadExpr,
    nodes.DictExpr,
    nodes.DictEntry,
    nodes.TemplateExpr,
    nodes.PropertyExpr,
    nodes.IndexExpr,
    nodes.SliceExpr,
)
_DECIDING = frozenset({"&&", "||", "??"})
"""Operators whose left side decides whether the right side is evaluated."""


def _let(linting: Linting, node: nodes.LetStmt) -> None:
    pattern = node.pattern
    if isinstance(pattern, nodes.NamePattern):
        binding = _unread(linting, pattern)
        if binding is not None and binding.decl is pattern and not _holds(node.value):
            _report(linting, pattern, pattern.name, binding, _fixes(linting, node, pattern, binding))
        return
    for name in _needless(linting, pattern):
        binding = _unread(linting, name)
        if binding is not None and binding.decl is name:
            _report(linting, name, name.text, binding, ())


def _needless(linting: Linting, pattern: nodes.Pattern) -> Iterator[nodes.Ident]:
    """Yield the names of a pattern that can be removed.

    An item before a used item is needed for the position of that item. An entry next to a `...rest` is needed so that
    the rest does not contain it.
    """
    if not isinstance(pattern, (nodes.DictPattern, nodes.ListPattern)):
        return
    if pattern.rest is not None:
        yield pattern.rest
    elif isinstance(pattern, nodes.DictPattern):
        yield from (entry.name for entry in pattern.entries)
    else:
        last = itertools.takewhile(lambda item: _is_droppable(linting, item.name), reversed(pattern.items))
        yield from (item.name for item in last)


def _is_droppable(linting: Linting, name: nodes.Ident) -> bool:
    return name.text.startswith("_") or _unread(linting, name) is not None


def _holds(value: nodes.Expr) -> bool:
    """Return whether a value is often held without being read: a task or a permit."""
    callee = value.callee if isinstance(value, nodes.CallExpr) else None
    return isinstance(value, nodes.SpawnExpr) or (isinstance(callee, nodes.NameExpr) and callee.name in _PERMITS)


def _unread(linting: Linting, decl: nodes.Node) -> Binding | None:
    binding = linting.resolution.bindings.get(decl)
    if binding is None or binding.name.startswith("_"):
        return None
    uses = uses_of(linting)
    if binding.name in uses.loose:
        return None
    reads = uses.reads(binding)
    is_lost = binding.mutable and all(_updates(linting, one, binding) for one in reads)
    return binding if is_lost or not reads else None


def _updates(linting: Linting, read: nodes.Node, binding: Binding) -> bool:
    """Return whether a variable is read only to compute its own next value."""
    below, above = read, linting.parents[read]
    while _computes(linting, above, below):
        below, above = above, linting.parents[above]
    root = root_of(above.target) if isinstance(above, nodes.AssignStmt) else None
    return root is not None and linting.resolution.bindings.get(root) is binding


def _computes(linting: Linting, node: nodes.Node, part: nodes.Node) -> bool:
    """Return whether a part of a node only contributes to the value of the node."""
    if isinstance(node, nodes.MethodCallExpr):
        return node.receiver is part and pure_method(linting, node) is not None
    return isinstance(node, _COMPUTING) and not (isinstance(node, nodes.BinaryExpr) and node.op in _DECIDING)


def _report(linting: Linting, place: nodes.Node, name: str, binding: Binding, fixes: Sequence[Fix]) -> None:
    what = "is assigned values, but none of them is read" if binding.assignments else "is never read"
    advice = [f"a name that begins with `_` may stay unused: `_{name}`"]
    linting.report(RULE, place, f"`{name}` {what}", help=advice, fixes=fixes, tags=("unnecessary",))


def _fixes(linting: Linting, node: nodes.LetStmt, pattern: nodes.NamePattern, binding: Binding) -> list[Fix]:
    """Return a fix that removes the variable but keeps effects; none if it is assigned to, or misspelled elsewhere."""
    if binding.assignments or _may_be_misspelled(linting, pattern.name):
        return []
    if any(isinstance(part, ACTING) for part in walk(node.value)):
        place = Span(pattern.start, node.type.end if node.type is not None else pattern.end)
        return [Fix("bind the value to `_`", [replacement(place, "_")])]
    return [Fix(f"remove `{pattern.name}`", [statement_removal(linting.source, node)])]


def _may_be_misspelled(linting: Linting, name: str) -> bool:
    """Return whether an undefined name looks like a misspelling of this name."""
    known = linting.declarations.entries
    return any(near_name(other, [name]) is not None for other in uses_of(linting).loose if other not in known)


RULE = Rule(
    "HARN-LNT-001",
    "unused-variable",
    "a variable is assigned a value that is never read",
    visits={nodes.LetStmt: _let},
)
