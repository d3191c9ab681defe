"""A call of `harnlite lint`, and its arguments, parsed without click for the usual ones, for speed."""

from __future__ import annotations

import os
import sys

from harnlite.analysis.linting.configuration_files import CODE_KEYS, check_codes
from harnlite.cli.run_request import COLORS, FORMAT_VARIABLE, FORMATS
from harnlite.host.linting import Desk, Wishes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, TextIO

_FLAGS = {
    "--debug": "debug",
    "--exit-zero": "exit_zero",
    "--isolated": "isolated",
    "--quiet": "quiet",
    "--statistics": "statistics",
    "-q": "quiet",
}
_CHOICES = {"--color": ("color", COLORS), "--format": ("style", FORMATS)}
_CODES = {"--extend-select": "extend_select", "--ignore": "ignore", "--select": "select"}
_UNSET: dict[str, Any] = {
    **dict.fromkeys(("debug", "diff", "exit_zero", "fix", "isolated", "quiet", "statistics", "unsafe_fixes"), False),
    **dict.fromkeys(("config", "max_warnings", "name", "output_file", "style")),
    **dict.fromkeys(_CODES.values(), ()),
    "color": COLORS[0],
}


class LintRequest:
    """A call of `harnlite lint`."""

    def __init__(self, paths: Sequence[str], options: Mapping[str, Any]) -> None:
        self.paths = paths
        self.name: str | None = options["name"]
        self.color: str = options["color"]
        self.diff: bool = options["diff"]
        self.unsafe_fixes: bool = options["unsafe_fixes"]
        self.changes = self.diff or self.unsafe_fixes or bool(options["fix"])
        self.exit_zero: bool = options["exit_zero"]
        self.quiet: bool = options["quiet"]
        self.statistics: bool = options["statistics"]
        self.output_file: str | None = options["output_file"]
        self.flags = {key: split(options[key]) for key in CODE_KEYS if options[key]}
        self.wishes = Wishes(self.flags, file=options["config"], isolated=options["isolated"])
        self.applied = 0
        self.reports_on: TextIO = sys.stdout
        self._options = options

    def check(self) -> None:
        """Reject unknown codes, and read the configuration of the working folder."""
        for key, prefixes in self.flags.items():
            check_codes(f"--{key.replace('_', '-')}", prefixes)
        self.desk = Desk(self.wishes)
        file = self.desk.project_file(".")
        values = file.lint if file is not None else {}
        self.style: str | None = self._options["style"] or values.get("format")
        limit = self._options["max_warnings"]
        self.max_warnings: int | None = values.get("max_warnings") if limit is None else limit


def split(given: Sequence[str]) -> list[str]:
    """Return the codes of options whose values are comma-separated lists."""
    return [code.strip() for text in given for code in text.split(",") if code.strip()]


def read_arguments(arguments: Sequence[str]) -> tuple[tuple[str, ...], dict[str, Any]] | None:
    """Return the paths and options of a usual call as click would; None if click must read the arguments."""
    paths: list[str] = []
    options = dict(_UNSET)
    style = os.environ.get(FORMAT_VARIABLE)
    if style:
        options["style"] = style
    rest = iter(arguments)
    for argument in rest:
        if argument in _FLAGS:
            options[_FLAGS[argument]] = True
        elif argument in _CHOICES:
            name, choices = _CHOICES[argument]
            options[name] = next(rest, "")
            if options[name] not in choices:
                return None
        elif argument in _CODES:
            value = next(rest, "-")
            if value.startswith("-"):
                return None
            options[_CODES[argument]] += (value,)
        elif argument[:1] == "-" or not os.access(argument, os.R_OK):
            return None
        else:
            paths.append(argument)
    return (tuple(paths), options) if options["style"] in (None, *FORMATS) else None
