"""`harnlite doctor`: the state of this installation."""

from __future__ import annotations

import sys

import click

from harnlite.cli import exit_codes
from harnlite.version import VERSION


@click.command()
def command() -> None:
    """Show the state of this installation.

    This includes paths, versions, available features, and which API keys are set. The keys themselves are never shown.
    """
    from harnlite.cli.cache import state
    from harnlite.host import health

    rows = [
        *health.installation(),
        ("cache", state()),
        *health.packages(),
        *health.abilities(),
        *health.models(),
        *health.environment(),
        *_hooks(),
    ]
    sys.stdout.write(f"harnlite {VERSION}\n" + "".join(f"{name}: {value}\n" for name, value in rows))
    sys.exit(exit_codes.FINDINGS if any(value.startswith(health.BAD) for _, value in rows) else exit_codes.OK)


def _hooks() -> list[tuple[str, str]]:
    """Return the coding agents that start harnlite, if there are any."""
    from harnlite.agent_hooks.install.file_changes import UnusableFile
    from harnlite.agent_hooks.install.hook_overviews import overviews
    from harnlite.cli.hook_options import installations
    from harnlite.diagnostics.errors import LanguageError

    found = []
    for installation in installations(None, None):
        try:
            found += [f"{one.agent} ({one.scope})" for one in overviews(installation)]
        except (UnusableFile, LanguageError):
            found.append(f"{installation.files.name} ({installation.scope}) cannot be read")
    return [("hooks", f"{', '.join(found)}; details: harnlite hook doctor")] if found else []
