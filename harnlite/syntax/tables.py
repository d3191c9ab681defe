"""The parse tables: the packaged ones, or others built anew if those do not fit the grammar.

`python -m harnlite.syntax.tables` writes the packaged file. Tables built at run time, which happens only if somebody
changed the grammar of an installation, are kept in the user's cache folder, and only if nobody else can write there.
"""

from __future__ import annotations

import marshal
import os
import stat
import sys

from harnlite import resources
from harnlite.syntax.lalr_tables import FORMAT, Tables

FILE_NAME = "harn.tables"
PACKAGED = os.path.join(os.path.dirname(os.path.abspath(__file__)), FILE_NAME)
_OTHERS_MAY_WRITE = 0o022
_OFF = frozenset(("off", "0", "no", "false"))


def grammar_text() -> str:
    """Return the grammar."""
    with open(resources.grammar_file(), encoding="utf-8") as file:
        return file.read()


def load(folder: str | None = None) -> Tables:
    """Return the tables of the grammar: the packaged ones, else those kept in a folder, else new ones, kept there."""
    grammar = grammar_text()
    found = _read(PACKAGED, grammar)
    if found is not None:
        return found
    place = default_folder() if folder is None else folder
    if place and is_trusted(place):
        found = _read(os.path.join(place, FILE_NAME), grammar)
        if found is not None:
            return found
    from harnlite.syntax import table_generator  # noqa: PLC0415 - it needs lark, and users never come here

    found = table_generator.build(grammar)
    if place:
        _keep(found, place)
    return found


def default_folder() -> str:
    """Return where the user keeps caches, or nothing if there is no such place."""
    setting = os.environ.get("HARNLITE_CACHE", "")
    if setting:
        return "" if setting.lower() in _OFF else os.path.abspath(setting)
    base = os.environ.get("XDG_CACHE_HOME") or (
        os.environ.get("LOCALAPPDATA", "") if sys.platform == "win32" else os.path.expanduser("~/.cache")
    )
    return os.path.join(base, "harnlite", "tables") if os.path.isabs(base) else ""


def is_trusted(folder: str) -> bool:
    """Say whether a folder belongs to the user and nobody else can write to it."""
    try:
        facts = os.lstat(folder)
    except OSError:
        return False
    if not hasattr(os, "getuid"):
        return os.path.isdir(folder)
    return stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.getuid() and not facts.st_mode & _OTHERS_MAY_WRITE


def _read(path: str, grammar: str) -> Tables | None:
    """Return the tables in a file if they are for this grammar."""
    try:
        with open(path, "rb") as file:
            data = marshal.loads(file.read())  # noqa: S302 - the package's own file, or a folder of the user alone
        form, *rest = data
        return Tables(*rest) if form == FORMAT and rest[0] == grammar else None
    except (OSError, ValueError, EOFError, TypeError, IndexError):
        return None


def _keep(tables: Tables, folder: str) -> None:
    """Write tables to a folder; whatever goes wrong, this run has its tables."""
    temporary = os.path.join(folder, f"{FILE_NAME}.{os.getpid()}")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        if is_trusted(folder):
            with open(temporary, "xb") as file:
                file.write(marshal.dumps(tables.facts()))
            os.replace(temporary, os.path.join(folder, FILE_NAME))
    except OSError:
        pass


def main() -> None:
    """Write the packaged tables."""
    from harnlite.syntax import table_generator  # noqa: PLC0415 - as above

    data = marshal.dumps(table_generator.build(grammar_text()).facts(), 4)
    with open(PACKAGED, "wb") as file:
        file.write(data)


if __name__ == "__main__":
    main()
