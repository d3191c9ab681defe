"""HARN-LNT-001: a variable gets a value that nobody reads."""

from __future__ import annotations

from harnlite.analysis.edits import replacement, statement_removal
from harnlite.analysis.rule import Rule
from harnlite.analysis.uses import uses_of
from harnlite.diagnostics.diagnostic import Fix
from harnlite.diagnostics.source import Span
from harnlite.diagnostics.suggest import near_name
from harnlite.syntax import nodes
from harnlite.syntax.visitor import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.analysis.linting import Linting
    from harnlite.analysis.scopes import Binding

_EFFECTS = (
    nodes.CallExpr,
    nodes.MethodCallExpr,
    nodes.PipeExpr,
    nodes.PropagateExpr,
    nodes.TryStarExpr,
    nodes.SpawnExpr,
    nodes.ParallelExpr,
)

_PERMITS = frozenset(
    {"sync_mutex_acquire", "sync_semaphore_acquire", "sync_gate_acquire", "sync_rwlock_acquire", "timer_start"}
)


def _let(linting: Linting, node: nodes.LetStmt) -> None:
    """Look at a binding; what stands in a list pattern or beside a `...rest` has to be named to be passed over."""
    pattern = node.pattern
    if isinstance(pattern, nodes.NamePattern):
        binding = _unread(linting, pattern)
        if binding is not None and binding.decl is pattern and not _holds(node.value):
            _report(linting, pattern, pattern.name, binding, _fixes(linting, node, pattern, binding))
    elif isinstance(pattern, nodes.DictPattern) and pattern.rest is None:
        for entry in pattern.entries:
            binding = _unread(linting, entry.name)
            if binding is not None and binding.decl is entry.name:
                _report(linting, entry.name, entry.name.text, binding, ())


def _holds(value: nodes.Expr) -> bool:
    """Say whether a value is one that is kept only to have it: a task that goes on by itself, a permit."""
    callee = value.callee if isinstance(value, nodes.CallExpr) else None
    return isinstance(value, nodes.SpawnExpr) or (isinstance(callee, nodes.NameExpr) and callee.name in _PERMITS)


def _unread(linting: Linting, decl: nodes.Node) -> Binding | None:
    binding = linting.resolution.bindings.get(decl)
    if binding is None or binding.name.startswith("_") or uses_of(linting).is_read(binding):
        return None
    return binding


def _report(linting: Linting, place: nodes.Node, name: str, binding: Binding, fixes: Sequence[Fix]) -> None:
    what = "is given values, but none of them is read" if binding.assignments else "is never read"
    advice = [f"a name that begins with `_` may stay unused: `_{name}`"]
    linting.report(RULE, place, f"`{name}` {what}", help=advice, fixes=fixes, tags=("unnecessary",))


def _fixes(linting: Linting, node: nodes.LetStmt, pattern: nodes.NamePattern, binding: Binding) -> list[Fix]:
    """Offer to take the variable away, unless it is assigned to, or may be meant, further on; effects are kept."""
    if binding.assignments or _may_be_meant(linting, pattern.name):
        return []
    if any(isinstance(part, _EFFECTS) for part in walk(node.value)):
        place = Span(pattern.start, node.type.end if node.type is not None else pattern.end)
        return [Fix("drop the value by name", [replacement(place, "_")])]
    return [Fix(f"remove `{pattern.name}`", [statement_removal(linting.source, node)])]


def _may_be_meant(linting: Linting, name: str) -> bool:
    """Say whether a name that means nothing looks like a misspelt one."""
    known = linting.declarations.entries
    return any(near_name(other, [name]) is not None for other in uses_of(linting).loose if other not in known)


RULE = Rule(
    "HARN-LNT-001",
    "unused-variable",
    "a variable gets a value that nobody reads",
    visits={nodes.LetStmt: _let},
)
