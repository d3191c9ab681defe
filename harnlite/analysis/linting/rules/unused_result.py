"""HARN-LNT-008: the result of an expression without side effects is discarded."""

from __future__ import annotations

from harnlite.analysis.linting.context.discarded_values import is_known_unreachable, is_tried, outcome_of
from harnlite.analysis.linting.context.fix_edits import insertion
from harnlite.analysis.linting.context.purity import pure_function, pure_method
from harnlite.analysis.linting.context.rule import Rule
from harnlite.analysis.linting.context.variable_reads import uses_of
from harnlite.diagnostics.diagnostic import Fix
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.analysis.linting.context.linted_file import Linting

_ON_TRANSCRIPTS = frozenset({"inject_reminder", "clear_reminders"})
_CHANGING = frozenset({"add", "delete", "merge", "pop", "push", "remove", "reverse", "sort"})
_ON_FIRST = frozenset({"set_add", "set_remove", "add_message", "add_user", "add_assistant", "add_system"})


def _statement(linting: Linting, node: nodes.ExprStmt) -> None:
    value = node.value
    name = _dropped(linting, value)
    if name is None:
        return
    outcome = outcome_of(linting, node)
    if not outcome.is_dropped or is_tried(linting, node) or is_known_unreachable(linting, node):
        return
    advice, fixes = _advice(linting, value, name)
    if outcome.function is not None and not fixes:
        advice = ["a named `fn` returns only the value of a `return`"]
        fixes = [Fix("return it", [insertion(value.start, "return ")])]
    message = f"the result of `{name}` is discarded"
    if not name.startswith("transcript."):
        message += ", and the call has no other effect"
    linting.report(RULE, node, message, help=advice, fixes=fixes)


def _dropped(linting: Linting, node: nodes.Expr) -> str | None:
    """Return the name of the pure function or method that produces a value, or None."""
    if isinstance(node, nodes.CallExpr):
        return pure_function(linting, node.callee)
    if isinstance(node, nodes.PipeExpr):
        return _dropped(linting, node.right) or pure_function(linting, node.right)
    if not isinstance(node, nodes.MethodCallExpr):
        return None
    if node.name.text in _ON_TRANSCRIPTS:
        return f"transcript.{node.name.text}" if _is_expected(linting, node) else None
    return pure_method(linting, node)


def _is_expected(linting: Linting, node: nodes.MethodCallExpr) -> bool:
    """Return whether the transcript that a call was meant to change is read later."""
    receiver, target = node.receiver, node.args[0] if node.args else None
    if not isinstance(receiver, nodes.NameExpr) or receiver.name != "transcript":
        return False
    binding = linting.resolution.bindings.get(target) if isinstance(target, nodes.NameExpr) else None
    if binding is None or binding.assignments:
        return False
    reads = uses_of(linting).reads(binding)
    return any(one.start > node.end and not _is_also_dropped(linting, one) for one in reads)


def _is_also_dropped(linting: Linting, read: nodes.Node) -> bool:
    """Return whether a read is only the argument of another such call whose result is discarded."""
    call = linting.parents[read]
    return (
        isinstance(call, nodes.MethodCallExpr)
        and call.name.text in _ON_TRANSCRIPTS
        and isinstance(linting.parents[call], nodes.ExprStmt)
    )


def _advice(linting: Linting, node: nodes.Expr, name: str) -> tuple[Sequence[str], Sequence[Fix]]:
    """Return advice and fixes that assign the result, where that is obvious: values are never changed in place."""
    if isinstance(node, nodes.MethodCallExpr) and name.startswith("transcript."):
        target, value = node.args[0], ".transcript"
        place = linting.text(target)
        return (f"a transcript is never changed in place: `{place} = {name}({place}, …){value}`",), ()
    if isinstance(node, nodes.MethodCallExpr) and name in _CHANGING:
        target = node.receiver
    elif isinstance(node, nodes.CallExpr) and name in _ON_FIRST and node.args:
        target = node.args[0]
    else:
        return (), ()
    if not isinstance(target, nodes.NameExpr):
        return (f"`{name}` returns a new value and does not change the old one",), ()
    binding = linting.resolution.bindings.get(target)
    advice = f"`{name}` returns a new value and does not change the old one: `{target.name} = {linting.text(node)}`"
    if binding is None or not binding.mutable:
        return (advice,), ()
    return (advice,), (Fix(f"assign it to `{target.name}`", [insertion(node.start, f"{target.name} = ")]),)


RULE = Rule(
    "HARN-LNT-008",
    "unused-result",
    "the result of an expression without side effects is discarded",
    visits={nodes.ExprStmt: _statement},
)
