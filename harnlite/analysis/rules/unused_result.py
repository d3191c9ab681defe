"""HARN-LNT-008: the result of something that only computes is dropped."""

from __future__ import annotations

from harnlite.analysis.edits import insertion
from harnlite.analysis.outcomes import is_known_unreachable, is_tried, outcome_of
from harnlite.analysis.purity import PURE_FUNCTIONS, PURE_METHODS
from harnlite.analysis.rule import Rule
from harnlite.analysis.uses import uses_of
from harnlite.analysis.value_kinds import kind_of
from harnlite.diagnostics.diagnostic import Fix
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.analysis.linting import Linting

_ON_TRANSCRIPTS = frozenset({"inject_reminder", "clear_reminders"})
_CHANGING = frozenset({"add", "delete", "merge", "pop", "push", "remove", "reverse", "sort"})
_ON_FIRST = frozenset({"set_add", "set_remove", "add_message", "add_user", "add_assistant", "add_system"})


def _statement(linting: Linting, node: nodes.ExprStmt) -> None:
    value = node.value
    if isinstance(value, nodes.CallExpr):
        name = _function(linting, value)
    elif isinstance(value, nodes.MethodCallExpr):
        name = _method(linting, value)
    else:
        return
    if name is None:
        return
    outcome = outcome_of(linting, node)
    if not outcome.is_dropped or is_tried(linting, node) or is_known_unreachable(linting, node):
        return
    advice, fixes = _advice(linting, value, name)
    if outcome.function is not None and not fixes:
        advice = ["a named `fn` gives back only what `return` says"]
        fixes = [Fix("return it", [insertion(value.start, "return ")])]
    message = f"the result of `{name}` is dropped"
    if not name.startswith("transcript."):
        message += ", and it does nothing else"
    linting.report(RULE, node, message, help=advice, fixes=fixes)


def _function(linting: Linting, node: nodes.CallExpr) -> str | None:
    callee = node.callee
    if not isinstance(callee, nodes.NameExpr) or callee.name not in PURE_FUNCTIONS:
        return None
    return callee.name if _is_builtin(linting, callee) else None


def _is_builtin(linting: Linting, node: nodes.NameExpr) -> bool:
    """Say whether a name means the builtin: nothing in the file, nor anything that a whole import may bring in."""
    if linting.resolution.bindings.get(node) is not None:
        return False
    return all(one.names is not None for one in linting.resolution.imports)


def _method(linting: Linting, node: nodes.MethodCallExpr) -> str | None:
    name, receiver = node.name.text, node.receiver
    if name in _ON_TRANSCRIPTS:
        return f"transcript.{name}" if _is_expected(linting, node) else None
    if not any(name in names for names in PURE_METHODS.values()):
        return None
    kind = kind_of(linting, receiver)
    return name if kind is not None and name in PURE_METHODS[kind] else None


def _is_expected(linting: Linting, node: nodes.MethodCallExpr) -> bool:
    """Say whether a transcript that a reminder is put into, or taken out of, is looked at further on."""
    receiver, target = node.receiver, node.args[0] if node.args else None
    if not isinstance(receiver, nodes.NameExpr) or receiver.name != "transcript":
        return False
    binding = linting.resolution.bindings.get(target) if isinstance(target, nodes.NameExpr) else None
    if binding is None or binding.assignments:
        return False
    reads = uses_of(linting).reads(binding)
    return any(one.start > node.end and not _is_dropped_likewise(linting, one) for one in reads)


def _is_dropped_likewise(linting: Linting, read: nodes.Node) -> bool:
    """Say whether a read is only the transcript of another such call without a use."""
    call = linting.parents[read]
    return (
        isinstance(call, nodes.MethodCallExpr)
        and call.name.text in _ON_TRANSCRIPTS
        and isinstance(linting.parents[call], nodes.ExprStmt)
    )


def _advice(
    linting: Linting, node: nodes.CallExpr | nodes.MethodCallExpr, name: str
) -> tuple[Sequence[str], Sequence[Fix]]:
    """Say how what was meant is written, where that is plain: values are never changed in place."""
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
        return (f"`{name}` gives a new value and leaves the old one as it is",), ()
    binding = linting.resolution.bindings.get(target)
    advice = f"`{name}` gives a new value and leaves the old one as it is: `{target.name} = {linting.text(node)}`"
    if binding is None or not binding.mutable:
        return (advice,), ()
    return (advice,), (Fix(f"assign it to `{target.name}`", [insertion(node.start, f"{target.name} = ")]),)


RULE = Rule(
    "HARN-LNT-008",
    "unused-result",
    "the result of something that only computes is dropped",
    visits={nodes.ExprStmt: _statement},
)
