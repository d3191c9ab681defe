"""Programs of an embedding program: each is given as its text, or as the path of its file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from harnlite.diagnostics.source import Source
from harnlite.diagnostics.source_files import read_source

if TYPE_CHECKING:
    from typing import TypeAlias

    Program: TypeAlias = str | os.PathLike[str]

FILE_ENDING = ".harn"


def source_of(program: Program, name: str) -> Source:
    """Return the source of a program that is given as its text or as a path."""
    if isinstance(program, str) and ("\n" in program or not program.endswith(FILE_ENDING)):
        return Source(program, name)
    return read_source(os.fspath(program))
