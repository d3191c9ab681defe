"""`harnlite hook forget`: deletes what hooks have stored about sessions."""

from __future__ import annotations

import contextlib
import os
import sys

import click

from harnlite.cli import exit_codes
from harnlite.cli.hook_options import fail


@click.command()
@click.option("--agent", metavar="AGENT", help="Only the sessions of this agent.")
@click.option("--session", metavar="ID", help="Only the session with this id of the agent.")
@click.option("--all", "everything", is_flag=True, help="All sessions of all agents, and the log.")
def command(agent: str | None, session: str | None, everything: bool) -> None:  # noqa: FBT001 - a flag
    """Delete the stored state of sessions.

    A session that is deleted starts anew: its reminders may be said again. What is installed stays.
    """
    from harnlite.agent_hooks.formats.table import FORMATS
    from harnlite.agent_hooks.hook_log import OLD
    from harnlite.agent_hooks.session_files import forget
    from harnlite.agent_hooks.state_folder import log_file

    if everything == (agent is not None or session is not None):
        raise click.UsageError("say what to delete: --agent AGENT, --session ID, or both; or --all")
    if agent is not None and agent not in FORMATS:
        raise click.UsageError(f"there is no agent {agent!r} (known: {', '.join(FORMATS)})")
    try:
        count = forget(agent, session)
    except OSError as error:
        fail(f"cannot delete {error.filename}: {error.strerror}", exit_codes.FAILED)
    if everything:
        for path in (log_file(), log_file() + OLD):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
    if session is not None and not count:
        fail(f"there is no stored session {session!r}", exit_codes.FAILED)
    sys.stdout.write(f"deleted the state of {count} session{'' if count == 1 else 's'}\n")
