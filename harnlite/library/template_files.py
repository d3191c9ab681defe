"""The files of templates: how their paths are resolved, and reading them through the access control."""

from __future__ import annotations

import os

from harnlite.library.working_folders import PROJECT_FILE, os_text, project_above
from harnlite.regular_files import regular_file
from harnlite.runtime.access_control import place_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.execution import Execution

_MARK = "@"


class AssetError(Exception):
    """A path of a project, which begins with `@`, leads to no file."""


def file_text(run: Execution, builtin: str, path: str) -> str:
    """Return the text of a file that the named builtin may read; raise OSError or ValueError if it cannot be read."""
    with open(place_of(run, "fs.read", builtin, path).open(os.O_RDONLY, regular_file), "rb") as file:
        return file.read().decode("utf-8")


def template_path(run: Execution, builtin: str, path: str, source_dir: str) -> str:
    """Return the path of the template that a script renders. Raise AssetError."""
    if path.startswith(_MARK):
        return _asset(run, builtin, path, source_dir)
    while path.startswith("./"):
        path = path[2:].lstrip("/")
    return os.path.join(source_dir, path)


def included_path(run: Execution, builtin: str, path: str, folder: str, root: str) -> tuple[str, bool]:
    """Return the path of a template that one in a folder includes, and whether it begins with `@`. Raise AssetError."""
    if path.startswith(_MARK):
        return os.path.normpath(_asset(run, builtin, path, root)), True
    return os.path.normpath(os.path.join(folder, path)), False


def _asset(run: Execution, builtin: str, path: str, folder: str) -> str:
    """Return a path in the project above a folder."""
    alias, _, rest = path.removeprefix(_MARK).partition("/")
    project = project_above(folder)
    if project is None:
        reason = f"no {PROJECT_FILE} found above {folder}"
        raise AssetError(f"package-root prompt path '{path}' has no project root: {reason}")
    if not rest or os.path.isabs(rest) or os.pardir in rest.split("/"):
        kind = "asset" if alias else "project-root asset"
        raise AssetError(f"invalid {kind} path '@{alias}/{rest}'")
    root = _asset_root(run, builtin, os.path.join(project, PROJECT_FILE), alias) if alias else ""
    return os.path.join(project, root, rest)


def _asset_root(run: Execution, builtin: str, file: str, alias: str) -> str:
    import tomllib

    try:
        roots = tomllib.loads(file_text(run, builtin, file)).get("asset_roots")
    except tomllib.TOMLDecodeError as error:
        raise AssetError(f"{file}: {error}") from None
    except (OSError, ValueError) as error:
        raise AssetError(f"{file}: {os_text(error)}") from None
    root = roots.get(alias) if isinstance(roots, dict) else None
    if not isinstance(root, str):
        raise AssetError(f"asset alias '{alias}' is not defined in [asset_roots] of {file}")
    return root
