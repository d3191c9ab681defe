"""The findings in all inputs of a session."""

from __future__ import annotations

from harnlite.analysis.files.import_files import FileImports
from harnlite.analysis.linting.linter import Linter
from harnlite.diagnostics.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

    from harnlite.diagnostics.diagnostic import Diagnostic

_USUAL_HERE = frozenset({"useless-expression", "unused-result"})
_ABOUT_NAMES = frozenset({"undefined-name", "check-error", "unused-variable", "unused-import", "redeclared-variable"})


def findings_in(text: str, names: Container[str]) -> list[Diagnostic]:
    """Return the findings in the inputs of a session, except those that mean nothing there.

    A name of the session may be bound again or used later.
    """
    found = Linter().lint(Source(text, "<session>"), FileImports())
    return [one for one in found if one.rule not in _USUAL_HERE and not _is_known(one, names)]


def _is_known(found: Diagnostic, names: Container[str]) -> bool:
    """Return whether a finding is about a name of the session."""
    name = found.source.text[found.span.start : found.span.end]
    return found.rule in _ABOUT_NAMES and name in names
