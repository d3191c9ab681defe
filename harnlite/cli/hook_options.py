"""What the commands for hooks share: their options, and asking before files are changed."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from harnlite.agent_hooks.install.agent_files import AGENT_FILES, SCOPES
from harnlite.cli import exit_codes
from harnlite.cli.differences import painted
from harnlite.cli.run_request import COLORS
from harnlite.cli.terminal import wants_color

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import NoReturn, TypeVar

    from harnlite.agent_hooks.install.file_changes import FileChange
    from harnlite.agent_hooks.install.installation import Installation
    from harnlite.diagnostics.diagnostic import Diagnostic

    F = TypeVar("F", bound=Callable[..., Any])

color_option = click.option(
    "--color", type=click.Choice(COLORS), default="auto", help="When to use colour in differences and reports."
)


def agent_option(*, required: bool = False) -> Callable[[F], F]:
    """Return a decorator that adds --agent."""
    return click.option("--agent", type=click.Choice(list(AGENT_FILES)), required=required, help="The coding agent.")


def scope_option(default: str | None = None) -> Callable[[F], F]:
    """Return a decorator that adds --scope."""
    text = "Whether the configuration of the user or of the project is meant"
    return click.option(
        "--scope",
        type=click.Choice(SCOPES),
        default=default,
        help=f"{text}; default: {default or 'both'}.",
    )


def installations(agent: str | None, scope: str | None) -> list[Installation]:
    """Return the installations that options select; raise UsageError if the project is the home folder."""
    from harnlite.agent_hooks.install.agent_files import PROJECT
    from harnlite.agent_hooks.install.installation import Installation, is_home, project_folder
    from harnlite.resources import working_folder

    folder = project_folder(working_folder())
    scopes: tuple[str, ...] = SCOPES if scope is None else (scope,)
    if is_home(folder):
        if scope == PROJECT:
            raise click.UsageError("the home folder is not a project: use --scope user, or change to a project")
        scopes = tuple(one for one in scopes if one != PROJECT)
    return [
        Installation(files, one, folder, os.environ)
        for files in ([AGENT_FILES[agent]] if agent else AGENT_FILES.values())
        for one in scopes
    ]


def show(changes: Sequence[FileChange], color: str) -> None:
    """Write the differences to stdout."""
    for change in changes:
        shown = change.shown()
        sys.stdout.write(painted(shown) if wants_color(color, sys.stdout) else shown)


def has_confirmed(question: str) -> bool:
    """Ask a question on the terminal."""
    sys.stdout.flush()
    try:
        return click.confirm(question, default=False, err=True)
    except click.Abort:
        sys.stderr.write("\n")
        return False


def fail(message: str, status: int = exit_codes.USAGE) -> NoReturn:
    """Report an error and exit."""
    sys.stderr.write(f"error: {message}\n")
    sys.exit(status)


def fail_with(report: Sequence[Diagnostic], color: str) -> NoReturn:
    """Report what is wrong in a configuration and exit."""
    write_findings(report, color)
    fail("nothing was changed")


def write_findings(report: Sequence[Diagnostic], color: str) -> None:
    """Write findings to stderr."""
    from harnlite.diagnostics.renderers import RENDERERS, TEXT

    sys.stderr.write(RENDERERS[TEXT](report, color=wants_color(color, sys.stderr)))
