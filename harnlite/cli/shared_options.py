"""Options shared by several commands."""

from __future__ import annotations

import os
import sys

import click

from harnlite.cli.run_request import COLORS, FORMAT_VARIABLE, FORMATS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from harnlite.diagnostics.source import Source

    F = TypeVar("F", bound=Callable[..., Any])


def report_options(command: F) -> F:
    """Add --format, --color and --debug."""
    for option in (
        click.option("--debug", is_flag=True, help="Show Python tracebacks for internal errors."),
        click.option("--color", type=click.Choice(COLORS), default="auto", help="When to use colour in reports."),
        click.option(
            "--format", "style", type=click.Choice(FORMATS), envvar=FORMAT_VARIABLE, help="Format of reports."
        ),
    ):
        command = option(command)
    return command


def script_options(command: F) -> F:
    """Add the options that limit scripts to a command that runs them; `engine_settings` takes their values."""
    for option in (
        click.option(
            "--max-memory", metavar="SIZE", help="Limit the memory of a run, for example to 512MB; default: no limit."
        ),
        click.option(
            "--limit", multiple=True, metavar="NAME=N", help="Set a limit, for example regex_milliseconds=500."
        ),
        click.option("--sandbox", is_flag=True, help="Deny everything but computation, the clock and stdout."),
        click.option("--deny", multiple=True, metavar="CAP[,CAP]", help="Deny capabilities, for example env,process."),
        click.option(
            "--allow",
            multiple=True,
            metavar="CAP[=SCOPE]",
            help="Allow a capability only in a scope, for example fs.read=./docs:./src or process=git.",
        ),
    ):
        command = option(command)
    return command


def stdin_name(command: F) -> F:
    """Add --stdin-filename to a command."""
    option = click.option(
        "--stdin-filename", "name", metavar="NAME", help="The name to report for a program read from standard input."
    )
    return option(command)


def near_codes(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the completions of a word to a code; in a comma-separated list, of its last word."""
    from harnlite.diagnostics.explanations import explained_codes

    before, comma, begun = incomplete.rpartition(",")
    return [before + comma + code for code in explained_codes() if code.startswith(begun.upper())]


def read_program(path: str, name: str | None = None) -> Source:
    """Read a program from a file, or from stdin for `-`; a file that cannot be read is a usage error."""
    from harnlite.diagnostics.source_files import decode_source, read_bounded, read_source

    try:
        if path == "-":
            return decode_source(read_bounded(sys.stdin.buffer, path), name or "<stdin>")
        return read_source(path)
    except OSError as error:
        raise click.UsageError(f"cannot read {os.fspath(path)!r}: {error.strerror}") from None
