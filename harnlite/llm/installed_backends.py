"""Backends of installed packages, found by entry points."""

from __future__ import annotations

import os
import sys

from harnlite.regular_files import regular_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.llm.backend import ChatBackend

ENTRY_POINTS = "harnlite.backends"
_METADATA = (".dist-info", ".egg-info")
_SEARCHED: dict[str, tuple[int, bool]] = {}
"""The folders that were searched: when each had last changed, and whether it may have such an entry point."""


def installed_backend(name: str) -> ChatBackend | None:
    """Load a backend from the entry point of an installed package, a class or function that returns the backend.

    The folders of packages are searched first: importing `importlib.metadata` takes longer than a short run.
    """
    if not any(_has_entry_points(folder) for folder in sys.path):
        return None
    from importlib.metadata import entry_points

    for point in entry_points(group=ENTRY_POINTS, name=name):
        backend: ChatBackend = point.load()()
        return backend
    return None


def _has_entry_points(folder: str) -> bool:
    """Return whether a package in a folder or an archive may have an entry point for backends."""
    try:
        changed = os.stat(folder or os.curdir).st_mtime_ns
    except OSError:
        return False
    if os.path.isfile(folder):
        return True
    known = _SEARCHED.get(folder)
    if known is None or known[0] != changed:
        known = _SEARCHED[folder] = changed, any(_names_group(file) for file in _files(folder or os.curdir))
    return known[1]


def _files(folder: str) -> list[str]:
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return [os.path.join(folder, name, "entry_points.txt") for name in names if name.endswith(_METADATA)]


def _names_group(file: str) -> bool:
    try:
        with open(file, "rb", opener=regular_file) as text:
            return ENTRY_POINTS.encode() in text.read()
    except OSError:
        return False
