"""The matching of rules about tool calls: patterns for names, arguments, paths and commands."""

from __future__ import annotations

import posixpath

from harnlite.agent.hooks.name_globs import first_fit
from harnlite.agent.option_values import names_in
from harnlite.values.display import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

PATH_KEYS = ("path", "file", "file_path", "filename", "target", "dst", "destination", "directory", "dir")
COMMAND_KEYS = ("command", "cmd", "argv", "args", "script")


def fitting_pattern(patterns: object, text: str) -> str | None:
    """Return the first pattern that matches a text, or None; `patterns` is a list of patterns or a single one."""
    return None if patterns is None else first_fit(names_in(patterns), text)


class Argument:
    """The argument of a call against which a rule is matched."""

    __slots__ = ("name", "text")

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text

    def fits(self, patterns: object) -> bool:
        """Return whether the argument matches one of the patterns of a rule; paths with `..` are normalised first."""
        text = _without_parent_parts(self.text) if self.name in PATH_KEYS else self.text
        return fitting_pattern(patterns, text) is not None


def argument_for_rule(arguments: dict[str, object], key: object) -> Argument | None:
    """Return the argument that the `arg_key` of a rule names; without a key, the first path, command or string."""
    if isinstance(key, str):
        value = arguments.get(key)
        return Argument(key, "" if value is None else display(value))
    for name in (*PATH_KEYS, *COMMAND_KEYS, *sorted(arguments)):
        value = arguments.get(name)
        if isinstance(value, str):
            return Argument(name, value)
    return None


def path_outside(patterns: object, arguments: dict[str, object]) -> str | None:
    """Return the first path in the arguments that matches none of the patterns, or None."""
    allowed = names_in(patterns)
    return next(
        (path for path in _paths_in(arguments) if first_fit(allowed, _without_parent_parts(path)) is None), None
    )


def _paths_in(arguments: dict[str, object]) -> Iterator[str]:
    for key in PATH_KEYS:
        value = arguments.get(key)
        if isinstance(value, str):
            yield value
    several = arguments.get("paths")
    yield from names_in(several) if several.__class__ is list else ()


def _without_parent_parts(path: str) -> str:
    """Normalise a path that contains `..`, so that `src/../x` does not match a pattern for `src`."""
    return posixpath.normpath(path) if ".." in path else path


def command_in(arguments: dict[str, object]) -> str | None:
    """Return the command line in the arguments, or None."""
    for key in COMMAND_KEYS:
        value = arguments.get(key)
        if isinstance(value, str) and value.strip():
            return value
        if value.__class__ is list and value:
            return " ".join([display(item) for item in value])
    return None


def pattern_of_command(patterns: object, command: str) -> str | None:
    """Return the first pattern that matches a command, or else the first one that it contains literally."""
    plain = " ".join(command.split())
    known = names_in(patterns)
    found = first_fit(known, plain)
    return found or next((pattern for pattern in known if "*" not in pattern and pattern in plain), None)
