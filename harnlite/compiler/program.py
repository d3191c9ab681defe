"""The loading of programs from the code cache or the compiler, which is imported only if it is needed."""

from __future__ import annotations

import os

from harnlite.compiler import cache as code_cache
from harnlite.regular_files import regular_file
from harnlite.runtime.modules import Program
from harnlite.stack import on_large_stack

_MOST_REMEMBERED = 256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.diagnostics.diagnostic import Diagnostic
    from harnlite.diagnostics.source import Source
    from harnlite.runtime.access_control import ModuleOpener


class ProgramMemory:
    """The last program of each file, for runs of one process that follow each other.

    An entry is subject to the conditions of the code cache, which it stands in front of.
    """

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[tuple[str | None, str], Program] = {}

    def find(self, source: Source, opener: Callable[[str, int], int]) -> Program | None:
        """Return the program of a source if the memory has it and all files that it depends on are unchanged."""
        known = self._known.get(_name_of(source))
        if known is None or known.source.text != source.text or not code_cache.is_current(known.facts, opener):
            return None
        return Program(source, known.facts, known.code)

    def keep(self, program: Program) -> Program:
        """Remember a program; return it."""
        if len(self._known) >= _MOST_REMEMBERED:
            self._known.clear()
        self._known[_name_of(program.source)] = program
        return program


def _name_of(source: Source) -> tuple[str, str]:
    return os.path.abspath(source.path) if source.path else "", source.name


def load(
    source: Source, *, cache: bool = True, modules: ModuleOpener | None = None, memory: ProgramMemory | None = None
) -> Program:
    """Return the program of a source; raise LanguageError with all diagnostics if it has errors.

    `modules` opens the files that the source imports. A check without some of them is kept neither in the cache nor in
    the memory, which is only used together with the cache.
    """
    opener = modules or regular_file
    if memory is not None and cache:
        known = memory.find(source, opener)
        if known is not None:
            return known
    key = code_cache.key_of(source) if cache else None
    if key is not None:
        found = code_cache.read(key, opener)
        if found is not None:
            program = Program(source, *found)
            return program if memory is None else memory.keep(program)
    from harnlite.compiler.compilation import compile_source

    program = Program(source, *on_large_stack(lambda: compile_source(source, opener)))
    if key is not None and not (modules and modules.has_refused):
        code_cache.write(key, program.facts, program.code)
        if memory is not None:
            memory.keep(program)
    return program


def check(source: Source) -> list[Diagnostic]:
    """Return all diagnostics of a source without running it."""
    from harnlite.compiler.compilation import findings

    return findings(source)


def python_text(source: Source) -> str:
    """Return the generated Python of a source."""
    from harnlite.compiler.compilation import python_text as write

    return write(source)
