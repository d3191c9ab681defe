"""Finds imported files for the checker: read, parsed, each once, and remembered with its text."""

from __future__ import annotations

from harnlite.analysis.files.imports import ImportedModule
from harnlite.diagnostics.source import Source
from harnlite.resources import imported_file
from harnlite.syntax.parser import parse


class FileImports:
    """Resolves imports against the file system; `read` holds the text of each file that was looked at."""

    __slots__ = ("_cwd", "_known", "read")

    def __init__(self, cwd: str | None = None) -> None:
        self._cwd = cwd
        self._known: dict[str, ImportedModule | None] = {}
        self.read: dict[str, bytes] = {}

    def __call__(self, importer: str | None, path: str) -> ImportedModule | None:
        """Return the file that an import means, or nothing if it cannot be found or parsed."""
        file = imported_file(path, importer, self._cwd)
        if file is None:
            return None
        if file not in self._known:
            self._known[file] = self._parsed(file)
        return self._known[file]

    def _parsed(self, file: str) -> ImportedModule | None:
        try:
            with open(file, "rb") as stream:
                data = stream.read()
            text = data.decode("utf-8-sig")
        except (OSError, ValueError):
            return None
        self.read[file] = data
        source = Source(text, file, file)
        result = parse(source)
        return ImportedModule(source, result.module) if not result.diagnostics else None
