"""Find the programs in folders, except hidden files and files that git ignores."""

from __future__ import annotations

import os

from harnlite.analysis.files.globs import verdict
from harnlite.regular_files import regular_file
from harnlite.resources import SUFFIX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Excludes = Callable[[str], bool]
    # A folder, and the patterns of its .gitignore.
    Ignores = tuple[str, tuple[str, ...]]

NEVER = frozenset({"node_modules", "__pycache__", "venv"})
_GITIGNORE = ".gitignore"


def programs_in(folder: str, excludes: Excludes, *, gitignore: bool = True) -> Iterator[str]:
    """Yield the sorted paths of the programs in a folder and below it; each path begins with the given folder.

    `excludes` is called for each file and, with a trailing slash, for each folder.
    """
    ignores = _ignores_above(folder) if gitignore else []
    yield from _below(folder, excludes, ignores, gitignore=gitignore)


def _below(folder: str, excludes: Excludes, ignores: list[Ignores], *, gitignore: bool) -> Iterator[str]:
    ignores = [*ignores, *_ignores_of(folder)] if gitignore else ignores
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError:
        return
    folders: list[str] = []
    for entry in entries:
        path = os.path.normpath(entry.path)
        if entry.is_dir(follow_symlinks=False):
            if entry.name[0] != "." and entry.name not in NEVER and not _is_out(path + os.sep, excludes, ignores):
                folders.append(path)
        elif entry.name.endswith(SUFFIX) and entry.is_file() and not _is_out(path, excludes, ignores):
            yield path
    for path in folders:
        yield from _below(path, excludes, ignores, gitignore=gitignore)


def _is_out(path: str, excludes: Excludes, ignores: list[Ignores]) -> bool:
    return excludes(path) or _is_ignored(path, ignores)


def _is_ignored(path: str, ignores: list[Ignores]) -> bool:
    """Return whether a path is ignored: the nearest `.gitignore` with a matching pattern decides."""
    slash = "/" if path.endswith(os.sep) else ""
    whole = os.path.abspath(path)
    for folder, patterns in reversed(ignores):
        decided = verdict(patterns, os.path.relpath(whole, folder).replace(os.sep, "/") + slash)
        if decided is not None:
            return decided
    return False


def _ignores_above(folder: str) -> list[Ignores]:
    """Return the patterns of the parent folders, from the root of the repository down; none outside a repository."""
    here = os.path.abspath(folder)
    found: list[Ignores] = []
    while not os.path.exists(os.path.join(here, ".git")):
        parent = os.path.dirname(here)
        if parent == here:
            return []
        here = parent
        found[:0] = _ignores_of(here)
    return found


def _ignores_of(folder: str) -> list[Ignores]:
    try:
        with open(os.path.join(folder, _GITIGNORE), encoding="utf-8", errors="replace", opener=regular_file) as file:
            return [(os.path.abspath(folder), tuple(file.read().splitlines()))]
    except OSError:
        return []
