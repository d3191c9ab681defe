"""The cache of lint findings, which are valid until something that they depend on changes."""

from __future__ import annotations

import os
import sys

from harnlite.analysis.files.import_files import text_file
from harnlite.compiler import cache as code_cache
from harnlite.digests import sha256
from harnlite.host.findings import packed, unpacked
from harnlite.resources import builtins_file, imported_file
from harnlite.version import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.analysis.files.import_files import FileImports
    from harnlite.analysis.files.imports import ImportedModule
    from harnlite.diagnostics.diagnostic import Diagnostic
    from harnlite.diagnostics.source import Source

_PACKAGES = ("analysis", "diagnostics", "reminders", "syntax", "template_language")
_NAME = 40


class NotedImports:
    """A resolver for the imports of one file that records which files were requested."""

    __slots__ = ("_resolve", "absent", "found")

    def __init__(self, resolve: FileImports) -> None:
        self._resolve = resolve
        self.found: set[str] = set()
        self.absent: set[str] = set()

    def __call__(self, importer: str | None, path: str) -> ImportedModule | None:
        """Return the module that an import refers to, or None if it cannot be found or parsed."""
        file = imported_file(path, importer)
        if file is not None:
            (self.found if os.path.isfile(file) else self.absent).add(file)
        return self._resolve(importer, path)

    def text(self, importer: str, path: str) -> str | None:
        """Return the text of a file that is not a program, or None if it cannot be read."""
        file = text_file(importer, path)
        (self.found if os.path.isfile(file) else self.absent).add(file)
        return self._resolve.text(importer, path)

    def digests(self) -> list[tuple[str, str]]:
        """Return the files that were read, each with a digest."""
        read = self._resolve.read
        return [(file, sha256(read[file]).hexdigest()) for file in sorted(self.found) if file in read]


class LintCache:
    """The cached findings of one configuration, in the folder of the code cache."""

    __slots__ = ("_folder", "_stamp")

    def __init__(self, identity: str) -> None:
        self._folder = code_cache.folder()
        self._stamp = f"{VERSION} {sys.hexversion} {_program_stamp()} {identity}" if self._folder else ""

    def key_of(self, source: Source) -> str | None:
        """Return the path of the cache entry for a source, or None if there is no cache."""
        if self._folder is None:
            return None
        whole = sha256()
        for part in (self._stamp, source.path or source.name, source.text):
            data = part.encode("utf-8", "surrogatepass")
            whole.update(b"%d:" % len(data) + data)
        return os.path.join(self._folder, f"lint-{whole.hexdigest()[:_NAME]}{code_cache.SUFFIX}")

    def read(self, key: str, source: Source) -> list[Diagnostic] | None:
        """Return the cached findings for a source, or None if there is no valid entry."""
        entry: tuple[dict[str, Any], Any] | None = code_cache.read(key)
        if entry is None or any(map(os.path.exists, entry[0]["absent"])):
            return None
        return unpacked(entry[1], source)

    def write(self, key: str, found: list[Diagnostic], imports: NotedImports) -> None:
        """Store the findings for a source."""
        facts: dict[str, object] = {"depends": tuple(imports.digests()), "absent": tuple(sorted(imports.absent))}
        code_cache.write(key, facts, packed(found))


def _program_stamp() -> str:
    """Return a digest of the code that produces findings, so that changes to it invalidate the cache."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    stamps = [code_cache.stamp(builtins_file())]
    for package in _PACKAGES:
        for folder, folders, files in os.walk(os.path.join(here, package)):
            folders[:] = sorted(name for name in folders if name != "__pycache__")
            stamps += [f"{name}:{code_cache.stamp(os.path.join(folder, name))}" for name in sorted(files)]
    stamp: str = sha256("\n".join(stamps).encode()).hexdigest()
    return stamp
