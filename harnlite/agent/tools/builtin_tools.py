"""The built-in tools, which run if a script offers them without a handler."""

from __future__ import annotations

import os
import stat

from harnlite.agent.tools.plans import EMIT, UPDATE, plan_artifact
from harnlite.formats.json.writing import json_text
from harnlite.regular_files import regular_file
from harnlite.runtime.access_control import kind_at, place_of
from harnlite.values.display import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnlite.file_places import FilePlace
    from harnlite.runtime.tasks.execution import Execution

    Tool = Callable[[Execution, dict[str, Any]], object]

_MOST_LINES = 2000


def builtin_tool(name: str) -> Tool | None:
    """Return the implementation of the built-in tool with that name, or None."""
    return _TOOLS.get(name)


def _error_text(error: Exception) -> str:
    if isinstance(error, UnicodeError):
        return "stream did not contain valid UTF-8"
    if isinstance(error, OSError) and error.strerror is not None:
        return f"{error.strerror} (os error {error.errno})"
    return "file name contained an unexpected NUL byte" if isinstance(error, ValueError) else str(error)


def _place(run: Execution, name: str, path: str) -> FilePlace:
    return place_of(run, "fs.read", name, os.path.join(run.cwd, path))


def _positive(value: object, default: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else default


def _read_file(run: Execution, arguments: dict[str, Any]) -> str:
    """Return a range of numbered lines of a file."""
    given = arguments.get("path")
    if not isinstance(given, str) or not given:
        return "Error: missing path parameter"
    place = _place(run, "read_file", given)
    if stat.S_ISDIR(kind_at(place)):
        return _listed(given, place)
    first = _positive(arguments.get("offset"), 1)
    most = min(_positive(arguments.get("limit"), _MOST_LINES), _MOST_LINES)
    try:
        text = run.block(_contents, place)
    except (OSError, ValueError) as error:
        return f"Error: cannot read file '{given}': {_error_text(error)}"
    return _numbered(text.removesuffix("\n").split("\n") if text else [], first, most)


def _contents(place: FilePlace) -> str:
    with open(place.open(os.O_RDONLY, regular_file), encoding="utf-8") as file:
        return file.read()


def _numbered(lines: list[str], first: int, most: int) -> str:
    shown = lines[first - 1 : first - 1 + most]
    text = "\n".join(f"{number}\t{line}" for number, line in enumerate(shown, first))
    left = len(lines) - (first - 1 + len(shown))
    if left <= 0 or not shown:
        return text
    after = first + len(shown)
    return f"{text}\n\n[... {left} more lines not shown. Use offset={after} to continue reading]"


def _list_directory(run: Execution, arguments: dict[str, Any]) -> str:
    """Return the names of the entries in a folder."""
    given = arguments.get("path")
    path = "." if given is None or given == "" else display(given)
    return _listed(path, _place(run, "list_directory", path))


def _listed(path: str, place: FilePlace) -> str:
    try:
        names = sorted(name + ("/" if stat.S_ISDIR(kind_at(place.child(name))) else "") for name in place.names())
    except (OSError, ValueError) as error:
        return f"Error: cannot list directory '{path}': {_error_text(error)}"
    return "\n".join(names)


def _emit_plan(run: Execution, arguments: dict[str, Any]) -> str:
    return json_text(plan_artifact(run, arguments, EMIT))


def _update_plan(run: Execution, arguments: dict[str, Any]) -> str:
    return json_text(plan_artifact(run, arguments, UPDATE))


_TOOLS: dict[str, Tool] = {
    "read_file": _read_file,
    "list_directory": _list_directory,
    EMIT: _emit_plan,
    UPDATE: _update_plan,
}
