"""The options of `harnlite lint`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from harnlite.cli.shared_options import near_codes

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

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
