"""The linting of whole projects: the configuration of each file, cached findings, and several processes."""

from __future__ import annotations

import os
import sys

from harnlite.analysis.files.discovery import programs_in
from harnlite.analysis.files.import_files import FileImports
from harnlite.analysis.linting.code_selection import SYNTAX_ERROR
from harnlite.analysis.linting.configuration_files import find_project_file, lint_config, read_project_file
from harnlite.analysis.linting.context.configuration import DEFAULTS
from harnlite.analysis.linting.fixing import fix_source
from harnlite.analysis.linting.linter import Linter, lint
from harnlite.diagnostics.diagnostic import ERROR, Diagnostic
from harnlite.diagnostics.errors import LanguageError
from harnlite.diagnostics.source import Source, Span
from harnlite.diagnostics.source_files import read_source
from harnlite.host.findings import packed, unpacked
from harnlite.host.lint_cache import LintCache, NotedImports
from harnlite.stack import on_large_stack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from multiprocessing.connection import Connection
    from typing import Any

    from harnlite.analysis.linting.configuration_files import ProjectFile
    from harnlite.analysis.linting.context.configuration import LintConfig
    from harnlite.analysis.linting.fixing import Fixed

    Packed = tuple[str, tuple[tuple[Any, ...], ...]]

FEW = 24
"""The number of files that are linted in the time that another process takes to start."""


class Wishes:
    """The user's choices: a configuration file, or none, instead of the nearest one, and values that override it."""

    __slots__ = ("file", "flags", "isolated")

    def __init__(
        self, flags: Mapping[str, Any] | None = None, *, file: str | None = None, isolated: bool = False
    ) -> None:
        self.flags = dict(flags or {})
        self.file = file
        self.isolated = isolated


class Desk:
    """The state that one process keeps between files: configurations, linters, caches and imports."""

    __slots__ = ("_caches", "_chosen", "_folders", "_imports", "_linters", "_wishes")

    def __init__(self, wishes: Wishes) -> None:
        self._wishes = wishes
        self._chosen = read_project_file(wishes.file) if wishes.file is not None else None
        self._folders: dict[str, ProjectFile | None] = {}
        self._linters: dict[str | None, Linter] = {}
        self._caches: dict[Linter, LintCache] = {}
        self._imports = FileImports()

    def project_file(self, folder: str) -> ProjectFile | None:
        """Return the configuration file that applies to the files of a folder, or None."""
        if self._wishes.isolated or self._chosen is not None:
            return self._chosen
        if folder not in self._folders:
            self._folders[folder] = find_project_file(folder)
        return self._folders[folder]

    def config_of(self, folder: str) -> LintConfig:
        """Return the configuration that applies to the files of a folder."""
        return self._linter(folder).config

    def _linter(self, folder: str) -> Linter:
        file = self.project_file(folder)
        key = None if file is None else file.path
        if key not in self._linters:
            self._linters[key] = Linter(lint_config(file, self._wishes.flags))
        return self._linters[key]

    def lint(self, source: Source) -> list[Diagnostic]:
        """Return the findings in a source, from the cache if possible."""
        linter = self._linter(_folder_of(source.path or ""))
        if linter not in self._caches:
            self._caches[linter] = LintCache(linter.config.identity)
        cache = self._caches[linter]
        key = cache.key_of(source)
        found = cache.read(key, source) if key is not None else None
        if found is None:
            imports = NotedImports(self._imports)
            found = linter.lint(source, imports, texts=imports.text)
            if key is not None:
                cache.write(key, found, imports)
        return found

    def lint_file(self, path: str) -> list[Diagnostic]:
        """Return the findings in a file; a file that cannot be read has one error."""
        try:
            source = read_source(path)
        except OSError as error:
            return [missing_file(path, error)]
        except LanguageError as error:
            return unreadable(error)
        return self.lint(source)

    def fix(self, source: Source, *, unsafe: bool) -> Fixed:
        """Apply the fixes of the findings in a source."""
        linter = self._linter(_folder_of(source.path or ""))
        return on_large_stack(
            lambda: fix_source(source, lambda changed: linter.lint(changed, FileImports()), unsafe=unsafe)
        )


