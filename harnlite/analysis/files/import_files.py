"""Find, read and parse imported files for the checker, each file once."""

from __future__ import annotations

import os
from functools import lru_cache

from harnlite.analysis.files.imports import ImportedModule
from harnlite.diagnostics.source import Source
from harnlite.regular_files import regular_file
from harnlite.resources import imported_file
from harnlite.syntax.parser import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

MOST_TREES = 64


class FileImports:
    """Resolver of imports against the file system; `read` holds the bytes of each file that was read.

    `opener` opens the files, and may refuse some of them.
    """

    __slots__ = ("_cwd", "_known", "_opener", "read")

    def __init__(self, cwd: str | None = None, opener: Callable[[str, int], int] = regular_file) -> None:
        self._cwd = cwd
        self._opener = opener
        self._known: dict[str, ImportedModule | None] = {}
        self.read: dict[str, bytes] = {}

    def __call__(self, importer: str | None, path: str) -> ImportedModule | None:
        """Return the module that an import refers to, or None if it cannot be found or parsed."""
        file = imported_file(path, importer, self._cwd)
        if file is None:
            return None
        if file not in self._known:
            self._known[file] = self._parsed(file)
        return self._known[file]

    def text(self, importer: str, path: str) -> str | None:
        """Return the text of a file that is not a program, such as a template, or None if it cannot be read."""
        return self._text(text_file(importer, path))

    def _text(self, file: str) -> str | None:
        try:
            with open(file, "rb", opener=self._opener) as stream:
                data = stream.read()
            text = data.decode("utf-8-sig")
        except (OSError, ValueError):
            return None
        self.read[file] = data
        return text

    def _parsed(self, file: str) -> ImportedModule | None:
        text = self._text(file)
        return None if text is None else _module(text, file)


@lru_cache(maxsize=MOST_TREES)
def _module(text: str, file: str) -> ImportedModule | None:
    """Return the tree of a text, which other programs of the process may import as well, or None with syntax errors."""
    source = Source(text, file, file)
    result = parse(source)
    return ImportedModule(source, result.module) if not result.diagnostics else None


def text_file(importer: str, path: str) -> str:
    """Return the path of a file that is not a program; it is relative to the folder of the program that names it."""
    return os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(importer)), path))
