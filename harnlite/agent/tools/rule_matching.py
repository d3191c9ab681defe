"""How the rules about tool calls are matched: patterns for names, arguments, paths and commands."""

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
    """Return the first pattern of a rule that a text fits; a script writes a list of patterns, or a single one."""
    return None if patterns is None else first_fit(names_in(patterns), text)


class Argument:
    """The argument of a call that a rule is matched against."""

    __slots__ = ("name", "text")

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text

    def fits(self, patterns: object) -> bool:
        """Check whether the argument fits one of the patterns of a rule; paths are compared without detours."""
        text = _without_detours(self.text) if self.name in PATH_KEYS else self.text
        return fitting_pattern(patterns, text) is not None


def argument_for_rule(arguments: dict[str, object], key: object) -> Argument | None:
    """Return the argument that a rule names by its `arg_key`; without a key, the first path, command or text."""
    if isinstance(key, str):
        value = arguments.get(key)
        return Argument(key, "" if value is None else display(value))
    for name in (*PATH_KEYS, *COMMAND_KEYS, *sorted(arguments)):
        value = arguments.get(name)
        if isinstance(value, str):
            return Argument(name, value)
    return None


def path_outside(patterns: object, arguments: dict[str, object]) -> str | None:
    """Return the first path among the arguments that fits none of the patterns."""
    allowed = names_in(patterns)
    return next((path for path in _paths_in(arguments) if first_fit(allowed, _without_detours(path)) is None), None)


def _paths_in(arguments: dict[str, object]) -> Iterator[str]:
    for key in PATH_KEYS:
        value = arguments.get(key)
        if isinstance(value, str):
            yield value
    several = arguments.get("paths")
    yield from names_in(several) if several.__class__ is list else ()


def _without_detours(path: str) -> str:
    """Return the normalised path if it contains `..`: `src/../x` fits no pattern for `src`."""
    return posixpath.normpath(path) if ".." in path else path


def command_in(arguments: dict[str, object]) -> str | None:
    """Return the command line among the arguments, if there is one."""
    for key in COMMAND_KEYS:
        value = arguments.get(key)
        if isinstance(value, str) and value.strip():
            return value
        if value.__class__ is list and value:
            return " ".join([display(item) for item in value])
    return None


def pattern_of_command(patterns: object, command: str) -> str | None:
    """Return the first pattern that a command fits, or else the first text without `*` that the command contains."""
    plain = " ".join(command.split())
    known = names_in(patterns)
    found = first_fit(known, plain)
    return found or next((pattern for pattern in known if "*" not in pattern and pattern in plain), None)
