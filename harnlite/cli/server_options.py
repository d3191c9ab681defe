"""What the commands of servers share: the settings of the script, and the store of conversations."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.serve.conversation_values import ServerSettings
    from harnlite.store.conversation_store import ConversationStore

SCRIPT_OPTIONS = ("allow", "deny", "sandbox", "limit", "max_memory")


def ceiling_options(subject: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that adds --max-cost and --max-turns, which limit each session or context."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        text = f"Limit the money that the model calls of one {subject} may cost."
        turns = click.option(
            "--max-turns", type=click.IntRange(min=1), metavar="N", help=f"Limit the turns of one {subject}."
        )
        cost = click.option("--max-cost", type=click.FloatRange(min=0, min_open=True), metavar="USD", help=text)
        return cost(turns(command))

    return add


def server_settings(context: click.Context, options: dict[str, Any]) -> ServerSettings:
    """Return the settings for a FILE, the script options and the ceilings; raise UsageError if one is not valid."""
    from harnlite.host.engine import Engine
    from harnlite.host.script_limits import engine_settings
    from harnlite.serve.conversation_values import ServerSettings

    try:
        engine = Engine(**engine_settings({name: options[name] for name in SCRIPT_OPTIONS}))
    except ValueError as error:
        raise click.UsageError(str(error), context) from None
    script = program_path(context, options["file"])
    return ServerSettings(
        engine, script, stderr=sys.stderr, max_cost=options["max_cost"], max_turns=options["max_turns"]
    )


def program_path(context: click.Context, file: str | None) -> str | None:
    """Return the absolute path of the program, or None if there is neither a FILE nor a project."""
    if file is None:
        from harnlite.resources import project_above, working_folder

        if project_above(working_folder(), "pyproject.toml") is None:
            return None  # without loading what reads projects
        from harnlite.cli.project_entry import ConfigurationError, project_entry

        try:
            file = project_entry(working_folder())
        except ConfigurationError as error:
            raise click.UsageError(str(error), context) from None
    elif not os.path.isfile(file):
        hint = "; a server does not read its program from standard input" if file == "-" else ""
        raise click.UsageError(f"FILE must be the path of a file, got {file!r}{hint}", context)
    return file and os.path.abspath(file)


def conversation_store(context: click.Context, location: str | None) -> ConversationStore:
    """Open the store at a location, or the one of the user; raise UsageError if that is not possible."""
    from harnlite.store.conversation_store import StoreError
    from harnlite.store.sqlite_conversations import open_store
    from harnlite.store.store_locations import default_path, store_path

    try:
        return open_store(default_path() if location is None else store_path(location))
    except ValueError as error:
        raise click.UsageError(f"--store: {error}", context) from None
    except StoreError as error:
        raise click.UsageError(str(error), context) from None
