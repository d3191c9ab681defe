"""The program that `harnlite run` without a program runs: the `entry` of the project."""

from __future__ import annotations

import os

from harnlite.analysis.linting.configuration_files import ConfigurationError, find_project_file

__all__ = ["ConfigurationError", "project_entry"]


def project_entry(folder: str) -> str | None:
    """Return the path of the entry of the project around a folder, or None if there is no project.

    Raise ConfigurationError if the project has no valid entry.
    """
    project = find_project_file(folder)
    if project is None:
        return None
    name = os.path.relpath(project.path, folder)
    package = project.values.get("package")
    own = project.values.get("entry")
    entry = own if own is not None else package.get("entry") if isinstance(package, dict) else None
    if entry is None:
        raise ConfigurationError(f'{name} names no program to run: add `entry = "main.harn"`, or give a FILE')
    if not isinstance(entry, str):
        raise ConfigurationError(f"{name}: entry must be a string")
    path = os.path.join(os.path.dirname(project.path), entry)
    if not os.path.isfile(path):
        raise ConfigurationError(f"{name}: the entry {entry!r} does not exist")
    return os.path.relpath(path, folder)
