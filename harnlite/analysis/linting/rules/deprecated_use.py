"""HARN-LNT-012: a deprecated function is passed as a value; the static check warns about its calls."""

from __future__ import annotations

from harnlite.analysis.linting.context.fix_edits import replacement
from harnlite.analysis.linting.context.rule import Rule
from harnlite.analysis.linting.context.variable_reads import uses_of
from harnlite.diagnostics.diagnostic import Fix
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.analysis.linting.context.linted_file import Linting

_MARK = "deprecated"


def _fn(linting: Linting, node: nodes.FnDecl) -> None:
    if node.attributes:
        binding = linting.resolution.bindings.get(node)
        mark = _mark(node)
        if binding is not None and mark is not None and binding.decl is node:
            _judge(linting, uses_of(linting).reads(binding), binding.name, mark)


def _import(linting: Linting, node: nodes.ImportDecl) -> None:
    target = linting.imports(linting.source.path, node.path) if linting.imports is not None else None
    if target is None:
        return
    marks = _marks(target.module.statements)
    if not marks:
        return
    if node.names is None:
        loose = [one for one in uses_of(linting).unresolved if isinstance(one, nodes.NameExpr) and one.name in marks]
        for one in loose:
            _judge(linting, [one], one.name, marks[one.name])
        return
    for name in node.names:
        binding = linting.resolution.bindings.get(name)
        if binding is not None and binding.kind == "import" and name.text in marks:
            _judge(linting, uses_of(linting).reads(binding), name.text, marks[name.text])


def _marks(statements: Sequence[nodes.Stmt]) -> dict[str, nodes.Attribute]:
    found: dict[str, nodes.Attribute] = {}
    for node in statements:
        mark = _mark(node) if isinstance(node, nodes.FnDecl) else None
        if isinstance(node, nodes.FnDecl) and mark is not None:
            found[node.name.text] = mark
    return found


def _mark(node: nodes.FnDecl) -> nodes.Attribute | None:
    return next((one for one in node.attributes if one.name.text == _MARK), None)


def _judge(linting: Linting, reads: Sequence[nodes.Node], name: str, mark: nodes.Attribute) -> None:
    given = {arg.key: str(arg.value) for arg in mark.args if arg.key is not None}
    since = f" (since {given['since']})" if "since" in given else ""
    instead = given.get("use")
    known = {*linting.resolution.module_scope.names, *linting.declarations.entries}
    for node in reads:
        above = linting.parents[node]
        if isinstance(above, nodes.CallExpr) and above.callee is node:
            continue
        if isinstance(above, nodes.PipeExpr) and above.right is node:
            continue
        advice = [f"use `{instead}` instead"] if instead else []
        fixes = [Fix(f"use `{instead}`", [replacement(node, instead)])] if instead and instead in known else []
        message = f"`{name}` is deprecated{since}"
        linting.report(RULE, node, message, help=advice, fixes=fixes, tags=("deprecated",))


RULE = Rule(
    "HARN-LNT-012",
    "deprecated-use",
    "a deprecated function is passed as a value",
    visits={nodes.FnDecl: _fn, nodes.ImportDecl: _import},
)
