"""HARN-LNT-003: a function does not read one of its parameters."""

from __future__ import annotations

from harnlite.analysis.linting.context.rule import Rule
from harnlite.analysis.linting.context.variable_reads import only_called, uses_of
from harnlite.diagnostics.diagnostic import Edit, Fix
from harnlite.diagnostics.source import Span
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.analysis.linting.context.linted_file import Linting
    from harnlite.analysis.names.scopes import Binding

_HARMLESS = frozenset({"deprecated", "complexity"})
"""Attributes that do not cause calls of the function."""


def _fn(linting: Linting, node: nodes.FnDecl) -> None:
    """Check a `fn` that is not visible outside this file, so that all its calls are known."""
    if node.is_pub or any(one.name.text not in _HARMLESS for one in node.attributes):
        return
    if node.body is not None and not _is_stub(node.body):
        _judge(linting, node.params, linting.resolution.bindings.get(node))


def _let(linting: Linting, node: nodes.LetStmt) -> None:
    """Check a closure that is bound to a name; if it is passed on, its other callers choose the arguments."""
    if isinstance(node.value, nodes.ClosureExpr) and not _is_stub(node.value.body):
        _judge(linting, node.value.params, linting.resolution.bindings.get(node.pattern))


def _is_stub(body: nodes.Block) -> bool:
    """Return whether a body is empty or only throws."""
    return not body.statements or (len(body.statements) == 1 and isinstance(body.statements[0], nodes.ThrowStmt))


def _judge(linting: Linting, params: Sequence[nodes.Param], function: Binding | None) -> None:
    unread = [param for param in params if _is_unread(linting, param)]
    if not unread or function is None or function.kind == "import":
        return
    if not only_called(linting, function):
        return
    for param in unread:
        name = param.name
        fix = Fix(f"rename it to `_{name.text}`", [Edit(Span(name.start, name.start), "_")])
        advice = [f"a name that begins with `_` may stay unused: `_{name.text}`"]
        linting.report(
            RULE, name, f"parameter `{name.text}` is never read", help=advice, fixes=[fix], tags=("unnecessary",)
        )


def _is_unread(linting: Linting, param: nodes.Param) -> bool:
    binding = linting.resolution.bindings.get(param)
    if binding is None or binding.name.startswith("_") or binding.name == "self":
        return False
    return not uses_of(linting).is_read(binding)


RULE = Rule(
    "HARN-LNT-003",
    "unused-parameter",
    "a function does not read one of its parameters",
    visits={nodes.FnDecl: _fn, nodes.LetStmt: _let},
)
