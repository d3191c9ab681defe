"""Inputs of an interactive session: each is compiled as a separate file that shares variables with earlier inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnlite.analysis.builtins.digest import load_declarations
from harnlite.analysis.checking.check import check_input
from harnlite.analysis.files.import_files import FileImports
from harnlite.analysis.files.imports import brought_by
from harnlite.analysis.names.scopes import MUTABLE_KINDS, Outer
from harnlite.analysis.types.environment import Binding, Scope, declare_type
from harnlite.analysis.types.representation import text as type_text
from harnlite.compiler.compilation import as_tuple, collection_paused, compile_tree
from harnlite.compiler.module import write_module
from harnlite.diagnostics.errors import LanguageError
from harnlite.regular_files import regular_file
from harnlite.runtime.modules import Program
from harnlite.syntax import nodes
from harnlite.syntax.parser import parse
from harnlite.syntax.visitor import walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from harnlite.analysis.builtins.declarations import Declarations
    from harnlite.analysis.checking.checker import Checker
    from harnlite.diagnostics.diagnostic import Diagnostic
    from harnlite.diagnostics.source import Source

LAST_VALUE = "_"
"""The name of the variable for the last displayed value."""
_LATER = (nodes.FnDecl, nodes.ImplDecl, nodes.PipelineDecl, nodes.ToolDecl, nodes.ClosureExpr)


class Compiled:
    """A compiled input: its program, its syntax tree, and the checker with its results."""

    __slots__ = ("checked", "module", "program")

    def __init__(self, program: Program, module: nodes.Module, checked: Checker) -> None:
        self.program = program
        self.module = module
        self.checked = checked


class Names:
    """The names that the inputs of a session have bound so far, for the checker and the compiler.

    `opener` opens the files that inputs import.
    """

    __slots__ = ("_count", "_opener", "_scope", "_types", "kinds")

    def __init__(self, opener: Callable[[str, int], int] | None = None) -> None:
        self._opener = opener or regular_file
        self.kinds: dict[str, tuple[str, bool]] = {}
        self._types: dict[str, nodes.Decl] = {}
        self._scope = Scope(None)
        self._count = 0

    def compiled(self, source: Source) -> Compiled:
        """Compile an input; raise LanguageError with all diagnostics if it has errors."""
        with collection_paused():
            return self._compiled(source)

    def _compiled(self, source: Source) -> Compiled:
        declarations = load_declarations()
        result = parse(source)
        imports = FileImports(opener=self._opener)
        later = frozenset(self._later(result.module, declarations))
        partial = bool(result.diagnostics)
        checked = self._checked(source, result.module, imports, later, partial=partial)
        found = sorted([*result.diagnostics, *checked.found], key=lambda one: (one.span.start, one.span.end))
        errors = [finding for finding in found if finding.is_error]
        if errors:
            raise LanguageError(errors[0].message, _first_errors(result.diagnostics, found))
        module = _with_value(result.module)
        self._count += 1
        names = {**dict.fromkeys(later, ("let", True)), **self.kinds}
        outer = Outer(names, self._types, f"{self._count}x")
        brought = brought_by(imports, module.statements, source.path)
        written = write_module(source, module, declarations, outer=outer, brought=brought)
        facts = {**written.facts, "warnings": tuple(map(as_tuple, found)), "depends": ()}
        return Compiled(Program(source, facts, compile_tree(source, written.tree)), result.module, checked)

    def _checked(
        self, source: Source, module: nodes.Module, imports: FileImports, later: Iterable[str], *, partial: bool
    ) -> Checker:
        return check_input(
            source, module, load_declarations(), imports, self._scope, partial=partial, known=(*later, LAST_VALUE)
        )

    def static_type(self, source: Source) -> str | None:
        """Return the static type of an expression as the next input, or None if it is not known."""
        result = parse(source)
        statements = result.module.statements
        if result.diagnostics or not statements or not isinstance(statements[-1], nodes.ExprStmt):
            return None
        checked = self._checked(source, result.module, FileImports(opener=self._opener), (), partial=False)
        if any(finding.is_error for finding in checked.found):
            return None
        kind = checked.infer(statements[-1].value)
        return None if kind is None else type_text(kind)

    def functions(self) -> list[tuple[nodes.FnDecl, str]]:
        """Return the functions of the session, each with the text that declares it."""
        homes = [binding.home for binding in self._scope.names.values() if binding.home is not None]
        return [(home.decl, home.source.text) for home in homes]

    def _later(self, module: nodes.Module, declarations: Declarations) -> Iterator[str]:
        """Yield the names in functions that are not bound yet; a later input may bind them."""
        for function in module.statements:
            for node in walk(function):
                if isinstance(node, _LATER):
                    mentioned = {name.name for name in walk(node) if isinstance(name, nodes.NameExpr)}
                    unknown = mentioned - self.kinds.keys() - {LAST_VALUE}
                    yield from (name for name in unknown if name not in declarations)

    def learn(self, compiled: Compiled, bound: Iterable[str]) -> None:
        """Record the names that an input has bound."""
        scope = compiled.checked.scope
        types = {node.name.text: node for node in compiled.module.statements if isinstance(node, _TYPES)}
        mutable = compiled.checked.let_mutable
        for name in (*bound, *types):
            binding = scope.names.get(name)
            kind = "import" if binding is None else binding.kind
            kind = "let" if kind == "later" else kind
            self.kinds[name] = (kind, kind in MUTABLE_KINDS or (mutable and kind == "let"))
            self._types.pop(name, None)
            (self._scope.types or {}).pop(name, None)
            keeps = binding is not None and (binding.home is not None or binding.info is not None)
            self._scope.names[name] = binding if keeps and binding is not None else Binding(name, "later")
        self._types.update(types)
        for name, info in (scope.types or {}).items():
            declare_type(self._scope, name, info)
            decl = getattr(info, "decl", None)
            if decl is not None:
                self._types[name] = decl

    def learn_last_value(self) -> str:
        """Record that the session itself has bound the variable for the last displayed value; return its name."""
        self.kinds[LAST_VALUE] = ("let", True)
        self._scope.names[LAST_VALUE] = Binding(LAST_VALUE, "later")
        return LAST_VALUE


_TYPES = (nodes.StructDecl, nodes.EnumDecl, nodes.InterfaceDecl, nodes.TypeDecl)


def _first_errors(syntax: list[Diagnostic], found: list[Diagnostic]) -> list[Diagnostic]:
    """Return the errors to report: with syntax errors, the findings of the checker would only confuse the user."""
    return syntax or found


def _with_value(module: nodes.Module) -> nodes.Module:
    """Make the input return the value of its last statement if that is an expression."""
    statements = list(module.statements)
    if statements and isinstance(statements[-1], nodes.ExprStmt):
        last = statements[-1]
        statements[-1] = nodes.ReturnStmt(last.start, last.end, last.value)
    return nodes.Module(module.start, module.end, statements)
