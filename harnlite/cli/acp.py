"""`harnlite acp`: the server of the Agent Client Protocol."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, NoReturn, cast

import click

from harnlite.cli import exit_codes
from harnlite.cli.server_options import (
    SCRIPT_OPTIONS,
    ceiling_options,
    conversation_store,
    program_path,
    server_settings,
)
from harnlite.cli.shared_options import script_options

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

    from harnlite.serve.acp.server import AcpServer
    from harnlite.serve.conversation_values import ServerSettings

PATIENCE = 3
FOR_PEOPLE = (
    "harnlite acp speaks the Agent Client Protocol on standard input and output: it is started by an editor, whose "
    "settings name this command. Press Ctrl-D to end it."
)


@click.command()
@click.argument("file", required=False, type=click.Path())
@click.option("--store", metavar="PATH", help="Store sessions in this SQLite file; ':memory:' keeps nothing.")
@click.option(
    "--max-message-bytes", type=click.IntRange(min=1), metavar="N", help="Refuse longer lines; default: 64 MiB."
)
@ceiling_options("session")
@click.option("--trace", is_flag=True, help="Show the messages of the connection on stderr.")
@click.option("--trace-file", type=click.Path(dir_okay=False), metavar="PATH", help="Append them to a file.")
@click.option("--debug", is_flag=True, help="Show ignored messages, and Python tracebacks for internal errors.")
@script_options
@click.pass_context
def command(context: click.Context, /, **options: Any) -> NoReturn:  # noqa: ANN401 - the values of all options
    """Serve an editor or another client of the Agent Client Protocol over standard input and output.

    Each prompt runs the entry pipeline of FILE; without FILE, that of the project, or else a plain agent loop. The file
    is read again for every prompt.
    """
    from harnlite.known_keys import environment_keys
    from harnlite.serve.acp.server import AcpServer, ConnectionSettings
    from harnlite.serve.acp.transport import DEFAULT_LIMIT, standard_error, take_standard_streams
    from harnlite.serve.redacted_stream import RedactedStream
    from harnlite.store.redaction import Redactor

    is_typed = os.isatty(0)
    incoming, outgoing = take_standard_streams()
    errors = RedactedStream(standard_error(), Redactor(environment_keys()))
    sys.stdout = sys.stderr = cast("TextIO", errors)
    sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115 - lives as long as the process
    settings, store = _settings(context, options), conversation_store(context, options["store"])
    connection = ConnectionSettings(
        max_message_bytes=options["max_message_bytes"] or DEFAULT_LIMIT,
        stderr=sys.stderr,
        trace=_trace(context, options),
        debug=options["debug"],
    )
    server = AcpServer(settings, store, incoming, outgoing, connection)
    status = _stop_at_signals(server)
    if is_typed:
        click.echo(FOR_PEOPLE, err=True)
    try:
        server.run()
    finally:
        errors.finish()
    sys.exit(status[0])


def _settings(context: click.Context, options: dict[str, Any]) -> Callable[[], ServerSettings]:
    """Return a function for the settings, which loads the engine: after the answer to `initialize` if possible."""
    if any(options[name] for name in SCRIPT_OPTIONS):
        settings = server_settings(context, options)
        return lambda: settings
    program_path(context, options["file"])
    return lambda: server_settings(context, options)


def _trace(context: click.Context, options: dict[str, Any]) -> TextIO | None:
    path = options["trace_file"]
    if path is None:
        return sys.stderr if options["trace"] else None
    try:
        return open(path, "a", encoding="utf-8")
    except OSError as error:
        raise click.UsageError(f"--trace-file: cannot write {path!r}: {error.strerror}", context) from None


def _stop_at_signals(server: AcpServer) -> list[int]:
    """Stop the server at SIGTERM and SIGINT; the third signal ends the process. Return the exit status to be."""
    import signal

    status = [exit_codes.OK]
    count = 0

    def stop(number: int, _frame: object) -> None:
        nonlocal count
        count += 1
        status[0] = exit_codes.INTERRUPTED if number == signal.SIGINT else exit_codes.OK
        if count >= PATIENCE:
            os._exit(status[0])
        server.stop()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    return status
