"""The options of `harnlite lint` and the resulting request."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from harnlite.analysis.linting.configuration_files import CODE_KEYS, check_codes
from harnlite.cli.shared_options import near_codes
from harnlite.host.linting import Desk, Wishes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TextIO, TypeVar

    F = TypeVar("F", bound=Callable[..., Any])


def lint_options(command: F) -> F:
    """Add the options that only `lint` has."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def _codes(name: str, meaning: str) -> Callable[[F], F]:
    return click.option(name, metavar="CODES", multiple=True, shell_complete=near_codes, help=meaning)


_OPTIONS = (
    _codes("--select", "Report only these codes; prefixes and comma-separated lists are allowed."),
    _codes("--extend-select", "Also report these codes."),
    _codes("--ignore", "Do not report these codes."),
    click.option("--fix", is_flag=True, help="Apply the safe fixes."),
    click.option("--unsafe-fixes", is_flag=True, help="Also apply fixes that may change the behaviour of a program."),
    click.option("--diff", is_flag=True, help="Change nothing; show the fixes as a diff."),
    click.option("--exit-zero", is_flag=True, help="Exit with status 0 even if there are findings."),
    click.option(
        "--max-warnings", type=click.IntRange(min=0), metavar="N", help="Fail only if there are more than N warnings."
    ),
    click.option("--statistics", is_flag=True, help="Show the number of findings per code instead of the findings."),
    click.option("--config", type=click.Path(dir_okay=False, exists=True), help="Use this configuration file."),
    click.option("--isolated", is_flag=True, help="Use no configuration file."),
    click.option("-q", "--quiet", is_flag=True, help="Do not print the summary line."),
    click.option("--output-file", type=click.Path(dir_okay=False), help="Write the report to a file."),
)


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
