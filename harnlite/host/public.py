"""The module-level functions of `import harnlite`, which use an engine with the default configuration."""

from __future__ import annotations

from harnlite.diagnostics.errors import LanguageError
from harnlite.host.engine import INPUT, Engine
from harnlite.host.programs import source_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.analysis.linting.context.configuration import LintConfig
    from harnlite.diagnostics.diagnostic import Diagnostic
    from harnlite.host.programs import Program

_ENGINE = Engine()

parse = _ENGINE.parse
check = _ENGINE.check
run = _ENGINE.run


def lint(program: Program, config: LintConfig | None = None, *, name: str = INPUT) -> list[Diagnostic]:
    """Lint a program and return the findings; configuration files are not read."""
    from harnlite.host.linting import lint_source, unreadable

    try:
        return lint_source(source_of(program, name), config)
    except LanguageError as error:
        return unreadable(error)
