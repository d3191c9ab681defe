"""The static check of one file: find the errors that are certain before the program runs."""

from __future__ import annotations

from harnlite.analysis.checking import (
    access,
    calls,
    constructions,
    control,
    functions,
    literals,
    method_calls,
    operators,
    placement,
)
from harnlite.analysis.checking import statements as plain
from harnlite.analysis.checking.attributes import check_attributes
from harnlite.analysis.checking.checker import Checker, Tables
from harnlite.analysis.checking.functions import (
    check_fn,
    check_impl,
    check_pipeline,
    check_tool,
    report_variance,
)
from harnlite.analysis.checking.import_cycles import check_cycles
from harnlite.analysis.checking.narrowing import CONDITIONS
from harnlite.analysis.checking.placement import check_extends
from harnlite.analysis.files.imports import Faces
from harnlite.analysis.names.pipelines import bases_of
from harnlite.analysis.names.scopes import has_const
from harnlite.analysis.types.environment import Binding
from harnlite.analysis.types.hoisting import hoist_methods, hoist_names
from harnlite.analysis.types.representation import NIL
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from harnlite.analysis.builtins.declarations import Declarations
    from harnlite.analysis.checking.checker import TextReader
    from harnlite.analysis.checking.findings_cache import CheckMemory
    from harnlite.analysis.files.imports import ImportResolver
    from harnlite.analysis.types.environment import Scope
    from harnlite.analysis.types.representation import Type
    from harnlite.diagnostics.diagnostic import Diagnostic
    from harnlite.diagnostics.source import Source


def check(
    source: Source,
    module: nodes.Module,
    declarations: Declarations,
    imports: ImportResolver | None = None,
    *,
    partial: bool = False,
    known: Iterable[str] = (),
    memory: CheckMemory | None = None,
    texts: TextReader | None = None,
) -> list[Diagnostic]:
    """Return the findings of the static check of a file.

    `partial` is true if some of the file could not be parsed. `known` are names that are bound outside the file.
    `memory` holds the findings of earlier checks of the same file. `texts` reads the templates that the file renders.
    """
    c = check_input(
        source, module, declarations, imports, None, partial=partial, known=known, memory=memory, texts=texts
    )
    c.scope.names.clear()  # breaks the cycles of functions and their scopes, which the garbage collector would look for
    if c.scope.types is not None:
        c.scope.types.clear()
    return c.found


def check_input(  # noqa: PLR0913 - most are keywords with defaults
    source: Source,
    module: nodes.Module,
    declarations: Declarations,
    imports: ImportResolver | None,
    outer: Scope | None,
    *,
    partial: bool = False,
    known: Iterable[str] = (),
    memory: CheckMemory | None = None,
    texts: TextReader | None = None,
) -> Checker:
    """Check a file inside an outer scope, and return the checker with its findings."""
    c = Checker(source, declarations, TABLES)
    c.texts = texts
    c.scope.parent = outer
    c.partial = partial
    c.tree = module.statements
    c.let_mutable = has_const(module, source.text)
    for name in (*known, *unbound_names(module.statements)):
        c.scope.names[name] = Binding(name, "later")
    hoist_names(c.scope, module.statements, source)
    if any(isinstance(node, nodes.ImportDecl) for node in module.statements):
        c.complete = imports is not None and Faces(imports).bring_all(c.scope, module.statements, source.path)
        if imports is not None:
            check_cycles(c, module.statements, imports)
    hoist_methods(c.scope, module.statements, source)
    prepare_pipelines(c, module.statements)
    if memory is not None:
        c.statements = memory.begin(c)
    c.run(module.statements)
    c.found.sort(key=lambda found: found.span.start)
    return c


def unbound_names(statements: Sequence[nodes.Stmt]) -> list[str]:
    """Return the names of pipelines and overrides; they are not values, but a use of them is not an unknown name."""
    return [node.name.text for node in statements if isinstance(node, (nodes.PipelineDecl, nodes.OverrideDecl))]


def prepare_pipelines(c: Checker, statements: Sequence[nodes.Stmt]) -> None:
    """Check the `extends` clauses of pipelines, and record the bases of each pipeline."""
    pipelines = {node.name.text: node for node in statements if isinstance(node, nodes.PipelineDecl)}
    if any(node.extends is not None for node in pipelines.values()):
        check_extends(c, pipelines)
        c.bases = {name: bases_of(node, pipelines) for name, node in pipelines.items()}


def _fn(c: Checker, node: nodes.FnDecl) -> Type:
    check_fn(c, node)
    return NIL


def _impl(c: Checker, node: nodes.ImplDecl) -> Type:
    check_impl(c, node)
    return NIL


def _pipeline(c: Checker, node: nodes.PipelineDecl) -> Type:
    check_pipeline(c, node, c.bases.get(node.name.text, ()))
    return NIL


def _tool(c: Checker, node: nodes.ToolDecl) -> Type:
    check_tool(c, node)
    c.scope.names[node.name.text] = Binding(node.name.text, "tool", None, node.name.start, node.name.end)
    return NIL


def _skill(c: Checker, node: nodes.SkillDecl) -> Type:
    if node.attributes:
        check_attributes(c, node, node.attributes)
    for member in node.members:
        c.infer(member.value)
    c.scope.names[node.name.text] = Binding(node.name.text, "skill", None, node.name.start, node.name.end)
    return NIL


def _type(c: Checker, node: nodes.StructDecl | nodes.EnumDecl | nodes.InterfaceDecl | nodes.TypeDecl) -> Type:
    if node.attributes:
        check_attributes(c, node, node.attributes)
    if node.type_params:
        report_variance(c, node, c.scope)
    return NIL


def _nothing(_c: Checker, _node: nodes.Stmt) -> Type:
    return NIL


_DECLARATIONS: dict[type, Callable[..., Type]] = {
    nodes.FnDecl: _fn,
    nodes.ImplDecl: _impl,
    nodes.PipelineDecl: _pipeline,
    nodes.ToolDecl: _tool,
    nodes.SkillDecl: _skill,
    nodes.ImportDecl: _nothing,
    nodes.OverrideDecl: _nothing,  # it never runs
    nodes.StructDecl: _type,
    nodes.EnumDecl: _type,
    nodes.InterfaceDecl: _type,
    nodes.TypeDecl: _type,
}
_EXPRESSIONS: dict[type, Callable[..., Type | None]] = {
    **literals.EXPRESSIONS,
    **operators.EXPRESSIONS,
    **access.EXPRESSIONS,
    **constructions.EXPRESSIONS,
    **calls.EXPRESSIONS,
    **method_calls.EXPRESSIONS,
    **control.EXPRESSIONS,
    **functions.EXPRESSIONS,
}
_STATEMENTS: dict[type, Callable[..., Type | None]] = {
    **plain.STATEMENTS,
    **placement.STATEMENTS,
    **_DECLARATIONS,
}
TABLES = Tables(_EXPRESSIONS, _STATEMENTS, CONDITIONS)