def lint_source(source: Source, config: LintConfig | None) -> list[Diagnostic]:
    """Lint a source and return the findings; configuration files are not read."""
    return lint(source, config or DEFAULTS, FileImports())


def unreadable(error: LanguageError) -> list[Diagnostic]:
    """Return the findings for a file that is not text."""
    for one in error.diagnostics:
        one.code, one.rule = SYNTAX_ERROR.code, SYNTAX_ERROR.name
    return list(error.diagnostics)


def missing_file(path: str, error: OSError) -> Diagnostic:
    """Return the finding for a file that cannot be opened."""
    found = Diagnostic(ERROR, f"cannot read this file: {error.strerror}", Source("", path, path), Span(0, 0))
    found.code, found.rule = SYNTAX_ERROR.code, SYNTAX_ERROR.name
    return found


def _folder_of(path: str) -> str:
    return os.path.dirname(os.path.abspath(path)) if path else os.getcwd()


def files_of(desk: Desk, paths: Sequence[str]) -> list[str]:
    """Return the files that paths refer to, without duplicates: a folder stands for the programs in it."""
    found: dict[str, str] = {}
    for path in paths:
        for file in _programs(desk, path) if os.path.isdir(path) else (path,):
            found.setdefault(os.path.abspath(file), file)
    return list(found.values())


def _programs(desk: Desk, folder: str) -> Iterator[str]:
    config = desk.config_of(os.path.abspath(folder))
    return programs_in(folder, config.excludes, gitignore=config.respect_gitignore)


def lint_files(wishes: Wishes, paths: Sequence[str]) -> list[Diagnostic]:
    """Return the findings in files, in their order; several processes share the work if there are many files."""
    processes = min(_processors(), len(paths) // FEW)
    if processes > 1:
        known = dict(_lint_in_processes(wishes, paths, processes))
        return [one for path in paths if path in known for one in unpacked(known[path], _text_of(path))]
    desk = Desk(wishes)
    return on_large_stack(lambda: [one for path in paths for one in desk.lint_file(path)])


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _text_of(path: str) -> Source:
    """Return a file as a source, even if it is not valid text or cannot be read."""
    try:
        return read_source(path)
    except LanguageError as error:
        return error.diagnostics[0].source
    except OSError:
        return Source("", path, path)


def _lint_in_processes(wishes: Wishes, paths: Sequence[str], processes: int) -> list[Packed]:
    """Lint files in other processes and in this one; files without findings are omitted."""
    from multiprocessing import get_context

    context = get_context("fork") if sys.platform == "linux" else get_context("spawn")
    others = []
    for share in range(1, processes):
        receiver, sender = context.Pipe(duplex=False)
        arguments = (wishes, paths[share::processes], sender, os.getpid())
        worker = context.Process(target=_work, args=arguments, daemon=True)
        worker.start()
        sender.close()
        others.append((worker, receiver))
    reports = _reports(wishes, paths[::processes])
    for worker, receiver in others:
        done = receiver.recv()
        worker.join()
        if isinstance(done, Exception):
            raise done
        reports += done
    return reports


def _work(wishes: Wishes, paths: Sequence[str], sender: Connection, parent: int) -> None:
    """Lint files for another process and send it the findings or the error."""
    try:
        sender.send(_reports(wishes, paths, parent))
    except Exception as error:  # noqa: BLE001 - raised again in the parent process
        sender.send(error)


def _reports(wishes: Wishes, paths: Sequence[str], parent: int | None = None) -> list[Packed]:
    desk = Desk(wishes)

    def found() -> Iterator[Packed]:
        for path in paths:
            if parent is not None and os.getppid() != parent:
                return  # the parent process no longer exists
            data = packed(desk.lint_file(path))
            if data:
                yield path, data

    return on_large_stack(lambda: list(found()))
