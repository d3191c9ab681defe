"""The files of the workspace, open or on the disk, and the configuration that applies to each."""

from __future__ import annotations

import os

from harnlite.analysis.builtins.digest import load_declarations
from harnlite.analysis.files.discovery import programs_in
from harnlite.analysis.files.import_files import text_file
from harnlite.analysis.linting.configuration_files import PYPROJECT, ConfigurationError, find_project_file, lint_config
from harnlite.analysis.linting.context.configuration import DEFAULTS
from harnlite.analysis.linting.linter import Linter
from harnlite.editor.texts.documents import Document
from harnlite.editor.texts.uris import path_of, uri_of
from harnlite.regular_files import regular_file
from harnlite.resources import PROJECT_FILE, STD, builtins_file, imported_file
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnlite.analysis.builtins.declarations import Declarations
    from harnlite.analysis.checking.findings_cache import CheckMemory
    from harnlite.analysis.files.imports import ImportedModule
    from harnlite.diagnostics.diagnostic import Diagnostic
    from harnlite.editor.texts.documents import Stamp
    from harnlite.editor.texts.paintings import Painting


class Workspace:
    """The files that the server knows. Open files have the text of the editor, other files the text on the disk."""

    def __init__(
        self, folders: list[str] | None = None, *, units: str = "utf-16", versioned_changes: bool = True
    ) -> None:
        self.folders = folders or []
        self.units = units
        self.versioned_changes = versioned_changes
        """Whether the editor accepts edits that apply to one version of a text only."""
        self.declarations: Declarations = load_declarations()
        self.open: dict[str, Document] = {}
        """The open files, by path."""
        self.findings: dict[str, tuple[str, list[Diagnostic]]] = {}
        """The text and the findings of the last report on each file, by path."""
        self.painted: dict[str, Painting] = {}
        """The semantic tokens last sent for each file, by path."""
        self.given: dict[str, tuple[Stamp | None, tuple[tuple[str, str, str], ...]]] = {}
        """The exports of files that are not open, with the stamp of the file at that time, by path."""
        self._templates: dict[str, set[str]] = {}
        """The templates that the check of a file has read, by its path."""
        self._closed: dict[str, Document] = {}
        self._linters: dict[str, tuple[object, Linter]] = {}
        self.complaints: list[str] = []
        """Errors in configurations that have not been shown yet."""

    # Files

    def document(self, uri: str) -> Document:
        """Return an open file, or else the file on the disk; a file that cannot be read is empty."""
        path = path_of(uri)
        return self.file(path) or Document(uri, path, "", units=self.units)

    def opened(self, uri: str, text: str, version: int | None) -> Document:
        """Add a file that the editor has opened."""
        path = path_of(uri)
        document = self.open[path] = Document(uri, path, text, version, units=self.units)
        return document

    def closed(self, uri: str) -> None:
        """Forget the editor's state of a file."""
        self.open.pop(path_of(uri), None)
        self.findings.pop(path_of(uri), None)
        self.painted.pop(path_of(uri), None)

    def file(self, path: str) -> Document | None:
        """Return the file with a path, if it is open or can be read."""
        document = self.open.get(path)
        if document is not None:
            return document
        stamp = stamp_of(path)
        known = self._closed.get(path)
        if known is not None and known.stamp == stamp:
            return known
        try:
            with open(path, encoding="utf-8-sig", newline="", opener=regular_file) as stream:
                document = Document(uri_of(path), path, stream.read(), units=self.units)
        except (OSError, ValueError):
            return None
        document.stamp = stamp
        self._closed[path] = document
        return document

    @property
    def builtins(self) -> Document:
        """Return the file in which the builtins are declared."""
        path = builtins_file()
        known = self.file(path)
        assert known is not None, "the declarations of the builtins are part of the package"  # noqa: S101 - for mypy
        return known

    def imported(self, importer: Document, path: str) -> Document | None:
        """Return the file that an import path in another file refers to."""
        file = imported_file(path, importer.path)
        return None if file is None else self.file(file)

    def files(self) -> Iterator[Document]:
        """Yield all programs: the open ones, and those in the folders of the workspace."""
        for path in self.paths():
            document = self.file(path)
            if document is not None:
                yield document

    def paths(self) -> Iterator[str]:
        """Yield the paths of all programs, open ones first."""
        seen = set(self.open)
        yield from [*self.open]
        for folder in self.folders:
            config = self.linter(folder).config
            for path in programs_in(os.path.abspath(folder), config.excludes, gitignore=config.respect_gitignore):
                if path not in seen:
                    seen.add(path)
                    yield path

    def resolve(self, importer: str | None, path: str) -> ImportedModule | None:
        """Find an imported file for the checker; a file with syntax errors counts as not found."""
        file = imported_file(path, importer)
        document = None if file is None else self.file(file)
        return None if document is None else document.as_import

    def template(self, importer: str, path: str) -> str | None:
        """Return the text of a template that a file renders, or None if it cannot be read."""
        file = text_file(importer, path)
        self._templates.setdefault(importer, set()).add(file)
        document = self.file(file)
        return None if document is None else document.text

    # Configuration and findings

    def home_of(self, document: Document) -> str:
        """Return the folder whose configuration applies to a file; a document without a file uses the first folder."""
        if os.path.isabs(document.path):
            return os.path.dirname(document.path)
        return self.folders[0] if self.folders else ""

    def linter(self, folder: str) -> Linter:
        """Return the linter for the files of a folder; errors in its configuration are added to `complaints`."""
        stamp = configuration_stamp(folder)
        known = self._linters.get(folder)
        if known is None or known[0] != stamp:
            known = self._linters[folder] = stamp, self._made_linter(folder)
        return known[1]

    def _made_linter(self, folder: str) -> Linter:
        try:
            return Linter(lint_config(find_project_file(folder), {}))
        except ConfigurationError as error:
            self.complaints.append(str(error))
            return Linter(DEFAULTS)

    def circumstances(self, document: Document) -> tuple[object, ...]:
        """Return everything besides its text that the findings of a file depend on, as a comparable value."""
        around: dict[str, object] = {}
        pending = [document]
        while pending:
            importer = pending.pop()
            for statement in importer.module.statements:
                if isinstance(statement, nodes.ImportDecl) and not statement.path.startswith(STD):
                    file = imported_file(statement.path, importer.path) or ""
                    if file not in around:
                        target = self.file(file)
                        around[file] = target and target.text
                        pending += [target] if target is not None else []
        for file in sorted(self._templates.get(document.path, ())):
            around[file] = stamp_of(file)
        return configuration_stamp(self.home_of(document)), tuple(around.items())

    def inspect(self, document: Document, memory: CheckMemory | None = None) -> list[Diagnostic]:
        """Return the findings in a file; `memory` holds earlier findings from the same circumstances."""
        linter = self.linter(self.home_of(document))
        return linter.lint(document.source, self.resolve, document.result, memory, texts=self.template)

    def known_findings(self, document: Document) -> list[Diagnostic] | None:
        """Return the reported findings of a file, or None if its text has changed since."""
        text, found = self.findings.get(document.path, (None, None))
        return found if text == document.text else None

    def findings_of(self, document: Document) -> list[Diagnostic]:
        """Return the reported findings of a file; check it again if its text has changed since."""
        found = self.known_findings(document)
        if found is None:
            found = self.inspect(document)
            self.findings[document.path] = document.text, found
        return found


def configuration_stamp(folder: str) -> tuple[tuple[str, Stamp], ...]:
    """Return the files that may configure a folder, with their stamps."""
    found: list[tuple[str, Stamp]] = []
    while True:
        for name in (PROJECT_FILE, PYPROJECT):
            path = os.path.join(folder, name)
            stamp = stamp_of(path)
            if stamp is not None:
                found.append((path, stamp))
        folder, before = os.path.dirname(folder), folder
        if folder == before:
            return tuple(found)


def stamp_of(path: str) -> Stamp | None:
    """Return the modification time and size of a file, which change with it, or None if it does not exist."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size
