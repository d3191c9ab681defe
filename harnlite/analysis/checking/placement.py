"""Check constructs that are allowed only in some places."""

from __future__ import annotations

from harnlite.analysis.names.pipelines import base_names
from harnlite.analysis.types.assignability import fits
from harnlite.analysis.types.conversions import suggested_conversion
from harnlite.analysis.types.representation import NEVER, NIL, Type, text
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from harnlite.analysis.checking.checker import Checker

_TRY_STAR = "try* requires an enclosing function (fn, tool, or pipeline) so the rethrow has a target"
_YIELDS_IN = frozenset({"fn", "closure"})


def check_try_star(c: Checker, node: nodes.TryStarExpr) -> None:
    """Report `try*` outside a function."""
    if c.function.kind == "top":
        c.error(_TRY_STAR, node.start, min(node.end, node.start + len("try*")))


def _break(c: Checker, node: nodes.BreakStmt) -> Type:
    if c.loop is None:
        c.error("break outside of loop", node.start, node.end)
    else:
        c.loop.broken = True
    return NEVER


def _continue(c: Checker, node: nodes.ContinueStmt) -> Type:
    if c.loop is None:
        c.error("continue outside of loop", node.start, node.end)
    return NEVER


def _yield(c: Checker, node: nodes.YieldStmt) -> Type:
    word = node.start, node.start + len("yield")
    if c.function.is_gen:
        c.error("`yield` is not a stream emit; use `emit` inside `gen fn`", *word, (), ["write `emit` instead"])
    elif c.function.kind not in _YIELDS_IN:
        c.error("`yield` can only be used inside a fn or closure", *word)
    if node.value is not None:
        c.infer(node.value)
    return NIL


def _emit(c: Checker, node: nodes.EmitStmt) -> Type:
    kind = c.infer(node.value)
    function = c.function
    if not function.is_gen:
        c.error("`emit` can only be used inside a `gen fn`", node.start, node.start + len("emit"))
    elif not fits(function.emits, kind):
        labels = []
        if function.result_node is not None:
            place = function.result_node
            labels = [c.label(place.start, place.end, f"declared to emit {text(function.emits)} here")]
        message = f"emit type doesn't match: expected {text(function.emits)}, got {text(kind)}"
        c.error(message, node.value.start, node.value.end, labels, suggested_conversion(function.emits, kind))
    return NIL


def check_extends(c: Checker, pipelines: Mapping[str, nodes.PipelineDecl]) -> None:
    """Report pipelines that extend an unknown pipeline or themselves."""
    for node in pipelines.values():
        base = node.extends
        if base is None:
            continue
        if base.text not in pipelines:
            if not (c.partial and f"pipeline {base.text}" in c.source.text):
                c.error(f"base pipeline `{base.text}` is not defined", base.start, base.end)
        elif node.name.text in (chain := list(base_names(node, pipelines))):
            labels = [
                c.label(pipelines[name].name.start, pipelines[name].name.end, "through this pipeline")
                for name in chain
                if name != node.name.text
            ]
            c.error(f"pipeline `{node.name.text}` extends itself", base.start, base.end, labels)


STATEMENTS: dict[type, Callable[..., Type]] = {
    nodes.BreakStmt: _break,
    nodes.ContinueStmt: _continue,
    nodes.YieldStmt: _yield,
    nodes.EmitStmt: _emit,
}
