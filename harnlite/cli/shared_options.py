"""Options that several commands share."""

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
        click.option("--debug", is_flag=True, help="Show Python tracebacks of internal errors."),
        click.option("--color", type=click.Choice(COLORS), default="auto", help="Colour in reports."),
        click.option("--format", "style", type=click.Choice(FORMATS), envvar=FORMAT_VARIABLE, help="Form of reports."),
    ):
        command = option(command)
    return command


def stdin_name(command: F) -> F:
    """Add --stdin-filename."""
    option = click.option("--stdin-filename", "name", metavar="NAME", help="What to call the program read from '-'.")
    return option(command)


def near_codes(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the codes that a shell may complete a word to; in a list of them, its last one."""
    from harnlite.diagnostics.explanations import explained_codes

    before, comma, begun = incomplete.rpartition(",")
    return [before + comma + code for code in explained_codes() if code.startswith(begun.upper())]


def read_program(path: str, name: str | None = None) -> Source:
    """Read a program from a file, or from stdin for `-`; a file that cannot be read is a usage error."""
    from harnlite.diagnostics.source_files import decode_source, read_source

    if path == "-":
        return decode_source(sys.stdin.buffer.read(), name or "<stdin>")
    try:
        return read_source(path)
    except OSError as error:
        raise click.UsageError(f"cannot read {os.fspath(path)!r}: {error.strerror}") from None
