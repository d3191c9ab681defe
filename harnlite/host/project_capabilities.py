"""The table `capabilities` in the configuration of a project, which limits the scripts of the project."""

from __future__ import annotations

import os

from harnlite.diagnostics.suggest import near_name
from harnlite.regular_files import regular_file
from harnlite.resources import PROJECT_FILE
from harnlite.runtime.access_control import permissions_of
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.diagnostics.source import Source
    from harnlite.runtime.tasks.execution import Execution
    from harnlite.values.errors import ScriptError

_TABLE, _PYPROJECT = "capabilities", "pyproject.toml"
_KEYS = ("allow", "deny")
_OTHER_KEYS = ("provider",)
"""Keys of the table that are about models, and are read where models are."""


def limit_to_program(run: Execution, source: Source) -> None:
    """Take from a run what the configuration of its program denies; raise an error if it cannot be read."""
    limit_to_project(run, os.path.dirname(os.path.abspath(source.path)) if source.path else run.cwd)


def limit_to_project(run: Execution, folder: str) -> None:
    """Take from a run what the configuration at or above a folder denies; raise an error if it cannot be read."""
    here = os.path.abspath(folder)
    while True:
        for name in (PROJECT_FILE, _PYPROJECT):
            path = os.path.join(here, name)
            text = _text_of(path)
            if text is None or (name == _PYPROJECT and b"tool.harnlite" not in text):
                continue
            if _TABLE.encode() in text:
                _limit(run, path, text)
            return
        here, below = os.path.dirname(here), here
        if here == below:
            return


def _text_of(path: str) -> bytes | None:
    try:
        with open(path, "rb", opener=regular_file) as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except OSError as error:
        raise runtime_error(f"cannot read {path}: {error.strerror}") from None


def _limit(run: Execution, path: str, text: bytes) -> None:
    from harnlite.capabilities.grants import Permissions, grants_of

    allow, deny = _lists_in(path, text)
    if not allow and not deny:
        return
    try:
        grants = grants_of(os.path.basename(path), os.path.dirname(path), allow=allow, deny=deny)
    except ValueError as error:
        raise _invalid(path, f"{_TABLE}: {error}") from None
    run.context["permissions"] = Permissions([grants]) & (permissions_of(run) or Permissions())


def _lists_in(path: str, text: bytes) -> tuple[list[str], list[str]]:
    """Return what the table in the text of a configuration file allows and denies."""
    import tomllib

    try:
        values = tomllib.loads(text.decode())
    except ValueError as error:
        raise _invalid(path, str(error)) from None
    if os.path.basename(path) == _PYPROJECT:
        values = values.get("tool", {}).get("harnlite", {})
    table = values.get(_TABLE, {})
    if not isinstance(table, dict):
        raise _invalid(path, f"{_TABLE} must be a table")
    for key, value in table.items():
        if key not in {*_KEYS, *_OTHER_KEYS}:
            near = near_name(key, _KEYS)
            hint = f"; did you mean '{_TABLE}.{near}'?" if near else ""
            raise _invalid(path, f"unknown key '{_TABLE}.{key}'{hint}")
        if key in _KEYS and not (isinstance(value, list) and all(isinstance(item, str) for item in value)):
            raise _invalid(path, f"{_TABLE}.{key} must be a list of strings")
    return table.get("allow", []), table.get("deny", [])


def _invalid(path: str, reason: str) -> ScriptError:
    return runtime_error(f"{path}: {reason}")
