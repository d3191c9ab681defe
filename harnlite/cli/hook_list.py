"""`harnlite hook list`: what is installed in coding agents."""

from __future__ import annotations

import json
import sys

import click

from harnlite.cli import exit_codes
from harnlite.cli.hook_options import agent_option, installations, scope_option


@click.command()
@agent_option()
@scope_option()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(agent: str | None, scope: str | None, as_json: bool) -> None:  # noqa: FBT001 - a flag
    """List the agents that start harnlite, with their rules and events."""
    from harnlite.agent_hooks.install.file_changes import UnusableFile
    from harnlite.agent_hooks.install.hook_overviews import overviews, place_of
    from harnlite.diagnostics.errors import LanguageError

    found = []
    is_clear = True
    for installation in installations(agent, scope):
        try:
            found += overviews(installation)
        except (UnusableFile, LanguageError) as error:
            is_clear = False
            sys.stderr.write(f"error: {error if isinstance(error, UnusableFile) else place_of(error)}\n")
    if as_json:
        sys.stdout.write(json.dumps([one.data() for one in found], indent=2, ensure_ascii=False) + "\n")
    elif found:
        for one in found:
            sys.stdout.write(f"{one.agent} ({one.scope}): {one.rules_text()}\n")
            sys.stdout.write(f"  {one.path}\n  {', '.join(one.events)}\n")
    elif is_clear:
        sys.stdout.write("nothing is installed; start with `harnlite hook install --help`\n")
    sys.exit(exit_codes.OK if is_clear else exit_codes.USAGE)
