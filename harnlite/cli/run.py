"""`harnlite run` for click: its help, its complaints. A well-formed call is read without click."""

from __future__ import annotations

import click

from harnlite.cli.run_request import assignment, seconds
from harnlite.cli.shared_options import report_options, stdin_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def _checked(read: Callable[[str], object]) -> Callable[[click.Context, click.Parameter, object], object]:
    """Make a click callback of a reader that raises ValueError."""

    def check(_context: click.Context, _parameter: click.Parameter, value: object) -> object:
        try:
            return tuple(map(read, value)) if isinstance(value, tuple) else value and read(str(value))
        except ValueError as error:
            raise click.BadParameter(str(error)) from None

    return check


def _pairs(option: str, summary: str, kind: str) -> Callable[..., Callable[..., object]]:
    """Declare an option that takes NAME=… any number of times."""
    return click.option(option, multiple=True, metavar=f"NAME={kind}", callback=_checked(assignment), help=summary)


@click.command()
@click.argument("file", required=False, type=click.Path(allow_dash=True))
@click.argument("argv", nargs=-1, metavar="[-- ARGS]...")
@click.option("-c", "code", metavar="CODE", help="The program itself instead of a FILE.")
@_pairs("--set", "Give a pipeline parameter a string.", "VALUE")
@_pairs("--set-json", "Give a pipeline parameter any value.", "JSON")
@click.option("--deadline", metavar="SECONDS", callback=_checked(seconds), help="End the run after this time.")
@click.option("--llm-mock", metavar="FILE", help="Answer model calls from a file of JSON lines.")
@click.option("--llm-mock-record", metavar="FILE", help="Write what models answer to a file for --llm-mock.")
@click.option("--events", metavar="FILE", help="Append the event log to a file of JSON lines.")
@click.option("--store", metavar="FILE", help="Keep the event log in a SQLite file.")
@click.option("--skill-dir", metavar="DIR", multiple=True, help="Look for skills in this folder first.")
@click.option("--trace", is_flag=True, help="Show on stderr what happened to reminders.")
@click.option("-v", "--verbose", is_flag=True, help="With --trace: show it while it happens.")
@stdin_name
@report_options
@click.pass_context
def command(context: click.Context, /, **_given: object) -> None:
    """Run the program in FILE.

    '-' stands for standard input; what follows -- is the program's argv.
    """
    raise click.UsageError("give one program: FILE, '-' or -c CODE; its own arguments stand after --", context)
