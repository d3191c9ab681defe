"""HARN-LNT-005: a name is not defined where it is used."""

from __future__ import annotations

from harnlite.analysis.builtins.declarations import GLOBAL_VALUES, INTERNAL
from harnlite.analysis.files.imports import Faces, brought_by
from harnlite.analysis.files.std_names import home_advice, module_advice, near_module
from harnlite.analysis.linting.context.fix_edits import insertion, replacement
from harnlite.analysis.linting.context.import_fixes import import_fixes
from harnlite.analysis.linting.context.rule import Rule
from harnlite.analysis.linting.context.variable_reads import uses_of
from harnlite.diagnostics.diagnostic import ERROR, Fix
from harnlite.diagnostics.foreign_names import FOREIGN_NAMES, FOREIGN_WORDS
from harnlite.diagnostics.source import Span
from harnlite.diagnostics.suggest import near_name
from harnlite.resources import STD
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

    from harnlite.analysis.linting.context.linted_file import Linting

_LITERALS = frozenset({"nil", "true", "false"})


def _import(linting: Linting, node: nodes.ImportDecl) -> None:
    """Report imported names that a module does not define, if the module and all its imports were found."""
    target = linting.imports(linting.source.path, node.path) if linting.imports is not None else None
    if linting.imports is None or target is None:
        if linting.imports is not None and node.path.startswith(STD):
            _report_module(linting, node)
        return
    offered = Faces(linting.imports).offered(target) if node.names else None
    if offered is None:
        return
    for name in node.names or ():
        if name.text not in offered:
            missing_imports(linting).add(name)
            near = near_name(name.text, offered)
            fixes = _renaming(linting, name, near) if near is not None else []
            advice = home_advice(name.text) or ([f"did you mean `{near}`?"] if near is not None else [])
            linting.report(RULE, name, f"`{name.text}` is not defined in `{node.path}`", help=advice, fixes=fixes)


def _report_module(linting: Linting, node: nodes.ImportDecl) -> None:
    """Report an unknown module of the standard library."""
    near = near_module(node.path)
    place = Span(node.path_start, node.path_start + len(node.path) + 2)
    fixes = [] if near is None else [Fix(f'write `"{near}"`', [replacement(place, f'"{near}"')])]
    linting.report(RULE, place, f"there is no module `{node.path}`", help=module_advice(node.path), fixes=fixes)


def _renaming(linting: Linting, name: nodes.Ident, near: str) -> list[Fix]:
    """Return a fix that imports and uses another name, unless the file already binds that name."""
    binding = linting.resolution.bindings.get(name)
    if binding is None or near in linting.resolution.module_scope.names:
        return []
    edits = [replacement(one, near) for one in (name, *uses_of(linting).reads(binding))]
    return [Fix(f"write `{near}`", edits)]


def missing_imports(linting: Linting) -> set[nodes.Ident]:
    """Return the imported names that their modules certainly do not define."""
    return linting.note("missing imports", set[nodes.Ident])


def _finish(linting: Linting) -> None:
    unresolved = [node for node in uses_of(linting).unresolved if not _is_known(linting, _text(node))]
    if not unresolved:
        return
    elsewhere = _elsewhere(linting)
    if elsewhere is None:
        return
    for node in unresolved:
        if _text(node) not in elsewhere and not any(is_excused(linting, node) for is_excused in _EXCUSES):
            _report(linting, node)


def _text(node: nodes.NameExpr | nodes.Ident) -> str:
    return node.name if isinstance(node, nodes.NameExpr) else node.text


def _is_known(linting: Linting, name: str) -> bool:
    return name in linting.declarations or name.startswith(INTERNAL)


def _elsewhere(linting: Linting) -> Container[str] | None:
    """Return the names that are defined but not in a scope; None if an import may define any name."""
    names: set[str] = set()
    statements = linting.module.statements
    if any(isinstance(node, nodes.ImportDecl) for node in statements):
        if linting.imports is None:
            if any(isinstance(node, nodes.ImportDecl) and node.names is None for node in statements):
                return None
        else:
            brought = brought_by(linting.imports, statements, linting.source.path)
            if not brought.complete:
                return None
            names.update(brought.names)
    for node in linting.all_nodes:
        if isinstance(node, (nodes.TypeParam, nodes.PipelineDecl, nodes.OverrideDecl)):
            names.add(node.name.text)
    return names


def _is_callee(linting: Linting, node: nodes.Node) -> bool:
    """Return whether a name is called or constructs a struct; the static check reports these."""
    above = linting.parents[node]
    if isinstance(above, nodes.CallExpr):
        return above.callee is node
    return isinstance(above, (nodes.StructExpr, nodes.ImplDecl))


def _is_piped(linting: Linting, node: nodes.Node) -> bool:
    """Return whether a name is the `_` of a pipe."""
    if not isinstance(node, nodes.NameExpr) or node.name != "_":
        return False
    below: nodes.Node = node
    while not isinstance(below, (nodes.Block, nodes.ClosureExpr, nodes.Module)):
        above = linting.parents[below]
        if isinstance(above, nodes.PipeExpr) and above.right is below:
            return True
        below = above
    return False


def _is_tested(linting: Linting, node: nodes.Node) -> bool:
    """Return whether a name is the whole body of a `try`, which tests whether the name is defined."""
    statement = linting.parents[node]
    body = linting.parents[statement]
    if not isinstance(statement, nodes.ExprStmt) or not isinstance(body, nodes.Block) or len(body.statements) != 1:
        return False
    above = linting.parents[body]
    return isinstance(above, nodes.TryExpr) and above.body is body


_EXCUSES = (_is_callee, _is_piped, _is_tested)


def _report(linting: Linting, node: nodes.NameExpr | nodes.Ident) -> None:
    name = _text(node)
    scope = linting.resolution.scopes[node]
    near = FOREIGN_NAMES.get(name) or near_name(name, [*scope.visible(), *GLOBAL_VALUES, *_LITERALS])
    advice: list[str] = []
    fixes: list[Fix] = []
    if name == "_":
        advice.append("`_` has a value only on the right side of `|>`")
    elif name in FOREIGN_WORDS:
        advice.append(FOREIGN_WORDS[name])
    elif homes := home_advice(name):
        advice += homes
        fixes += import_fixes(linting.source, linting.module, name)
    elif near is not None:
        advice.append(f"did you mean `{near}`?")
        fixes.append(Fix(f"write `{near}`", [replacement(node, near)]))
    elif _is_assigned(linting, node):
        advice.append(f"bind it first: `var {name} = …`")
        fixes.append(Fix("bind it here", [insertion(node.start, "var ")]))
    elif _comes_later(linting, node, name):
        advice.append("a name can be used only after the line that binds it")
    linting.report(RULE, node, f"`{name}` is not defined", help=advice, fixes=fixes)


def _is_assigned(linting: Linting, node: nodes.Node) -> bool:
    above = linting.parents[node]
    return isinstance(above, nodes.AssignStmt) and above.target is node and above.op == "="


def _comes_later(linting: Linting, node: nodes.Node, name: str) -> bool:
    scope = linting.resolution.scopes.get(node)
    while scope is not None:
        if name in scope.names:
            return True
        scope = scope.parent
    return False


RULE = Rule(
    "HARN-LNT-005",
    "undefined-name",
    "a name is not defined where it is used",
    severity=ERROR,
    visits={nodes.ImportDecl: _import},
    finish=_finish,
)
