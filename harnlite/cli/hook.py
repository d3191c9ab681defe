"""`harnlite hook`: rules inside coding agents."""

from __future__ import annotations

import click

from harnlite.cli.group import LazyGroup


class _Commands(LazyGroup):
    """The commands for people; calls of agents never get here."""

    table = {  # noqa: RUF012 - no command changes it
        "doctor": "Check the hooks that are installed in coding agents.",
        "forget": "Delete the stored state of sessions.",
        "install": "Let a coding agent start harnlite at its events.",
        "list": "List the agents that start harnlite, with their rules and events.",
        "remove": "Remove harnlite from the configuration of coding agents.",
        "replay": "Show what rules would have told the model in the recorded session FILE, and when.",
    }
    modules = "harnlite.cli.hook_"
    advice = "For a call by an agent: harnlite hook --agent AGENT EVENT"


@click.group(cls=_Commands)
def command() -> None:
    """Run rules inside coding agents.

    `harnlite hook install` writes the configuration of an agent, which then starts harnlite at its events. What agents
    start is `harnlite hook --agent AGENT [--script FILE] [--rules NAMES] [OPTION]... EVENT`: it reads the event from
    standard input, prints the answer for the agent, and exits with status 0 whatever happens.

    The agents are claude-code, codex, gemini, qwen, copilot, cursor, factory, cline and opencode. For kiro, goose,
    antigravity and windsurf, write the command into their configuration yourself. With --observe, harnlite logs what it
    would say and says nothing.
    """
