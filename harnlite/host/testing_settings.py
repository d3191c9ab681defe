"""The settings of a test run: options override the configuration file, which overrides the defaults."""

from __future__ import annotations

import os

from harnlite.analysis.linting.configuration_files import TEST, find_project_file, read_project_file
from harnlite.analysis.linting.context.configuration import TEST_KEYS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from harnlite.analysis.linting.configuration_files import ProjectFile

_PATHS = "paths"
_OUTPUTS = ("junit", "cov_html")


def chosen_settings(given: Mapping[str, Any], *, file: str | None, isolated: bool) -> dict[str, Any]:
    """Return the value of each key; `given` contains the options of the user, with None for an option that is not set.

    The configuration file is `file`, or the nearest one at or above all paths; paths in it are relative to it.
    """
    project = None if isolated else read_project_file(file) if file is not None else _nearest(given[_PATHS] or ())
    settings = {} if project is None else _with_relative_paths(project)
    chosen = {key: value for key, value in given.items() if value is not None}
    return {key: chosen.get(key, settings.get(key, default)) for key, (_, default) in TEST_KEYS.items()}


def _nearest(paths: Sequence[str]) -> ProjectFile | None:
    folders = [path if os.path.isdir(path) else os.path.dirname(path) for path in map(os.path.abspath, paths)]
    try:
        return find_project_file(os.path.commonpath(folders) if folders else os.curdir)
    except ValueError:
        return None  # paths on several drives have no folder in common


def _with_relative_paths(project: ProjectFile) -> dict[str, Any]:
    """Return the test settings in a configuration file, with its paths relative to the working directory."""
    settings = project.section(TEST)
    folder = os.path.dirname(project.path)
    for key in _OUTPUTS:
        if key in settings:
            settings[key] = os.path.relpath(os.path.join(folder, settings[key]))
    if _PATHS in settings:
        settings[_PATHS] = [os.path.relpath(os.path.join(folder, path)) for path in settings[_PATHS]]
    return settings
