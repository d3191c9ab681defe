"""The locations of grammar/ and stdlib/, in a checkout or an installed package, and of the files of a project."""

from __future__ import annotations

import os

STD = "std/"
PROJECT_FILE = "harn.toml"
SUFFIX = ".harn"
_HERE = os.path.dirname(os.path.abspath(__file__))
_ROOTS = (_HERE, os.path.dirname(_HERE))


def folder(name: str) -> str:
    """Return the path of a data folder: inside the package if harnlite is installed, next to it in a checkout."""
    for root in _ROOTS:
        found = os.path.join(root, name)
        if os.path.isdir(found):
            return found
    message = f"the folder {name!r} is missing from this installation"
    raise FileNotFoundError(message)


def grammar_file() -> str:
    """Return the path of the grammar file."""
    return os.path.join(folder("grammar"), "harn.lark")


def builtins_file() -> str:
    """Return the path of the file that declares the builtins."""
    return os.path.join(folder("stdlib"), "builtins.harn")


def module_file(name: str) -> str | None:
    """Return the path of a std module (`text` for `std/text`), or None if it does not exist."""
    steps = name.split("/")
    if not all(step.replace("_", "").isalnum() for step in steps):
        return None
    path = os.path.join(folder("stdlib"), "std", *steps) + SUFFIX
    return path if os.path.isfile(path) else None


def std_modules() -> list[str]:
    """Return the import paths of the std modules, sorted."""
    root = folder("stdlib")
    paths = (os.path.join(place, name) for place, _, names in os.walk(os.path.join(root, "std")) for name in names)
    return sorted(os.path.relpath(path, root).removesuffix(SUFFIX).replace(os.sep, "/") for path in paths)


def project_above(folder: str, *others: str) -> str | None:
    """Return the nearest folder, this one or one above it, with a project file or one of these files, or None."""
    for here, paths in paths_above(folder, PROJECT_FILE, *others):
        for path in paths:
            if is_file(path):
                return here
    return None


def is_file(path: str) -> bool:
    """Return whether a path names a file; most do not exist, which this finds out without an exception."""
    try:
        return os.access(path, os.F_OK) and os.path.isfile(path)
    except ValueError:
        return False


def paths_above(folder: str, *names: str) -> list[tuple[str, list[str]]]:
    """Return a folder and those above it, each with the paths that files of these names have there."""
    key = (os.path.abspath(folder), names)
    found = _above.get(key)
    if found is None:
        here, found = key[0], []
        while not found or found[-1][0] != here:
            found.append((here, [os.path.join(here, name) for name in names]))
            here = os.path.dirname(here)
        if len(_above) >= _MOST_FOLDERS:
            _above.clear()
        _above[key] = found
    return found


_MOST_FOLDERS = 256
_above: dict[tuple[str, tuple[str, ...]], list[tuple[str, list[str]]]] = {}
"""What `paths_above` has returned: only paths, which depend on nothing on the disk."""


def working_folder() -> str:
    """Return the working directory, or the root directory if the working directory no longer exists."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return os.sep


def imported_file(path: str, importer: str | None, cwd: str | None = None) -> str | None:
    """Return the file that an import refers to, or None for a std module that does not exist."""
    if path.startswith(STD):
        return module_file(path[len(STD) :])
    base = os.path.dirname(os.path.abspath(importer)) if importer else cwd or working_folder()
    file = os.path.normpath(os.path.join(base, path))
    if not os.path.isfile(file) and not os.path.splitext(file)[1]:
        file += SUFFIX
    return file
