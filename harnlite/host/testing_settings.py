"""What counts when tests are run: options go before the configuration file, that before the defaults."""

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
    """Return the value of each key; `given` holds what the person says, with None where nothing is said.

    The file is the one that is named, or the nearest one at or above all paths; its own paths are relative to it.
    """
    project = None if isolated else read_project_file(file) if file is not None else _nearest(given[_PATHS] or ())
    said = {} if project is None else _placed(project)
    chosen = {key: value for key, value in given.items() if value is not None}
    return {key: chosen.get(key, said.get(key, default)) for key, (_, default) in TEST_KEYS.items()}


def _nearest(paths: Sequence[str]) -> ProjectFile | None:
    folders = [path if os.path.isdir(path) else os.path.dirname(path) for path in map(os.path.abspath, paths)]
    try:
        return find_project_file(os.path.commonpath(folders) if folders else os.curdir)
    except ValueError:
        return None  # paths on several drives have no folder in common


def _placed(project: ProjectFile) -> dict[str, Any]:
    """Return what a file says about tests, with its paths as the working directory sees them."""
    said = project.section(TEST)
    folder = os.path.dirname(project.path)
    for key in _OUTPUTS:
        if key in said:
            said[key] = os.path.relpath(os.path.join(folder, said[key]))
    if _PATHS in said:
        said[_PATHS] = [os.path.relpath(os.path.join(folder, path)) for path in said[_PATHS]]
    return said
