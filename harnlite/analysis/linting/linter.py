"""The lint engine: syntax errors, static checks, and one walk over a file for all rules."""

from __future__ import annotations

import gc
import os

from harnlite.analysis.builtins.digest import load_declarations
from harnlite.analysis.checking.check import check
from harnlite.analysis.linting.code_selection import (
    CHECK_ERROR,
    CHECK_WARNING,
    SYNTAX_ERROR,
    UNUSED_SUPPRESSION,
    Selection,
)
from harnlite.analysis.linting.context.configuration import DEFAULTS
from harnlite.analysis.linting.context.import_fixes import add_import_fixes
from harnlite.analysis.linting.context.linted_file import Linting
from harnlite.analysis.linting.context.suppressions import Suppressor
from harnlite.analysis.linting.trusted_statements import trusted
from harnlite.resources import builtins_file
from harnlite.stack import on_large_stack
from harnlite.syntax.parser import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import TypeVar

    from harnlite.analysis.checking.checker import TextReader
    from harnlite.analysis.checking.findings_cache import CheckMemory
    from harnlite.analysis.files.imports import ImportResolver
    from harnlite.analysis.linting.context.configuration import LintConfig
    from harnlite.analysis.linting.context.rule import Rule, Visit
    from harnlite.diagnostics.diagnostic import Diagnostic
    from harnlite.diagnostics.source import Source
    from harnlite.syntax.nodes import Node
    from harnlite.syntax.parser import ParseResult

    T = TypeVar("T")


class Linter:
    """A linter with one configuration; it computes everything that does not depend on the file once."""

    __slots__ = ("config", "declarations", "selection")

    def __init__(self, config: LintConfig = DEFAULTS) -> None:
        self.config = config
        self.declarations = load_declarations()
        self.selection = Selection(config)

    def lint(
        self,
        source: Source,
        imports: ImportResolver | None = None,
        parsed: ParseResult | None = None,
        memory: CheckMemory | None = None,
        *,
        texts: TextReader | None = None,
    ) -> list[Diagnostic]:
        """Return all findings of a file, in the order of its text; `texts` reads the templates that it renders.

        For a file that is linted repeatedly, pass its tree as `parsed` and the cached findings as `memory`.
        """
        collects = gc.isenabled()
        gc.disable()  # nothing that is created here becomes garbage before the end
        try:
            return on_large_stack(lambda: self._lint(source, imports, parsed, memory, texts))
        finally:
            if collects:
                gc.enable()

    def _lint(
        self,
        source: Source,
        imports: ImportResolver | None,
        parsed: ParseResult | None,
        memory: CheckMemory | None,
        texts: TextReader | None,
    ) -> list[Diagnostic]:
        if source.path is not None and os.path.abspath(source.path) == builtins_file():
            return [_coded(one, SYNTAX_ERROR) for one in parse(source, declarations=True).diagnostics]
        result = parsed or parse(source)
        partial = bool(result.diagnostics)
        checks = check(source, result.module, self.declarations, imports, partial=partial, memory=memory, texts=texts)
        add_import_fixes(source, result.module, checks)
        active = self.selection.of_file(source)
        linting = Linting(
            source,
            result.module,
            declarations=self.declarations,
            config=self.config,
            imports=imports,
            partial=partial,
            checks=checks,
        )
        rules = [rule for rule in active.rules if rule.tolerant or not partial]
        walk(linting, rules)
        linting.release()
        by_rules = trusted(result.module, linting.found, result.diagnostics) if partial else linting.found
        found = [_coded(one, SYNTAX_ERROR) for one in result.diagnostics]
        found += [_coded(one, CHECK_ERROR if one.is_error else CHECK_WARNING) for one in _left(checks, by_rules)]
        found += by_rules
        return self._unsuppressed(
            source, [one for one in found if one.code in active.codes], active.codes, partial=partial
        )

    def _unsuppressed(
        self, source: Source, found: Sequence[Diagnostic], codes: Collection[str], *, partial: bool
    ) -> list[Diagnostic]:
        """Remove the suppressed findings; report suppressions without effect, unless some rules have not run."""
        suppressor = Suppressor(source, UNUSED_SUPPRESSION, self.selection.known)
        left = suppressor.applied([one for one in found if one.code != SYNTAX_ERROR.code])
        left += [one for one in found if one.code == SYNTAX_ERROR.code]
        if UNUSED_SUPPRESSION.code in codes and not partial:
            left += suppressor.unused(codes)
        return _ordered(left)


def lint(source: Source, config: LintConfig = DEFAULTS, imports: ImportResolver | None = None) -> list[Diagnostic]:
    """Return all findings of a file, in the order of its text; other program files are read only through `imports`."""
    return Linter(config).lint(source, imports)


def walk(linting: Linting, rules: Sequence[Rule]) -> None:
    """Call the visitors of the rules for each node, parents first; then call the `finish` function of each rule."""
    visits: dict[type[Node], list[Visit]] = {}
    for rule in rules:
        for kind, visit in rule.visits.items():
            visits.setdefault(kind, []).append(visit)
    for node in linting.all_nodes:
        kind = node.__class__
        if kind in visits:
            for visit in visits[kind]:
                visit(linting, node)
    for rule in rules:
        if rule.finish is not None:
            rule.finish(linting)


def _coded(found: Diagnostic, rule: Rule) -> Diagnostic:
    """Set the code of a finding of the parser or the checker."""
    found.code, found.rule = rule.code, rule.name
    return found


def _left(checks: Sequence[Diagnostic], found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Return the findings of the checker, without warnings where a rule reports an error at the same place."""
    thrown = {one.span for one in found if one.is_error}
    return [one for one in checks if one.is_error or one.span not in thrown]


def _ordered(found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Return findings in the order of the text, without duplicates."""
    known: dict[object, Diagnostic] = {}
    for one in sorted(found, key=lambda one: (one.span.start, one.span.end)):
        known.setdefault((one.span, one.message), one)
    return list(known.values())
