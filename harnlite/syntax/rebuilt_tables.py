"""Parse tables for an installation whose grammar was changed, so that the packaged tables do not fit.

They are kept in the user's cache folder, and only if no other user can write there.
"""

from __future__ import annotations

import marshal
import os
import stat
import sys
from typing import TYPE_CHECKING

from harnlite.durable_files import replace_file
from harnlite.syntax import tables

if TYPE_CHECKING:
    from harnlite.syntax.tables import Tables

_OTHERS_MAY_WRITE = 0o022
_OFF = frozenset(("off", "0", "no", "false"))


def load(folder: str | None = None) -> Tables:
    """Return the tables of the grammar: those kept in a folder, else new ones, kept there."""
    grammar = tables.grammar_text()
    place = default_folder() if folder is None else folder
    if place and is_trusted(place):
        found = tables.read(os.path.join(place, tables.FILE_NAME), grammar)
        if found is not None:
            return found
    from harnlite.syntax import table_generator

    built = table_generator.build(grammar)
    if place:
        _keep(built, place)
    return built


def default_folder() -> str:
    """Return the folder for tables in the user's cache, or an empty string if there is none."""
    setting = os.environ.get("HARNLITE_CACHE", "")
    if setting:
        return "" if setting.lower() in _OFF else os.path.abspath(setting)
    base = os.environ.get("XDG_CACHE_HOME") or (
        os.environ.get("LOCALAPPDATA", "") if sys.platform == "win32" else os.path.expanduser("~/.cache")
    )
    return os.path.join(base, "harnlite", "tables") if os.path.isabs(base) else ""


def is_trusted(folder: str) -> bool:
    """Return whether a folder belongs to the user and only the user can write to it."""
    try:
        facts = os.lstat(folder)
    except OSError:
        return False
    if not hasattr(os, "getuid"):
        return os.path.isdir(folder)
    return stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.getuid() and not facts.st_mode & _OTHERS_MAY_WRITE


def _keep(built: Tables, folder: str) -> None:
    """Write tables to a folder; errors are ignored, because this run already has its tables."""
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        if is_trusted(folder):
            replace_file(os.path.join(folder, tables.FILE_NAME), marshal.dumps(built.facts()))
    except OSError:
        pass
