"""`harnlite hook remove`: takes harnlite out of the configuration of coding agents."""

from __future__ import annotations

import sys

import click

from harnlite.cli import exit_codes
from harnlite.cli.hook_options import (
    agent_option,
    color_option,
    fail,
    fail_with,
    has_confirmed,
    installations,
    scope_option,
    show,
)


@click.command()
@agent_option()
@scope_option()
@click.option("--yes", "-y", is_flag=True, help="Do not ask before files are changed.")
@color_option
def command(agent: str | None, scope: str | None, yes: bool, color: str) -> None:  # noqa: FBT001 - a flag
    """Remove harnlite from the configuration of coding agents.

    A file in which nothing else has changed gets the bytes back that it had before. Only entries that start harnlite
    are removed. Without --agent, all agents are meant. On a terminal the command asks first.
    """
    from harnlite.agent_hooks.install.file_changes import UnusableFile, apply_all
    from harnlite.diagnostics.errors import LanguageError

    found = installations(agent, scope)
    try:
        pairs = [(one, change) for one in found for change in one.remove() if change.is_needed]
        changes = [change for _, change in pairs]
        if not changes:
            sys.stdout.write("nothing to remove\n")
            return
        show(changes, color)
        if not yes and sys.stdin.isatty() and not has_confirmed("Remove these entries?"):
            fail("nothing was changed", exit_codes.FAILED)
        apply_all(changes, pairs[0][0].records)
    except UnusableFile as error:
        fail(str(error))
    except LanguageError as error:
        fail_with(error.diagnostics, color)
    for title in dict.fromkeys(one.files.title for one, _ in pairs):
        sys.stdout.write(f"removed from {title}\n")
