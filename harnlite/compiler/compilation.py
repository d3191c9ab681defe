"""The complete pipeline from text to a code object: parse, check, generate Python, compile."""

from __future__ import annotations

import ast
import gc
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING

from harnlite.analysis.builtins.digest import load_declarations
from harnlite.analysis.checking.check import check
from harnlite.analysis.files.import_files import FileImports
from harnlite.analysis.files.imports import brought_by
from harnlite.compiler.module import write_module
from harnlite.diagnostics.diagnostic import ERROR, Diagnostic
from harnlite.diagnostics.errors import LanguageError
from harnlite.diagnostics.source import Span
from harnlite.digests import sha256
from harnlite.regular_files import regular_file
from harnlite.syntax.parser import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import CodeType

    from harnlite.analysis.builtins.declarations import Declarations
    from harnlite.diagnostics.source import Source
    from harnlite.syntax.nodes import Module

    Facts = dict[str, object]
    Opener = Callable[[str, int], int]

TOO_DEEP = "The program is nested too deeply to be compiled"
TOO_MANY_BLOCKS = "Loops and try, mutex and deadline blocks are nested more than 20 levels deep"


@contextmanager
def collection_paused() -> Iterator[None]:
    """Pause the garbage collector, because the trees that it would traverse are all still in use."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _checked(
    source: Source, declarations: Declarations, opener: Opener = regular_file, *, templates: bool = False
) -> tuple[Module, list[Diagnostic], FileImports]:
    result = parse(source)
    imports = FileImports(opener=opener)
    partial = bool(result.diagnostics)
    texts = imports.text if templates else None
    checks = check(source, result.module, declarations, imports, partial=partial, texts=texts)
    found = [*result.diagnostics, *checks]
    found.sort(key=lambda finding: (finding.span.start, finding.span.end))
    return result.module, found, imports


def findings(source: Source) -> list[Diagnostic]:
    """Return all diagnostics of a source, in the order of its text; the templates that it renders are read too."""
    with collection_paused():
        return _checked(source, load_declarations(), templates=True)[1]


def written_code(source: Source, *, plain: bool = False) -> tuple[Facts, CodeType]:
    """Return the facts and the code of a text that parses, without checking it.

    Plain code calls a helper for each operator; tests compare it with the optimised code.
    """
    written = write_module(source, parse(source).module, load_declarations(), plain=plain)
    return {**written.facts, "warnings": (), "depends": ()}, compile_tree(source, written.tree)


def compile_source(source: Source, opener: Opener = regular_file) -> tuple[Facts, CodeType]:
    """Return the facts and the code of a program; raise LanguageError if it has errors.

    `opener` opens the files that the program imports. One that cannot be opened is not checked.
    """
    with collection_paused():
        return _compiled(source, opener)


def _compiled(source: Source, opener: Opener) -> tuple[Facts, CodeType]:
    declarations = load_declarations()
    module, found, imports = _checked(source, declarations, opener)
    errors = [finding for finding in found if finding.is_error]
    if errors:
        raise LanguageError(errors[0].message, found)
    brought = brought_by(imports, module.statements, source.path)
    written = write_module(source, module, declarations, brought=brought)
    facts = written.facts
    facts["warnings"] = tuple(as_tuple(finding) for finding in found)
    facts["depends"] = tuple((path, sha256(data).hexdigest()) for path, data in imports.read.items())
    return facts, compile_tree(source, written.tree)


def compile_tree(source: Source, tree: ast.Module) -> CodeType:
    """Compile a Python tree to a code object."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return compile(tree, source.path or source.name, "exec", dont_inherit=True)
        except (RecursionError, MemoryError, SyntaxError) as error:
            # The only SyntaxError that Python's compiler raises for our output is for more than 20 nested blocks.
            message, line = (TOO_MANY_BLOCKS, error.lineno or 1) if isinstance(error, SyntaxError) else (TOO_DEEP, 1)
            start = source.offset(line, 1)
            finding = Diagnostic(
                ERROR, message, source, Span(start, start + 1), help=("split it into smaller functions",)
            )
            raise LanguageError(message, (finding,)) from None


def as_tuple(finding: Diagnostic) -> tuple[object, ...]:
    """Return a finding in the form that is stored with the code."""
    labels = tuple(
        (label.span.start, label.span.end, label.message) for label in finding.labels if label.source is None
    )
    return (finding.severity, finding.message, finding.span.start, finding.span.end, finding.code, finding.help, labels)


def python_text(source: Source) -> str:
    """Return the generated Python of a source as readable text."""
    declarations = load_declarations()
    module, found, imports = _checked(source, declarations)
    errors = [finding for finding in found if finding.is_error]
    if errors:
        raise LanguageError(errors[0].message, found)
    tree = write_module(source, module, declarations, brought=brought_by(imports, module.statements, source.path)).tree
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"
