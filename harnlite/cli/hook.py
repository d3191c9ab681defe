"""`harnlite hook`: rules inside coding agents."""

from __future__ import annotations

from importlib import import_module

import click

COMMANDS = ("doctor", "forget", "install", "list", "remove", "replay")


class _Commands(click.Group):
    """The commands for people, each in a module of its own; calls of agents never get here."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click calls it so
        """Return the names of the commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click calls it so
        """Import and return a command, or None if there is no such command."""
        if cmd_name not in COMMANDS:
            return None
        command = import_module(f"harnlite.cli.hook_{cmd_name}").command
        return command if isinstance(command, click.Command) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve the command of these arguments; suggest a similar name for an unknown one."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from harnlite.diagnostics.suggest import near_name

            near = near_name(args[0], COMMANDS)
            hint = f"Did you mean {near!r}?" if near else "For a call by an agent: harnlite hook --agent AGENT EVENT"
            raise click.UsageError(f"No such command {args[0]!r}. {hint}", ctx)
        return super().resolve_command(ctx, args)


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
