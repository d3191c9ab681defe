"""`harnlite a2a`: the server of the Agent2Agent protocol."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, NoReturn, cast

import click

from harnlite.cli.server_options import ceiling_options, conversation_store, server_settings
from harnlite.cli.shared_options import script_options

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TextIO

    from harnlite.serve.a2a.server import HttpSettings

TOKEN = "HARNLITE_A2A_TOKEN"  # noqa: S105 - the name of a variable
EXTRA = ("anyio", "h11", "sse_starlette", "starlette", "uvicorn")


@click.command()
@click.argument("file", required=False, type=click.Path())
@click.option("--host", default="127.0.0.1", metavar="ADDRESS", help="The address to listen on; default: 127.0.0.1.")
@click.option(
    "--port", default=8000, type=click.IntRange(0, 65535), help="The port; 0 picks a free one; default: 8000."
)
@click.option("--public-url", metavar="URL", help="The URL that the agent card shows, if a proxy is in front.")
@click.option("--strict-card", is_flag=True, help="Omit everything from the card that protocol 1.0 does not define.")
@click.option("--store", metavar="URL", help="Store tasks in this SQLite file; ':memory:' keeps nothing.")
@ceiling_options("context")
@click.option("--max-tasks", type=click.IntRange(min=1), metavar="N", help="Limit the tasks that run at a time.")
@click.option(
    "--access-log",
    type=click.Choice(("text", "json", "off")),
    default="text",
    help="Write a line for each request to stderr; default: text.",
)
@click.option("--debug", is_flag=True, help="Show Python tracebacks for internal errors.")
@script_options
@click.pass_context
def command(context: click.Context, /, **options: Any) -> NoReturn:  # noqa: ANN401 - the values of all options
    """Serve other agents with the Agent2Agent protocol over HTTP.

    Each task runs the entry pipeline of FILE; without FILE, that of the project, or else a plain agent loop. Any
    address but a loopback one needs a bearer token in the variable HARNLITE_A2A_TOKEN.
    """
    try:
        from harnlite.serve.a2a.server import A2AServer
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in EXTRA:
            raise
        raise click.UsageError(
            f"the A2A server needs the package {error.name}, which is not installed; "
            "install the extra: pip install 'harnlite[a2a]'",
            context,
        ) from None
    from harnlite.known_keys import environment_keys
    from harnlite.serve.redacted_stream import RedactedStream
    from harnlite.store.redaction import Redactor

    http = _http(context, options)
    errors = RedactedStream(sys.stderr, Redactor(environment_keys()))
    sys.stdout = sys.stderr = cast("TextIO", errors)
    settings, store = server_settings(context, options), conversation_store(context, options["store"])
    server = A2AServer(settings, http, store)
    try:
        status = server.run()
    except OSError as error:
        address = f"{options['host']}:{options['port']}"
        raise click.UsageError(f"cannot listen on {address}: {error.strerror or error}", context) from None
    finally:
        errors.finish()
    sys.exit(status)


def _http(context: click.Context, options: dict[str, Any]) -> HttpSettings:
    from harnlite.serve.a2a.http_rules import is_loopback, is_web_address
    from harnlite.serve.a2a.server import HttpSettings

    token = os.environ.get(TOKEN, "").strip() or None
    if token is None and not is_loopback(options["host"]):
        raise click.UsageError(
            f"--host {options['host']} is not a loopback address: set {TOKEN} to the token that clients must send",
            context,
        )
    public_url = options["public_url"]
    if public_url is not None and not is_web_address(public_url):
        raise click.UsageError(
            f"--public-url must be an address such as https://agents.example.org/, got {public_url!r}", context
        )
    return HttpSettings(
        host=options["host"],
        port=options["port"],
        public_url=public_url,
        is_strict=options["strict_card"],
        token=token,
        max_tasks=options["max_tasks"],
        access_log=options["access_log"],
        debug=options["debug"],
        project=_project(context, options["file"]),
    )


def _project(context: click.Context, file: str | None) -> Mapping[str, Any]:
    """Return the values of the project around the program, which name and describe the agent."""
    from harnlite.analysis.linting.configuration_files import ConfigurationError, find_project_file
    from harnlite.resources import working_folder

    folder = working_folder() if file is None else os.path.dirname(os.path.abspath(file))
    try:
        found = find_project_file(folder)
    except ConfigurationError as error:
        raise click.UsageError(str(error), context) from None
    return {} if found is None else found.values
