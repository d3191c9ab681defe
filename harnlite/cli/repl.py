"""`harnlite repl`: an interactive session."""

from __future__ import annotations

import sys

import click

from harnlite.cli.run_request import COLORS
from harnlite.cli.shared_options import script_options


@click.command()
@click.argument("file", required=False, type=click.Path())
@click.option("--vi", is_flag=True, help="Use vi key bindings.")
@click.option("--llm-mock", metavar="FILE", help="Answer model calls from a JSON Lines file.")
@click.option("--record", metavar="FILE", help="Write model calls and HTTP requests with their replies to a file.")
@click.option("--replay", metavar="FILE", help="Answer model calls and HTTP requests from such a file.")
@click.option("--events", metavar="FILE", help="Append the event log to a JSON Lines file.")
@click.option("--store", metavar="FILE", help="Store the event log in a SQLite file.")
@script_options
@click.option("--color", type=click.Choice(COLORS), default="auto", help="When to use colour in the session.")
@click.option("--debug", is_flag=True, help="Show Python tracebacks for internal errors.")
def command(file: str | None, color: str, *, vi: bool, debug: bool, **engine: object) -> None:
    """Start an interactive session; FILE is run first.

    Bindings are kept for the next input. If the input is a pipe, no prompts are printed.
    """
    from harnlite.cli.session import UnusableOptions, run_session

    try:
        status = run_session(file, color, vi=vi, debug=debug, **engine)
    except UnusableOptions as error:
        raise click.UsageError(str(error)) from None
    sys.exit(status)
