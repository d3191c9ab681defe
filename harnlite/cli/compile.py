"""`harnlite compile`: shows the syntax tree or the generated code of a program."""

from __future__ import annotations

import sys

import click

from harnlite.cli.shared_options import read_program, report_options, stdin_name


@click.command()
@click.argument("file", type=click.Path(allow_dash=True))
@click.option(
    "--emit",
    type=click.Choice(["ast", "python"]),
    required=True,
    help="What to show: the syntax tree or the generated Python code.",
)
@stdin_name
@report_options
def command(
    file: str,
    emit: str,
    name: str | None,
    style: str | None,
    color: str,
    debug: bool,  # noqa: ARG001, FBT001 - the entry point reads it
) -> None:
    """Show the syntax tree or the generated code of FILE.

    '-' means standard input.
    """
    from harnlite.cli.run_script import report_findings
    from harnlite.diagnostics.errors import LanguageError
    from harnlite.host.toolchain import emitted

    try:
        sys.stdout.write(emitted(read_program(file, name), emit))
    except LanguageError as error:
        sys.exit(report_findings(error, style, color))
