"""HARN-LNT-014: a known function is called with too few or too many arguments, beyond the static check."""

from __future__ import annotations

from harnlite.analysis.builtins.methods import METHODS
from harnlite.analysis.linting.context.purity import PURE_FUNCTIONS, pure_function
from harnlite.analysis.linting.context.rule import Rule
from harnlite.analysis.linting.context.value_kinds import kind_of
from harnlite.analysis.linting.context.variable_reads import uses_of
from harnlite.analysis.types.representation import CLOSURE
from harnlite.diagnostics.diagnostic import Label
from harnlite.diagnostics.source import Span
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.analysis.linting.context.linted_file import Linting

_LEAST = {"Ok": 0, "Err": 0, "contains": 2, "ends_with": 2, "is_same": 2, "starts_with": 2, "substring": 2}
"""The number of arguments that a meaningful call of a builtin has at least, if it is not one."""
_METHOD_NAMES = frozenset(name for table in METHODS.values() for name in table)
_OPTIONAL_CLOSURE = frozenset({"all", "any", "every", "none"})
"""Methods of lists whose closure is optional."""


def _call(linting: Linting, node: nodes.CallExpr) -> None:
    callee = node.callee
    if not isinstance(callee, nodes.NameExpr):
        return
    if linting.resolution.bindings.get(callee) is None:
        if callee.name in PURE_FUNCTIONS and not _has_spread(node):
            _builtin(linting, node, callee)
        return
    known = _params(linting, callee)
    if known is not None and not _has_spread(node):
        params, place = known
        if not _may_be_missing(linting, params[len(node.args) :]):
            _judge(linting, Span(node.start, node.end), callee.name, params, len(node.args), place)


def _has_spread(node: nodes.CallExpr | nodes.MethodCallExpr) -> bool:
    return any(isinstance(arg, nodes.SpreadExpr) for arg in node.args)


def _builtin(linting: Linting, node: nodes.CallExpr, callee: nodes.NameExpr) -> None:
    """Check a call of a pure builtin that has defaults for all its parameters."""
    head = linting.declarations.signature(callee.name) if pure_function(linting, callee) is not None else None
    if head is None or not head.params or not all(param.optional for param in head.params):
        return
    least = _LEAST.get(callee.name, 1)
    if len(node.args) < least:
        _report(linting, Span(node.start, node.end), callee.name, (least, len(head.params)), len(node.args))


def _method(linting: Linting, node: nodes.MethodCallExpr) -> None:
    """Check a call of a method of a built-in type: it ignores additional arguments, and it needs its closures."""
    name = node.name.text
    if name not in _METHOD_NAMES or _has_spread(node):
        return
    kind = kind_of(linting, node.receiver)
    head = METHODS[kind].get(name) if kind is not None else None
    if head is None:
        return
    needed = [
        index for index, param in enumerate(head.params, 1) if param.type is CLOSURE and name not in _OPTIONAL_CLOSURE
    ]
    if not (max(needed, default=0) <= len(node.args) <= len(head.params)):
        least = max(needed, default=len(head.params))
        _report(linting, Span(node.name.start, node.end), name, (least, len(head.params)), len(node.args))


def _pipe(linting: Linting, node: nodes.PipeExpr) -> None:
    """Check `x |> f`, which passes one argument to f."""
    right = node.right
    if isinstance(right, nodes.NameExpr) and right.name != "_":
        known = _params(linting, right, piped=True)
        if known is not None:
            params, place = known
            _judge(linting, Span(right.start, right.end), right.name, params, 1, place)


def _params(
    linting: Linting, name: nodes.NameExpr, *, piped: bool = False
) -> tuple[Sequence[nodes.Param], nodes.Node] | None:
    """Return the parameters of a function whose calls the static check does not count, and its declaration."""
    binding = linting.resolution.bindings.get(name)
    if binding is None or binding.redeclared or name in linting.resolution.hidden:
        return None
    decl = binding.decl
    if binding.kind == "fn" and isinstance(decl, nodes.FnDecl):
        counted = not piped and not any(param.rest for param in decl.params)
        return None if counted else (decl.params, decl.name)
    if binding.kind in ("let", "const") and len(binding.values) == 1:
        value = binding.values[0]
        return (value.params, decl) if isinstance(value, nodes.ClosureExpr) else None
    return None


def _may_be_missing(linting: Linting, params: Sequence[nodes.Param]) -> bool:
    """Return whether a function tests each of these parameters for nil, so that they are optional."""
    return bool(params) and all(_is_tested_for_nil(linting, param) for param in params)


def _is_tested_for_nil(linting: Linting, param: nodes.Param) -> bool:
    if param.default is not None or param.rest:
        return True
    binding = linting.resolution.bindings.get(param)
    reads = uses_of(linting).reads(binding) if binding is not None else []
    for node in reads:
        above = linting.parents[node]
        if isinstance(above, nodes.BinaryExpr) and (above.op == "??" or _is_nil(above.left) or _is_nil(above.right)):
            return True
    return False


def _is_nil(node: nodes.Expr) -> bool:
    return isinstance(node, nodes.LiteralExpr) and node.kind == "nil"


def _judge(
    linting: Linting, where: Span, name: str, params: Sequence[nodes.Param], given: int, place: nodes.Node
) -> None:
    least = sum(param.default is None and not param.rest for param in params)
    most = None if any(param.rest for param in params) else len(params)
    if least <= given and (most is None or given <= most):
        return
    labels = [Label(Span(place.start, place.end), f"`{name}` is declared here")]
    _report(linting, where, name, (least, most), given, labels)


def _report(
    linting: Linting,
    where: Span,
    name: str,
    bounds: tuple[int, int | None],
    given: int,
    labels: Sequence[Label] = (),
) -> None:
    wanted = _wanted(*bounds)
    noun = "argument" if wanted in ("1", "at least 1") else "arguments"
    linting.report(RULE, where, f"`{name}` expects {wanted} {noun}, got {given}", labels=labels)


def _wanted(least: int, most: int | None) -> str:
    if most is None:
        return f"at least {least}"
    return str(least) if least == most else f"{least}-{most}"


RULE = Rule(
    "HARN-LNT-014",
    "argument-count",
    "a known function is called with too few or too many arguments",
    visits={nodes.CallExpr: _call, nodes.MethodCallExpr: _method, nodes.PipeExpr: _pipe},
)
