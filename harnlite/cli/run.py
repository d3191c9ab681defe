"""`harnlite run` for click: its help and usage errors. A well-formed call is parsed without click."""

from __future__ import annotations

import click

from harnlite.cli.run_request import assignment, seconds
from harnlite.cli.shared_options import report_options, script_options, stdin_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def _checked(read: Callable[[str], object]) -> Callable[[click.Context, click.Parameter, object], object]:
    """Return a click callback for a parser that raises ValueError."""

    def check(_context: click.Context, _parameter: click.Parameter, value: object) -> object:
        try:
            return tuple(map(read, value)) if isinstance(value, tuple) else value and read(str(value))
        except ValueError as error:
            raise click.BadParameter(str(error)) from None

    return check


def _pairs(option: str, summary: str, kind: str) -> Callable[..., Callable[..., object]]:
    """Return a repeatable option that takes NAME=…."""
    return click.option(option, multiple=True, metavar=f"NAME={kind}", callback=_checked(assignment), help=summary)


@click.command()
@click.argument("file", required=False, type=click.Path(allow_dash=True))
@click.argument("argv", nargs=-1, metavar="[-- ARGS]...")
@click.option("-c", "code", metavar="CODE", help="Run this text instead of a FILE.")
@_pairs("--set", "Set a pipeline parameter to a string.", "VALUE")
@_pairs("--set-json", "Set a pipeline parameter to any value.", "JSON")
@click.option("--deadline", metavar="SECONDS", callback=_checked(seconds), help="Stop the run after this time.")
@click.option("--grace", metavar="SECONDS", callback=_checked(seconds), help="Stop its cleanup too, this much later.")
@click.option("--llm-mock", metavar="FILE", help="Answer model calls from a JSON Lines file.")
@click.option("--record", metavar="FILE", help="Write model calls and HTTP requests with their replies to a file.")
@click.option("--replay", metavar="FILE", help="Answer model calls and HTTP requests from such a file.")
@click.option("--events", metavar="FILE", help="Append the event log to a JSON Lines file.")
@click.option("--store", metavar="FILE", help="Store the event log in a SQLite file.")
@click.option("--skill-dir", metavar="DIR", multiple=True, help="Search this folder for skills first.")
@click.option("--trace", is_flag=True, help="Show a trace of reminders on stderr.")
@click.option("-v", "--verbose", is_flag=True, help="With --trace, show events as they happen.")
@script_options
@stdin_name
@report_options
@click.pass_context
def command(context: click.Context, /, **_given: object) -> None:
    """Run the program in FILE.

    Without FILE, run the entry of the project, which harn.toml names. '-' means standard input; the arguments after --
    are the program's argv.
    """
    raise click.UsageError(
        "give exactly one program: FILE, '-' or -c CODE; without one, run starts the entry of the project, which needs "
        "a harn.toml here or above; the arguments of the program follow after --",
        context,
    )
