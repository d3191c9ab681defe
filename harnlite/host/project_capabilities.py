"""The tables `capabilities` and `limits` in the configuration of a project, which limit the scripts of the project."""

from __future__ import annotations

import os

from harnlite.regular_files import regular_file
from harnlite.resources import PROJECT_FILE, paths_above
from harnlite.runtime.access_control import permissions_of
from harnlite.runtime.tasks.clock import Clock
from harnlite.values.errors import runtime_error
from harnlite.values.limits import Limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.diagnostics.source import Source
    from harnlite.runtime.tasks.execution import Execution
    from harnlite.values.errors import ScriptError

_CLOCK = Clock()
_SETTLED_SECONDS = 2.0
"""How long ago a file must have changed for its next change to have another time on every file system."""
_MOST_KNOWN, _LONGEST_KNOWN = 64, 100_000
_CAPABILITIES, _LIMITS, _PYPROJECT = "capabilities", "limits", "pyproject.toml"


def limit_to_program(run: Execution, source: Source) -> bool:
    """Take from a run what the configuration of its program denies; raise an error if it cannot be read.

    Return False if there certainly is no project file.
    """
    return limit_to_project(run, os.path.dirname(os.path.abspath(source.path)) if source.path else run.cwd)


def limit_to_project(run: Execution, folder: str) -> bool:
    """Take from a run what the configuration at or above a folder denies, and set the limits that it sets.

    Raise an error if the configuration cannot be read. Return whether there is one.
    """
    for _, (own, shared) in paths_above(folder, PROJECT_FILE, _PYPROJECT):
        for path in (own, shared):
            text = _text_of(path)
            if text is None or (path is shared and b"tool.harnlite" not in text):
                continue
            if _CAPABILITIES.encode() in text or _LIMITS.encode() in text:
                _limit(run, path, text)
            return True
    return False


_known: dict[str, tuple[tuple[int, ...], bytes]] = {}
"""The last texts of files, with what their status was."""


def _text_of(path: str) -> bytes | None:
    try:
        mark = _mark(os.stat(path))  # also because this costs less than opening a file that does not exist
        known = _known.get(path)
        if known is not None and known[0] == mark:
            return known[1]
        with open(path, "rb", buffering=0, opener=regular_file) as file:
            began = _CLOCK.now()
            mark = _mark(os.fstat(file.fileno()))
            text = file.read()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except OSError as error:
        raise runtime_error(f"cannot read {path}: {error.strerror}") from None
    if max(mark[:2]) < (began - _SETTLED_SECONDS) * 1e9 and len(text) <= _LONGEST_KNOWN:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[path] = mark, text
    return text


def _mark(found: os.stat_result) -> tuple[int, ...]:
    """Return what differs between two contents of a file, beginning with the times of its changes."""
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino, found.st_dev


def _limit(run: Execution, path: str, text: bytes) -> None:
    values = _checked(path, text)
    table = values.get(_CAPABILITIES, {})
    allow, deny = table.get("allow", ()), table.get("deny", ())
    if allow or deny:
        from harnlite.capabilities.grants import Permissions, grants_of

        grants = grants_of(os.path.basename(path), os.path.dirname(path), allow=allow, deny=deny)
        run.context["permissions"] = Permissions([grants]) & (permissions_of(run) or Permissions())
    if values.get(_LIMITS):
        run.limits = _with_limits(run, Limits(values[_LIMITS]))


def _with_limits(run: Execution, project: Limits) -> Limits:
    """Return the limits of a run and its project: those of the run have precedence, in a sandbox the lower ones."""
    merged = {**project.given, **run.limits.given}
    if run.context.get("sandbox"):
        for name, value in project.given.items():
            before = getattr(run.limits, name)
            merged[name] = value if before is None else min(value, before)
    return Limits(merged)


def _checked(path: str, text: bytes) -> dict[str, Any]:
    """Return the tables of a configuration; raise an error if one of the two is not valid."""
    import tomllib

    from harnlite.options.manifest import manifest_fault, place_of

    try:
        written = text.decode()
        values = tomllib.loads(written)
    except ValueError as error:
        raise _invalid(path, str(error)) from None
    head: tuple[str, ...] = ()
    if os.path.basename(path) == _PYPROJECT:
        head = ("tool", "harnlite")
        tool = values.get("tool")
        found = tool.get("harnlite") if isinstance(tool, dict) else None
        values = found if isinstance(found, dict) else {}
    fault = manifest_fault({key: value for key, value in values.items() if key in {_CAPABILITIES, _LIMITS}})
    if fault is not None:
        place = place_of(written, (*head, *fault.path))
        raise _invalid(path if place is None else f"{path}:{place[0]}:{place[1]}", fault.message)
    return values


def _invalid(place: str, reason: str) -> ScriptError:
    return runtime_error(f"{place}: {reason}")
