"""Finds the programs in folders, as a person means it: nothing hidden, nothing that git ignores."""

from __future__ import annotations

import os

from harnlite.analysis.files.globs import verdict
from harnlite.resources import SUFFIX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Excludes = Callable[[str], bool]
    # a folder, and the patterns that its .gitignore has for what is below
    Ignores = tuple[str, tuple[str, ...]]

NEVER = frozenset({"node_modules", "__pycache__", "venv"})
_GITIGNORE = ".gitignore"


def programs_in(folder: str, excludes: Excludes, *, gitignore: bool = True) -> Iterator[str]:
    """Yield the programs at and below a folder, sorted, under the name the folder was given by.

    `excludes` is asked for each file and, with a slash at the end, for each folder.
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
    """Ask the nearest `.gitignore` first; the first one that says something decides."""
    slash = "/" if path.endswith(os.sep) else ""
    whole = os.path.abspath(path)
    for folder, patterns in reversed(ignores):
        said = verdict(patterns, os.path.relpath(whole, folder).replace(os.sep, "/") + slash)
        if said is not None:
            return said
    return False


def _ignores_above(folder: str) -> list[Ignores]:
    """Return what the folders above say, down from the root of the repository; outside of one they say nothing."""
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
        with open(os.path.join(folder, _GITIGNORE), encoding="utf-8", errors="replace") as file:
            return [(os.path.abspath(folder), tuple(file.read().splitlines()))]
    except OSError:
        return []
