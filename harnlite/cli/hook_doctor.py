"""`harnlite hook doctor`: whether the hooks in coding agents can work."""

from __future__ import annotations

import json
import os
import sys

import click

from harnlite.cli import exit_codes
from harnlite.cli.hook_options import agent_option, installations, scope_option


@click.command()
@agent_option()
@scope_option()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(agent: str | None, scope: str | None, as_json: bool) -> None:  # noqa: FBT001 - a flag
    """Check the hooks that are installed in coding agents.

    This shows the files and events, whether the command exists and the rules run, settings of the agent that switch
    hooks off, what is still to be done in the agent, and the last call. The exit status is 1 if something is wrong.
    """
    from harnlite.agent_hooks.install.hook_health import PROBLEMS, rows_of
    from harnlite.agent_hooks.state_folder import log_file
    from harnlite.resources import working_folder

    groups = [
        (one.files.name, one.scope, found)
        for one in installations(agent, scope)
        if (found := rows_of(one, os.environ, working_folder()))
    ]
    if as_json:
        data = [
            {"agent": name, "scope": of, "rows": [[key.strip(), value] for key, value in found]}
            for name, of, found in groups
        ]
        sys.stdout.write(json.dumps(data, indent=2, ensure_ascii=False) + "\n")
    elif groups:
        lines = [f"{name}: {value}\n" for _, _, found in groups for name, value in found]
        sys.stdout.write("".join(lines) + f"log: {log_file()}\n")
    else:
        sys.stdout.write("nothing is installed; start with `harnlite hook install --help`\n")
    has_problem = any(value.startswith(PROBLEMS) for _, _, found in groups for _, value in found)
    sys.exit(exit_codes.FINDINGS if has_problem else exit_codes.OK)
