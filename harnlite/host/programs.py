"""The programs that an embedding program passes to harnlite, each as its text or as the path of its file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from harnlite.diagnostics.errors import LanguageError
from harnlite.diagnostics.source import Source
from harnlite.diagnostics.source_files import read_source
from harnlite.host.toolchain import findings, parsed
from harnlite.resources import SUFFIX

if TYPE_CHECKING:
    from typing import TypeAlias

    from harnlite.diagnostics.diagnostic import Diagnostic
    from harnlite.syntax.nodes import Module

    Program: TypeAlias = str | os.PathLike[str]


def source_of(program: Program, name: str) -> Source:
    """Return the source of a program that is given as its text or as the path of its file."""
    if isinstance(program, str) and ("\n" in program or not program.endswith(SUFFIX)):
        return Source(program, name)
    return read_source(os.fspath(program))


def parse(program: Program, name: str) -> Module:
    """Return the syntax tree of a program; raise LanguageError if it has syntax errors."""
    return parsed(source_of(program, name))


def check(program: Program, name: str) -> list[Diagnostic]:
    """Return the errors and warnings in a program without running it."""
    try:
        return findings(source_of(program, name))
    except LanguageError as error:
        return list(error.diagnostics)
