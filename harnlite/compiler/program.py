"""The loading of programs from the code cache or the compiler, which is imported only if it is needed."""

from __future__ import annotations

from harnlite.compiler import cache as code_cache
from harnlite.regular_files import regular_file
from harnlite.runtime.modules import Program
from harnlite.stack import on_large_stack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.diagnostics.diagnostic import Diagnostic
    from harnlite.diagnostics.source import Source
    from harnlite.runtime.access_control import ModuleOpener


def load(source: Source, *, cache: bool = True, modules: ModuleOpener | None = None) -> Program:
    """Return the program of a source; raise LanguageError with all diagnostics if it has errors.

    `modules` opens the files that the source imports. A check without some of them is not kept in the cache.
    """
    opener = modules or regular_file
    key = code_cache.key_of(source) if cache else None
    if key is not None:
        found = code_cache.read(key, opener)
        if found is not None:
            return Program(source, *found)
    from harnlite.compiler.compilation import compile_source

    facts, code = on_large_stack(lambda: compile_source(source, opener))
    if key is not None and not (modules and modules.has_refused):
        code_cache.write(key, facts, code)
    return Program(source, facts, code)


def check(source: Source) -> list[Diagnostic]:
    """Return all diagnostics of a source without running it."""
    from harnlite.compiler.compilation import findings

    return findings(source)


def python_text(source: Source) -> str:
    """Return the generated Python of a source."""
    from harnlite.compiler.compilation import python_text as write

    return write(source)
