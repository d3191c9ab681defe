"""What the rules about tool calls look at: the paths, commands and first texts among the arguments."""

from __future__ import annotations

import posixpath

from harnlite.agent.hooks.name_globs import fits
from harnlite.values.display import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

PATH_KEYS = ("path", "file", "file_path", "filename", "target", "dst", "destination", "directory", "dir")
COMMAND_KEYS = ("command", "cmd", "argv", "args", "script")
_WRITING = frozenset({"edit", "delete", "move"})
_READING = frozenset({"read", "search", "think", "fetch"})
_READERS = (
    "read",
    "view",
    "cat",
    "search",
    "grep",
    "find",
    "ls",
    "list",
    "get",
    "show",
    "glob",
    "stat",
    "fetch",
    "look",
)


def telling_argument(arguments: dict[str, object], key: str | None = None) -> tuple[str, str] | None:
    """Return the name and text of the argument that a pattern is held against: the named one, or the most telling."""
    if key is not None:
        value = arguments.get(key)
        return key, "" if value is None else display(value)
    for name in (*PATH_KEYS, *COMMAND_KEYS, *sorted(arguments)):
        value = arguments.get(name)
        if isinstance(value, str):
            return name, value
    return None


def without_detours(path: str) -> str:
    """Return where a path leads: `src/../x` fits no pattern for `src`."""
    return posixpath.normpath(path) if ".." in path else path


def comparable(argument: tuple[str, str]) -> str:
    """Return the text of a telling argument as patterns are held against it."""
    name, text = argument
    return without_detours(text) if name in PATH_KEYS else text


def fits_any(patterns: object, text: str) -> bool:
    """Say whether a text fits one of the patterns of a script."""
    return any(fits(pattern, text) for pattern in texts_of(patterns))


def texts_of(value: object) -> list[str]:
    """Return the texts of a list, or of a single text."""
    if isinstance(value, str):
        return [value]
    return [item for item in value if isinstance(item, str)] if value.__class__ is list else []


def paths_in(arguments: dict[str, object]) -> Iterator[str]:
    """Yield the paths that a call names."""
    for key in PATH_KEYS:
        value = arguments.get(key)
        if isinstance(value, str):
            yield value
    several = arguments.get("paths")
    yield from texts_of(several) if several.__class__ is list else ()


def command_in(arguments: dict[str, object]) -> str | None:
    """Return the command that a call runs, if it names one."""
    for key in COMMAND_KEYS:
        value = arguments.get(key)
        if isinstance(value, str) and value.strip():
            return value
        if value.__class__ is list and value:
            return " ".join([display(item) for item in value])
    return None


def is_writing(name: str, kind: str) -> bool:
    """Say whether a tool changes files, as far as its annotations or its name tell."""
    if kind in _WRITING:
        return True
    if kind in _READING:
        return False
    return not any(word in _READERS for word in name.lower().replace("-", "_").split("_"))
